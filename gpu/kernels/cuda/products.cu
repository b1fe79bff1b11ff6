// Products of many small matrices: a thread computes an element. Every element is one
// chain of fused multiply-adds in the order of the inner dimension.
#include "rows.cuh"

// An operand has one matrix per product, or the same for all where the distance of the
// matrices is 0. The distances of rows and columns are those of op(A) and op(B).
struct Operand {
  const float* data;
  long long matrix;
  int row, column;
};

DEVICE float element(const Operand& o, int p, int row, int column) {
  return o.data[p * o.matrix + (long long)row * o.row + (long long)column * o.column];
}

// C[p] = op(A[p]) op(B[p]), or C[p] += it, for p < count: C[p] is m x n, dense, and the
// inner dimension k. Distances are in elements.
KERNEL THREADS(256) small_products(float* RESTRICT c, const float* RESTRICT a, long long a_matrix, int a_row,
                                   int a_column, const float* RESTRICT b, long long b_matrix, int b_row, int b_column,
                                   int m, int n, int k, int accumulate, int total) {
  int i = block_index().x * 256 + thread_index().x;
  if (i >= total) return;
  Operand left = {a, a_matrix, a_row, a_column}, right = {b, b_matrix, b_row, b_column};
  int column = i % n, row = i / n % m, p = i / n / m;
  float sum = accumulate ? c[i] : 0;
  for (int l = 0; l < k; l++) sum = fma(element(left, p, row, l), element(right, p, l, column), sum);
  c[i] = sum;
}

// out[r] = the sum over the rows j of run r of the outer products of a[j] and b[j],
// m x n and dense, for each of count runs.
KERNEL THREADS(256) run_products(float* RESTRICT out, const float* RESTRICT a, int a_stride, const float* RESTRICT b,
                                 int b_stride, int rows, const int* RESTRICT start, int length, int m, int n,
                                 int total) {
  int i = block_index().x * 256 + thread_index().x;
  if (i >= total) return;
  int column = i % n, row = i / n % m;
  Run run = run_of(start, length, rows, i / n / m);
  float sum = 0;
  for (int j = run.first; j < run.end; j++) {
    sum = fma(a[(long long)j * a_stride + row], b[(long long)j * b_stride + column], sum);
  }
  out[i] = sum;
}
