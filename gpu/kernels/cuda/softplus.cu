// Softplus, element by element.
#include "functions.cuh"

// out[i] = log(1 + exp(x[i])) for i < n, without overflow; out may be x.
KERNEL THREADS(256) softplus(float* out, const float* x, int n) {
  int i = block_index().x * 256 + thread_index().x;
  if (i < n) out[i] = softplus_of(x[i]);
}
