// Powers of float32, computed in float64 and rounded once: the logarithm of a number
// has to be exact to far more digits than its power.
#pragma once
#include "dialect.cuh"

// log2(x) for positive x: the exponent and the series of atanh for the rest, which is
// between sqrt(1/2) and sqrt(2).
DEVICE double binary_logarithm(double x) {
  long long bits = __builtin_bit_cast(long long, x);
  int e = int((bits - 0x3fe6a09e667f3bcdll) >> 52);
  double f = __builtin_bit_cast(double, bits - ((long long)e << 52));
  double s = (f - 1) / (f + 1), z = s * s;
  double p = 1.0 / 15;
  UNROLL for (int k = 13; k >= 1; k -= 2) p = __builtin_fma(p, z, 1.0 / k);
  return __builtin_fma(2 * s * p, 1.4426950408889634, double(e));
}

// 2^x for |x| <= 300, by the Taylor series of degree 10.
DEVICE double binary_exponential(double x) {
  int n = int(x < 0 ? x - 0.5 : x + 0.5);
  double t = (x - n) * 0.6931471805599453, p = 1;
  UNROLL for (int k = 10; k >= 1; k--) p = __builtin_fma(p * t, 1.0 / k, 1.0);
  return p * __builtin_bit_cast(double, (long long)(n + 1023) << 52);
}

// is_odd reports whether y is an odd integer; those from 2^24 on are all even.
DEVICE bool is_odd(float y) { return abs(y) < 16777216.0f && float(int(y)) == y && (int(y) & 1); }

// x^y with the special cases of IEEE 754, which are those of Go's math.Pow.
DEVICE float power(float x, float y) {
  const float infinity = float_of(0x7f800000);
  float m = abs(x);
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return float_of(0x7fffffff);
  bool finite = abs(y) < infinity;
  if (x < 0 && m < infinity && finite && abs(y) < 8388608.0f && float(int(y)) != y) return float_of(0x7fffffff);
  float result;
  if (m == 0 || m == infinity) {
    result = (y < 0) == (m == 0) ? infinity : 0;
  } else if (!finite) {
    result = m == 1 ? 1 : (m > 1) == (y > 0) ? infinity : 0;
  } else {
    double exponent = double(y) * binary_logarithm(m);
    result = float(binary_exponential(exponent < -300 ? -300 : exponent > 300 ? 300 : exponent));
  }
  return (bits_of(x) >> 31) && is_odd(y) ? -result : result;
}
