// Products with a small result and a long inner dimension, which is cut into slices so
// that there is work for the whole device. The sums of the slices then either are
// written down, to be added in order, or are added at once and in any order.
#include "product.cuh"

template <bool kTransposeA, bool kTransposeB>
DEVICE void product(float* c, int c_stride, const Matrix& a, const Matrix& b, int m, int n, int first, int end,
                    bool atomic) {
  Place<Large> at;
  float sums[Large::kMine][4] = {};
  add_products<Large, kTransposeA, kTransposeB>(sums, a, b, first, end);
  UNROLL for (int i = 0; i < Large::kMine; i++) {
    UNROLL for (int j = 0; j < 4; j++) {
      if (at.row + i >= m || at.column + j >= n) continue;
      float* to = c + (long long)(at.row + i) * c_stride + at.column + j;
      if (atomic) atomic_add(to, sums[i][j]);
      else *to = sums[i][j];
    }
  }
}

// The sum over the slice of the inner dimension from z * slice on, z being the third
// index of the block: added to C at once, or written to part z of the dense array
// parts. C is m x n, the inner dimension k, and slice a multiple of 32. A letter t says
// that the operand is transposed: A is then k x m, and B n x k. The index, if any, says
// in which of index_limit rows in memory each of a_rows rows of A, as it lies in
// memory, is.
#define SPLIT(NAME, TA, TB)                                                                                   \
  KERNEL BOUNDS(Large) NAME(float* RESTRICT c, int c_stride, float* RESTRICT parts, const float* RESTRICT a,  \
                            int a_stride, const int* RESTRICT index, int index_limit, const float* RESTRICT b,\
                            int b_stride, int m, int n, int k, int slice) {                                   \
    int z = block_index().z, end = k - z * slice < slice ? k : (z + 1) * slice;                               \
    Matrix left = {a, a_stride, index, index_limit, TA ? k : m, TA ? m : k};                                  \
    Matrix right = {b, b_stride, nullptr, 0, TB ? n : k, TB ? k : n};                                         \
    float* to = parts ? parts + (long long)z * m * n : c;                                                     \
    product<TA, TB>(to, parts ? n : c_stride, left, right, m, n, z * slice, end, !parts);                     \
  }

SPLIT(gemm_split_nn, false, false)
SPLIT(gemm_split_nt, false, true)
SPLIT(gemm_split_tn, true, false)
SPLIT(gemm_split_tt, true, true)

// C = bias + the sum of the parts, in order, or C += it; C is m x n.
KERNEL THREADS(256) gemm_parts(float* RESTRICT c, int c_stride, const float* RESTRICT parts, int count,
                               const float* RESTRICT bias, int n, int accumulate, int total) {
  int i = block_index().x * 256 + thread_index().x;
  if (i >= total) return;
  float* to = c + (long long)(i / n) * c_stride + i % n;
  float sum = bias ? bias[i % n] : 0;
  if (accumulate) sum += *to;
  for (int z = 0; z < count; z++) sum += parts[(long long)z * total + i];
  *to = sum;
}
