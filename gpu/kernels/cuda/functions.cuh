// Extrema, exponentials, logarithms and what is made of them. They are sums, products
// and quotients of float32 without approximate instructions, with the same bits on every
// device. Their errors stay below 2.5 units in the last place, that of exp below 1.
#pragma once
#include "dialect.cuh"

DEVICE float infinity() { return float_of(0x7f800000); }
DEVICE float not_a_number() { return float_of(0x7fffffff); }

// The smaller and the larger of two numbers. What is not a number wins, and -0 is below 0.
DEVICE float minimum(float a, float b) {
  if (a != a || b != b) return not_a_number();
  return a == b ? float_of(bits_of(a) | bits_of(b)) : min(a, b);
}
DEVICE float maximum(float a, float b) {
  if (a != a || b != b) return not_a_number();
  return a == b ? float_of(bits_of(a) & bits_of(b)) : max(a, b);
}

// 2^n for -126 <= n <= 127.
DEVICE float power_of_two(int n) { return float_of(unsigned(n + 127) << 23); }

// exp(x) = 2^n exp(r) with |r| <= ln(2)/2, by the Taylor series of degree 7.
DEVICE float exponential(float x) {
  const float log2e = 1.44269504f, ln2_high = 0.693145752f, ln2_low = 1.42860677e-6f;
  if (x > 88.7228394f) return infinity();
  if (x < -103.972084f) return 0;
  float n = round_to_even(x * log2e);
  float r = fma(n, -ln2_low, fma(n, -ln2_high, x));
  float p = 1.98412698e-4f;
  p = fma(p, r, 1.38888889e-3f);
  p = fma(p, r, 8.33333333e-3f);
  p = fma(p, r, 4.16666667e-2f);
  p = fma(p, r, 1.66666667e-1f);
  p = fma(p, r, 0.5f);
  p = fma(p, r, 1.0f);
  p = fma(p, r, 1.0f);
  // In two steps, because 2^n alone may be no normal number.
  int i = int(n), half = i >> 1;
  return p * power_of_two(half) * power_of_two(i - half);
}

// log(x) = e ln(2) + log(m) with sqrt(1/2) <= m < sqrt(2), by the series of atanh.
DEVICE float logarithm(float x) {
  if (!(x > 0)) return x == 0 ? -infinity() : not_a_number();
  if (x == infinity()) return x;
  int e = 0;
  if (x < 1.17549435e-38f) {
    x *= 8388608.0f;
    e = -23;
  }
  int shift = int(bits_of(x) - 0x3f3504f3u) >> 23;
  e += shift;
  float m = float_of(bits_of(x) - (unsigned(shift) << 23));
  float s = (m - 1) / (m + 1), z = s * s;
  float p = 0.222222222f;
  p = fma(p, z, 0.285714286f);
  p = fma(p, z, 0.4f);
  p = fma(p, z, 0.666666667f);
  float tail = fma(float(e), 1.42860677e-6f, s * z * p);
  return fma(float(e), 0.693145752f, fma(2.0f, s, tail));
}

// log(1 + e) for 0 <= e <= 1. What is lost of e in 1 + e is made good by the quotient of
// e and what is left of it (Kahan): the logarithm is nearly proportional there.
DEVICE float logarithm_of_one_plus(float e) {
  float sum = 1 + e;
  return sum == 1 ? e : logarithm(sum) * (e / (sum - 1));
}

// log(1 + exp(x)), without overflow. Its error stays below 3 units in the last place.
DEVICE float softplus_of(float x) { return (x > 0 ? x : 0) + logarithm_of_one_plus(exponential(-abs(x))); }

// 1 / (1 + exp(-x)). Far below zero that is exp(x), also where exp(-x) would overflow.
DEVICE float sigmoid(float x) {
  bool low = x < -87;
  float e = exponential(low ? x : -x);
  return low ? e : 1 / (1 + e);
}

// tanh near zero by its series, elsewhere by exp, where nothing cancels.
DEVICE float hyperbolic_tangent(float x) {
  float a = abs(x);
  if (a >= 0.3f) return copy_sign(1 - 2 / (exponential(2 * a) + 1), x);
  float z = x * x;
  float p = -8.86323553e-3f;
  p = fma(p, z, 2.18694885e-2f);
  p = fma(p, z, -5.39682540e-2f);
  p = fma(p, z, 1.33333333e-1f);
  p = fma(p, z, -3.33333333e-1f);
  return fma(x * z, p, x);
}
