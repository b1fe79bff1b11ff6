// Element-wise steps over rows: each step is executed for all rows of a block before
// the next, so that a step may read any part of a row that another one wrote.
//
// A power of two of threads, the lanes, does a row; a block has 256 threads, and so 32
// rows at most.
#include "operations.cuh"

constexpr int kOperands = 16, kSteps = 32, kThreads = 256, kRows = 32;

// Step sets or adds to `size` elements of a row.
struct Step {
  unsigned char operation;  // of operations.cuh, or kClip
  unsigned char add;
  unsigned char to, x, y;  // numbers of operands; y may be kConstant
  int size;
  float low, high;  // the constant, or the limits of kClip
};

constexpr int kConstant = 255, kClip = 254;

struct Strides {
  int at[kOperands];
};

struct Steps {
  Step at[kSteps];
};

#define EACH(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15)
#define POINTERS(i) float *base##i, const int *index##i,
// Lane r of the first warp finds row r of every operand. There are no arrays of
// parameters, so that each is known by its type to who launches.
#define LOCATE(i)                                                                              \
  if (i < operands) {                                                                          \
    long long at = index##i ? index##i[row] : row;                                             \
    rows[i][thread_index().x] = base##i + at * strides.at[i];                                  \
  }

// Steps on n rows. Row r of operand i begins at base_i + index_i[r] * stride, or r *
// stride without an index. A row is done by 2^shift threads, 8 to 256.
KERNEL THREADS(kThreads) fused(EACH(POINTERS) Strides strides, Steps steps, int operands, int count, int n, int shift) {
  SHARED static float* rows[kOperands][kRows];
  int per_block = kThreads >> shift, first = block_index().x * per_block;
  int row = first + thread_index().x;
  if (thread_index().x < per_block && row < n) {
    EACH(LOCATE)
  }
  synchronize_block();
  int mine = thread_index().x >> shift, lanes = 1 << shift, lane = thread_index().x & (lanes - 1);
  for (int s = 0; s < count; s++) {
    Step step = steps.at[s];
    int size = first + mine < n ? step.size : 0, operation = step.operation;
    if (size > 0) {
      float* to = rows[step.to][mine];
      const float* x = rows[step.x][mine];
      const float* y = step.y == kConstant ? nullptr : rows[step.y][mine];
      for (int c = lane; c < size; c += lanes) {
        float v = x[c];
        v = operation == kClip ? minimum(maximum(v, step.low), step.high) : apply(operation, v, y ? y[c] : step.low);
        to[c] = step.add ? to[c] + v : v;
      }
    }
    synchronize_block();
  }
}
