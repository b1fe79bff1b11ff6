// Products of matrices of which every element is one chain of fused multiply-adds in the
// order of the inner dimension, whatever the shape: its bits do not depend on the rows
// beside it.
#include "product.cuh"

// The sums of a thread begin with what is in C already, the bias, or both.
DEVICE float initial(const float* c, int c_stride, const float* bias, int row, int column, bool accumulate) {
  float v = bias ? bias[column] : 0;
  return accumulate ? c[(long long)row * c_stride + column] + v : v;
}

template <class T, bool kTransposeA, bool kTransposeB>
DEVICE void product(float* c, int c_stride, const Matrix& a, const Matrix& b, const float* bias, int m, int n, int k,
                    bool accumulate) {
  Place<T> at;
  float sums[T::kMine][4];
  UNROLL for (int i = 0; i < T::kMine; i++) {
    UNROLL for (int j = 0; j < 4; j++) {
      bool inside = at.row + i < m && at.column + j < n;
      sums[i][j] = inside ? initial(c, c_stride, bias, at.row + i, at.column + j, accumulate) : 0;
    }
  }
  add_products<T, kTransposeA, kTransposeB>(sums, a, b, 0, k);
  UNROLL for (int i = 0; i < T::kMine; i++) {
    UNROLL for (int j = 0; j < 4; j++) {
      if (at.row + i < m && at.column + j < n) c[(long long)(at.row + i) * c_stride + at.column + j] = sums[i][j];
    }
  }
}

// C = A B + bias, or C += A B + bias; C is m x n, the inner dimension k. A letter t
// says that the operand is transposed: A is then k x m, and B n x k. The index, if
// any, says in which of a_rows rows in memory each row of A, not transposed, lies.
#define GEMM(NAME, TILE, TA, TB)                                                                              \
  KERNEL BOUNDS(TILE) NAME(float* RESTRICT c, int c_stride, const float* RESTRICT a, int a_stride,            \
                           const int* RESTRICT index, int a_rows, const float* RESTRICT b, int b_stride,      \
                           const float* RESTRICT bias, int m, int n, int k, int accumulate) {                 \
    Matrix left = {a, a_stride, index, a_rows, TA ? k : m, TA ? m : k};                                       \
    Matrix right = {b, b_stride, nullptr, 0, TB ? n : k, TB ? k : n};                                         \
    product<TILE, TA, TB>(c, c_stride, left, right, bias, m, n, k, accumulate != 0);                          \
  }

GEMM(gemm_nn, Large, false, false)
GEMM(gemm_nt, Large, false, true)
GEMM(gemm_tn, Large, true, false)
GEMM(gemm_tt, Large, true, true)
GEMM(gemm_small_nn, Small, false, false)
GEMM(gemm_small_nt, Small, false, true)
