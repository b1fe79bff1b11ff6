// Sums of columns, for the gradients of what is added to or multiplied with all rows.
//
// A block takes a chunk of 256 rows and 32 columns: 8 threads per column take turns,
// and their sums are added in order. The sums of the chunks then either are written
// down, to be added in order, or are added at once and in any order.
#include "dialect.cuh"

constexpr int kChunk = 256, kColumns = 32, kLanes = 8;

// The sum of x[r][c], or of x[r][c] * y[r][c], over the rows of the block's chunk: in
// threads with y = 0, where c is a column.
DEVICE float chunk_sum(const float* x, int x_stride, const float* y, int y_stride, int n, int c, int width) {
  SHARED static float sums[kLanes][kColumns];
  int end = (block_index().x + 1) * kChunk;
  float v = 0;
  for (int r = block_index().x * kChunk + thread_index().y; c < width && r < n && r < end; r += kLanes) {
    float a = x[(long long)r * x_stride + c];
    v = y ? fma(a, y[(long long)r * y_stride + c], v) : v + a;
  }
  sums[thread_index().y][thread_index().x] = v;
  synchronize_block();
  if (thread_index().y > 0) return 0;
  UNROLL for (int i = 1; i < kLanes; i++) v += sums[i][thread_index().x];
  return v;
}

// out[k][c] = the sum over chunk k of x[r][c], or of x[r][c] * y[r][c] if there is y.
KERNEL THREADS(256) sum_columns(float* RESTRICT out, const float* RESTRICT x, int x_stride, const float* RESTRICT y,
                                int y_stride, int n, int width) {
  int c = block_index().y * kColumns + thread_index().x;
  float v = chunk_sum(x, x_stride, y, y_stride, n, c, width);
  if (thread_index().y == 0 && c < width) out[(long long)block_index().x * width + c] = v;
}

// out[c] += the sum over r < n of x[r][c], or of x[r][c] * y[r][c]. The order of the
// chunks is open: the last bits of the result may differ from run to run.
KERNEL THREADS(256) add_columns(float* RESTRICT out, const float* RESTRICT x, int x_stride, const float* RESTRICT y,
                                int y_stride, int n, int width) {
  int c = block_index().y * kColumns + thread_index().x;
  float v = chunk_sum(x, x_stride, y, y_stride, n, c, width);
  if (thread_index().y == 0 && c < width) atomic_add(out + c, v);
}
