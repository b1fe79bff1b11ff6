// Kernels with a mistake each, which the emulator must report.
#include "dialect.cuh"

KERNEL read_past_end(float* x) { x[0] = x[thread_index().x]; }

KERNEL misaligned(char* x) { *reinterpret_cast<int*>(x + thread_index().x) = 1; }

// Without a barrier between writing and reading.
KERNEL THREADS(64) race(float* x) {
  SHARED static float s[64];
  int t = thread_index().x;
  s[t] = x[t];
  x[t] = s[63 - t];
}

// The same within a warp.
KERNEL THREADS(32) warp_race(float* x) {
  SHARED static float s[32];
  int t = thread_index().x;
  s[t] = x[t];
  x[t] = s[31 - t];
}

// With a barrier of the warp, which is enough for one warp and not for two.
KERNEL warp_only(float* x) {
  SHARED static float s[64];
  int t = thread_index().x, last = block_size().x - 1;
  s[t] = x[t];
  synchronize_warp();
  x[t] = s[last - t];
}

KERNEL THREADS(64) divergent_barrier(float* x) {
  SHARED static float s[64];
  int t = thread_index().x;
  s[t] = x[t];
  if (t < 40) synchronize_block();
  x[t] = s[t];
}

KERNEL THREADS(64) shared_out_of_bounds(float* x, int n) {
  SHARED static float s[64];
  s[thread_index().x + n] = 1;
  synchronize_block();
  x[thread_index().x] = s[thread_index().x];
}

KERNEL hang(volatile int* x) {
  while (*x >= 0) {
  }
}

KERNEL partial_shuffle(float* x) {
  int t = thread_index().x;
  if (t < 16) x[t] = shuffle_xor(x[t], 1);
}

KERNEL trap() { __builtin_trap(); }
