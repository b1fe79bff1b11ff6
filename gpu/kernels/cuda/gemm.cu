// Products of row-major float32 matrices, with strides in elements.
//
// A block computes a tile of the result in slices of the inner dimension. The next
// slice is on its way from global memory to registers while the present one is
// multiplied.
//
// Every element is one chain of fused multiply-adds in the order of the inner
// dimension, whatever the shape: its bits do not depend on the rows beside it.
#include "dialect.cuh"

// Tile says how a block divides the work: a tile of so many rows and 64 columns, whose
// threads each have kMine x 4 elements of it, in slices of the inner dimension.
template <int kTileRows, int kSliceLength, int kBlockThreads, int kMinBlocks>
struct Tile {
  static constexpr int kRows = kTileRows, kColumns = 64, kSlice = kSliceLength, kThreads = kBlockThreads;
  static constexpr int kBlocks = kMinBlocks;  // that a multiprocessor has registers for
  static constexpr int kMine = kRows * kColumns / 4 / kThreads;
};

// The large tile reads each element of the operands least often, the small one makes
// work for the whole device of products with few rows. Their results have the same bits.
using Large = Tile<64, 16, 256, 2>;
using Small = Tile<16, 32, 128, 3>;

// A row of a slice is padded against bank conflicts.
constexpr int kPadding = 4;
// Slices are padded with zeros to a multiple of so many.
constexpr int kStep = 16;

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

// A slice has kOuter elements along the outer dimension of the product and T::kSlice
// along the inner one. Outer says that the outer dimension is the one of rows in
// memory. Neighbouring threads read neighbouring columns.
template <class T, int kOuter, bool kOuterRows>
struct Slice {
  static constexpr int kCount = kOuter * T::kSlice / T::kThreads;
  static constexpr int kRow = kOuter + kPadding;

  DEVICE int outer(int n) {
    int i = thread_index().x + n * T::kThreads;
    return kOuterRows ? i / T::kSlice : i % kOuter;
  }
  DEVICE int inner(int n) {
    int i = thread_index().x + n * T::kThreads;
    return kOuterRows ? i % T::kSlice : i / kOuter;
  }
  DEVICE void fetch(float (&values)[kCount], const Matrix& m, int first_outer, int first_inner) {
    UNROLL for (int n = 0; n < kCount; n++) {
      int o = first_outer + outer(n), i = first_inner + inner(n);
      values[n] = kOuterRows ? element(m, o, i) : element(m, i, o);
    }
  }
  DEVICE void put(float (&slice)[T::kSlice][kRow], const float (&values)[kCount]) {
    UNROLL for (int n = 0; n < kCount; n++) slice[inner(n)][outer(n)] = values[n];
  }
};

// The sums of a thread begin with what is in C already, the bias, or both.
DEVICE float initial(const float* c, int c_stride, const float* bias, int row, int column, bool accumulate) {
  float v = bias ? bias[column] : 0;
  return accumulate ? c[(long long)row * c_stride + column] + v : v;
}

template <int n>
using Vector = float __attribute__((ext_vector_type(n)));

// multiply adds the products of a slice, up to the step in which the matrices end.
template <class T, int kRowA, int kRowB>
DEVICE void multiply(float (&sums)[T::kMine][4], const float (&a)[T::kSlice][kRowA], const float (&b)[T::kSlice][kRowB],
                     int left) {
  int tx = thread_index().x % 16, ty = thread_index().x / 16;
  UNROLL for (int step = 0; step < T::kSlice; step += kStep) {
    if (step >= left) break;
    UNROLL for (int k = step; k < step + kStep; k++) {
      auto x = *reinterpret_cast<const Vector<T::kMine>*>(&a[k][T::kMine * ty]);
      float4 y = *reinterpret_cast<const float4*>(&b[k][4 * tx]);
      UNROLL for (int i = 0; i < T::kMine; i++) {
        UNROLL for (int j = 0; j < 4; j++) sums[i][j] = fma(x[i], y[j], sums[i][j]);
      }
    }
  }
}

template <class T, bool kTransposeA, bool kTransposeB>
DEVICE void product(float* c, int c_stride, const Matrix& a, const Matrix& b, const float* bias, int m, int n, int k,
                    bool accumulate) {
  using A = Slice<T, T::kRows, !kTransposeA>;
  using B = Slice<T, T::kColumns, kTransposeB>;
  SHARED static float a_slice[T::kSlice][A::kRow] __attribute__((aligned(16)));
  SHARED static float b_slice[T::kSlice][B::kRow] __attribute__((aligned(16)));
  int row = block_index().y * T::kRows, column = block_index().x * T::kColumns;
  int my_row = row + thread_index().x / 16 * T::kMine, my_column = column + thread_index().x % 16 * 4;
  float sums[T::kMine][4], a_values[A::kCount], b_values[B::kCount];
  UNROLL for (int i = 0; i < T::kMine; i++) {
    UNROLL for (int j = 0; j < 4; j++) {
      bool inside = my_row + i < m && my_column + j < n;
      sums[i][j] = inside ? initial(c, c_stride, bias, my_row + i, my_column + j, accumulate) : 0;
    }
  }
  A::fetch(a_values, a, row, 0);
  B::fetch(b_values, b, column, 0);
  for (int first = 0; first < k; first += T::kSlice) {
    A::put(a_slice, a_values);
    B::put(b_slice, b_values);
    synchronize_block();
    if (first + T::kSlice < k) {
      A::fetch(a_values, a, row, first + T::kSlice);
      B::fetch(b_values, b, column, first + T::kSlice);
    }
    multiply<T>(sums, a_slice, b_slice, k - first);
    synchronize_block();
  }
  UNROLL for (int i = 0; i < T::kMine; i++) {
    UNROLL for (int j = 0; j < 4; j++) {
      if (my_row + i < m && my_column + j < n) c[(long long)(my_row + i) * c_stride + my_column + j] = sums[i][j];
    }
  }
}

// C = A B + bias, or C += A B + bias; C is m x n, the inner dimension k. A letter t
// says that the operand is transposed: A is then k x m, and B n x k. The index, if
// any, says in which of a_rows rows in memory each row of A, not transposed, lies.
#define BOUNDS(TILE) __attribute__((launch_bounds(TILE::kThreads, TILE::kBlocks)))
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
