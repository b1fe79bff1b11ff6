// What clipping of gradients by their norm wants: sums of squares, and products with a
// factor.
#include "dialect.cuh"

constexpr int kThreads = 256;

// The sum of what the threads of a block have, in thread 0. The order is always the same.
DEVICE float sum_of_block(float v) {
  SHARED static float sums[kThreads];
  sums[thread_index().x] = v;
  synchronize_block();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (thread_index().x < half) sums[thread_index().x] += sums[thread_index().x + half];
    synchronize_block();
  }
  return sums[0];
}

// parts[k] = the sum of the squares of the elements of x that block k of `blocks` has:
// every so many-th piece of 256.
KERNEL THREADS(kThreads) sum_squares(float* RESTRICT parts, const float* RESTRICT x, long long n, int blocks) {
  float v = 0;
  for (long long i = block_index().x * kThreads + thread_index().x; i < n; i += (long long)blocks * kThreads) {
    v = fma(x[i], x[i], v);
  }
  v = sum_of_block(v);
  if (thread_index().x == 0) parts[block_index().x] = v;
}

// *sum += parts[0] + parts[1] + ..., for n parts, by one block.
KERNEL THREADS(kThreads) add_squares(float* RESTRICT sum, const float* RESTRICT parts, int n) {
  float v = 0;
  for (int i = thread_index().x; i < n; i += kThreads) v += parts[i];
  v = sum_of_block(v);
  if (thread_index().x == 0) *sum += v;
}

// x[i] *= factor for i < n.
KERNEL THREADS(kThreads) scale(float* RESTRICT x, float factor, long long n) {
  long long i = (long long)block_index().x * kThreads + thread_index().x;
  if (i < n) x[i] *= factor;
}
