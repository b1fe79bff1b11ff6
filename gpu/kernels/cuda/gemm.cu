// Products of row-major float32 matrices, with strides in elements.
//
// A block of 256 threads computes a tile of 64 x 64, each thread 4 x 4 of it, in
// slices of 16 of the inner dimension. The next slice is on its way from global
// memory to registers while the present one is multiplied.
//
// Every element is one chain of fused multiply-adds in the order of the inner
// dimension, whatever the shape: its bits do not depend on the rows beside it.
#include "dialect.cuh"

constexpr int kTile = 64, kSlice = 16, kThreads = 256;
constexpr int kPerThread = kTile * kSlice / kThreads;
constexpr int kRow = kTile + 4;  // a row of a slice, padded against bank conflicts

struct Matrix {
  const float* data;
  int stride;
  const int* index;   // row r of the matrix is row index[r] in memory; null for r
  int index_limit;    // rows in memory, where there is an index
  int rows, columns;  // not transposed
};

// element reads an element, or zero beyond the edges and where an index is negative.
// An index that is too large is a mistake of the program that must not go unseen.
DEVICE float element(const Matrix& m, int row, int column) {
  if (row >= m.rows || column >= m.columns) return 0;
  if (m.index) {
    row = m.index[row];
    if (row >= m.index_limit) __builtin_trap();
  }
  return row < 0 ? 0 : m.data[(long long)row * m.stride + column];
}

// A slice has kTile elements along the outer dimension of the product and kSlice
// along the inner one. Outer says that the outer dimension is the one of rows in
// memory. Neighbouring threads read neighbouring columns.
template <bool kOuterRows>
struct Slice {
  DEVICE int outer(int n) {
    int i = thread_index().x + n * kThreads;
    return kOuterRows ? i / kSlice : i % kTile;
  }
  DEVICE int inner(int n) {
    int i = thread_index().x + n * kThreads;
    return kOuterRows ? i % kSlice : i / kTile;
  }
  DEVICE void fetch(float (&values)[kPerThread], const Matrix& m, int first_outer, int first_inner) {
    UNROLL for (int n = 0; n < kPerThread; n++) {
      int o = first_outer + outer(n), i = first_inner + inner(n);
      values[n] = kOuterRows ? element(m, o, i) : element(m, i, o);
    }
  }
  DEVICE void put(float (&slice)[kSlice][kRow], const float (&values)[kPerThread]) {
    UNROLL for (int n = 0; n < kPerThread; n++) slice[inner(n)][outer(n)] = values[n];
  }
};

// The sums of a thread begin with what is in C already, the bias, or both.
DEVICE float initial(const float* c, int c_stride, const float* bias, int row, int column, bool accumulate) {
  float v = bias ? bias[column] : 0;
  return accumulate ? c[(long long)row * c_stride + column] + v : v;
}

DEVICE void multiply(float (&sums)[4][4], const float (&a)[kSlice][kRow], const float (&b)[kSlice][kRow]) {
  int tx = thread_index().x % 16, ty = thread_index().x / 16;
  UNROLL for (int k = 0; k < kSlice; k++) {
    float4 x = *reinterpret_cast<const float4*>(&a[k][4 * ty]);
    float4 y = *reinterpret_cast<const float4*>(&b[k][4 * tx]);
    UNROLL for (int i = 0; i < 4; i++) {
      UNROLL for (int j = 0; j < 4; j++) sums[i][j] = fma(x[i], y[j], sums[i][j]);
    }
  }
}

template <bool kTransposeA, bool kTransposeB>
DEVICE void product(float* c, int c_stride, const Matrix& a, const Matrix& b, const float* bias, int m, int n, int k,
                    bool accumulate) {
  SHARED static float a_slice[kSlice][kRow] __attribute__((aligned(16)));
  SHARED static float b_slice[kSlice][kRow] __attribute__((aligned(16)));
  using A = Slice<!kTransposeA>;
  using B = Slice<kTransposeB>;
  int row = block_index().y * kTile, column = block_index().x * kTile;
  int my_row = row + thread_index().x / 16 * 4, my_column = column + thread_index().x % 16 * 4;
  float sums[4][4], a_values[kPerThread], b_values[kPerThread];
  UNROLL for (int i = 0; i < 4; i++) {
    UNROLL for (int j = 0; j < 4; j++) {
      bool inside = my_row + i < m && my_column + j < n;
      sums[i][j] = inside ? initial(c, c_stride, bias, my_row + i, my_column + j, accumulate) : 0;
    }
  }
  A::fetch(a_values, a, row, 0);
  B::fetch(b_values, b, column, 0);
  for (int first = 0; first < k; first += kSlice) {
    A::put(a_slice, a_values);
    B::put(b_slice, b_values);
    synchronize_block();
    if (first + kSlice < k) {
      A::fetch(a_values, a, row, first + kSlice);
      B::fetch(b_values, b, column, first + kSlice);
    }
    multiply(sums, a_slice, b_slice);
    synchronize_block();
  }
  UNROLL for (int i = 0; i < 4; i++) {
    UNROLL for (int j = 0; j < 4; j++) {
      if (my_row + i < m && my_column + j < n) c[(long long)(my_row + i) * c_stride + my_column + j] = sums[i][j];
    }
  }
}

// C = A B + bias, or C += A B + bias; C is m x n, the inner dimension k. A letter t
// says that the operand is transposed: A is then k x m, and B n x k. The index, if
// any, says in which of a_rows rows in memory each row of A, not transposed, lies.
#define GEMM(NAME, TA, TB)                                                                                            \
  KERNEL THREADS(kThreads) NAME(float* RESTRICT c, int c_stride, const float* RESTRICT a, int a_stride,               \
                                const int* RESTRICT index, int a_rows, const float* RESTRICT b, int b_stride,         \
                                const float* RESTRICT bias, int m, int n, int k, int accumulate) {                    \
    Matrix left = {a, a_stride, index, a_rows, TA ? k : m, TA ? m : k};                                               \
    Matrix right = {b, b_stride, nullptr, 0, TB ? n : k, TB ? k : n};                                                 \
    product<TA, TB>(c, c_stride, left, right, bias, m, n, k, accumulate != 0);                                        \
  }

GEMM(gemm_nn, false, false)
GEMM(gemm_nt, false, true)
GEMM(gemm_tn, true, false)
GEMM(gemm_tt, true, true)
