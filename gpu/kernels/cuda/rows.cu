// Rows of matrices picked by index. Matrices are row-major, with strides in
// elements. A block is 32 columns wide and 8 rows high.
#include "dialect.cuh"

// table_row checks an index: what is outside of the table is a mistake of the
// program that must not go on unseen.
DEVICE int table_row(int index, int rows) {
  if (index >= rows) __builtin_trap();
  return index;
}

// out[r] = table[index[r]] for r < n; a row of zeros where the index is negative.
KERNEL THREADS(256) gather_rows(float* RESTRICT out, int out_stride, const float* RESTRICT table, int table_stride,
                                int table_rows, const int* RESTRICT index, int n, int width) {
  int r = block_index().x * 8 + thread_index().y;
  if (r >= n) return;
  int row = table_row(index[r], table_rows);
  float* to = out + (long long)r * out_stride;
  const float* from = table + (long long)row * table_stride;
  for (int c = thread_index().x; c < width; c += 32) to[c] = row < 0 ? 0 : from[c];
}

// table[index[r]] += x[r] for r < n, but for negative indices. Equal indices are
// added in any order: the last bits of the result may differ from run to run.
KERNEL THREADS(256) scatter_add_rows(float* RESTRICT table, int table_stride, int table_rows, const float* RESTRICT x,
                                     int x_stride, const int* RESTRICT index, int n, int width) {
  int r = block_index().x * 8 + thread_index().y;
  if (r >= n) return;
  int row = table_row(index[r], table_rows);
  if (row < 0) return;
  float* to = table + (long long)row * table_stride;
  const float* from = x + (long long)r * x_stride;
  for (int c = thread_index().x; c < width; c += 32) atomic_add(to + c, from[c]);
}

// table[target[s]] += x[source[j]] for start[s] <= j < start[s+1], in this order, for
// s < n. No two targets are equal, so the result is the same every time.
KERNEL THREADS(256) add_segments(float* RESTRICT table, int table_stride, int table_rows, const float* RESTRICT x,
                                 int x_stride, int x_rows, const int* RESTRICT target, const int* RESTRICT start,
                                 const int* RESTRICT source, int n, int width) {
  int s = block_index().x * 8 + thread_index().y;
  if (s >= n) return;
  float* to = table + (long long)table_row(target[s], table_rows) * table_stride;
  for (int c = thread_index().x; c < width; c += 32) {
    float sum = to[c];
    for (int j = start[s]; j < start[s + 1]; j++) sum += x[(long long)table_row(source[j], x_rows) * x_stride + c];
    to[c] = sum;
  }
}
