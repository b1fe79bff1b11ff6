// Softplus, element by element.
#include "functions.cuh"  // sha256 459f7e178b4d

// log(1 + e) for 0 <= e <= 1. What is lost of e in 1 + e is made good by the quotient of
// e and what is left of it (Kahan): the logarithm is nearly proportional there.
DEVICE float logarithm_of_one_plus(float e) {
  float sum = 1 + e;
  return sum == 1 ? e : logarithm(sum) * (e / (sum - 1));
}

// out[i] = log(1 + exp(x[i])) for i < n, without overflow; out may be x.
KERNEL THREADS(256) softplus(float* out, const float* x, int n) {
  int i = block_index().x * 256 + thread_index().x;
  if (i >= n) return;
  float v = x[i];
  out[i] = (v > 0 ? v : 0) + logarithm_of_one_plus(exponential(-abs(v)));
}
