// Kernels that use what the emulator must get right. Each is small enough for its
// result to be told by a formula.
#include "dialect.cuh"

// Sums of blocks of 256: through shared memory, then within a warp by shuffles.
KERNEL THREADS(256) block_sums(float* RESTRICT sums, const float* RESTRICT x, int n) {
  SHARED static float partial[256];
  int t = thread_index().x, i = block_index().x * 256 + t;
  partial[t] = i < n ? x[i] : 0;
  synchronize_block();
  for (int half = 128; half >= 32; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    synchronize_block();
  }
  if (t >= 32) return;
  float sum = partial[t];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += shuffle_down(sum, lanes);
  if (t == 0) sums[block_index().x] = sum;
}

// The number of steps of the Collatz iteration: lanes leave the loop one by one.
KERNEL collatz(int* RESTRICT steps, int n) {
  int i = block_index().x * block_size().x + thread_index().x;
  if (i >= n) return;
  int count = 0;
  for (unsigned x = unsigned(i) + 1; x != 1; count++) x = x % 2 ? 3 * x + 1 : x / 2;
  steps[i] = count;
}

// A histogram of values modulo 8: atomics in shared, then in global memory.
KERNEL THREADS(128) histogram(int* bins, const int* RESTRICT x, int n) {
  SHARED static int local[8];
  int t = thread_index().x;
  if (t < 8) local[t] = 0;
  synchronize_block();
  for (int i = block_index().x * 128 + t; i < n; i += 128 * 4) atomic_add(&local[x[i] & 7], 1);
  synchronize_block();
  if (t < 8) atomic_add(&bins[t], local[t]);
}

// Reverses 16 numbers per thread through an array in local memory.
KERNEL reverse(int* RESTRICT out, const int* RESTRICT order, int n) {
  int i = block_index().x * block_size().x + thread_index().x;
  if (i >= n) return;
  int values[16];
  for (int j = 0; j < 16; j++) values[order[j]] = 16 * i + j;
  for (int j = 0; j < 16; j++) out[16 * i + j] = values[j];
}

struct Line {
  float slope, offset;
  double scale;
  short shift;
};

// A struct by value, types of several widths and conversions between them.
KERNEL convert(long long* RESTRICT out, const float* RESTRICT x, Line line, int n) {
  int i = block_index().x * block_size().x + thread_index().x;
  if (i >= n) return;
  double y = double(line.slope) * x[i] + line.offset;
  unsigned char small = (unsigned char)(i * 7);
  out[i] = (long long)(y * line.scale) + (small >> 3) + line.shift;
}

// Approximate functions and vector accesses.
KERNEL approximate(float4* RESTRICT out, const float* RESTRICT x, int n) {
  int i = block_index().x * block_size().x + thread_index().x;
  if (i >= n) return;
  float4 y = {exp2_approximate(x[i]), log2_approximate(x[i]), reciprocal_root_approximate(x[i]), sqrt(x[i])};
  out[i] = y;
}

// Multiplication of high halves, shifts and the counting of bits.
KERNEL mix(unsigned* RESTRICT out, const unsigned* RESTRICT x, int n) {
  int i = block_index().x * block_size().x + thread_index().x;
  if (i >= n) return;
  unsigned v = x[i];
  unsigned high = unsigned((unsigned long long)v * 0x9e3779b9u >> 32);
  out[i] = (high ^ (v << 13 | v >> 19)) + __builtin_popcount(v) + __builtin_clz(v | 1) + unsigned(int(v) >> 5);
}
