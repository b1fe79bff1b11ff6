// Exponentials and logarithms, for the values that distributions have. They are sums
// and products of float32 without approximate instructions, with the same bits on
// every device, and below one unit in the last place wrong.
#pragma once
#include "dialect.cuh"

// 2^n for -126 <= n <= 127.
DEVICE float power_of_two(int n) { return float_of(unsigned(n + 127) << 23); }

// exp(x) for x <= 0, as 2^n exp(r) with |r| <= ln(2)/2 and the Taylor series of degree 7.
DEVICE float exponential(float x) {
  const float log2e = 1.44269504f, ln2_high = 0.693145752f, ln2_low = 1.42860677e-6f;
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

// log(x) for x >= 1, as e ln(2) + log(m) with sqrt(1/2) <= m < sqrt(2) and the series
// of atanh. Not a number stays so, and infinity infinite.
DEVICE float logarithm(float x) {
  if (!(x < float_of(0x7f800000))) return x;
  int e = int(bits_of(x) - 0x3f3504f3u) >> 23;
  float m = float_of(bits_of(x) - (unsigned(e) << 23));
  float s = (m - 1) / (m + 1), z = s * s;
  float p = 0.222222222f;
  p = fma(p, z, 0.285714286f);
  p = fma(p, z, 0.4f);
  p = fma(p, z, 0.666666667f);
  float tail = fma(float(e), 1.42860677e-6f, s * z * p);
  return fma(float(e), 0.693145752f, fma(2.0f, s, tail));
}
