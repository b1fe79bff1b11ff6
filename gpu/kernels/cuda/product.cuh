// Products of row-major float32 matrices, with strides in elements.
//
// A block computes a tile of the result in slices of the inner dimension. The next
// slice is on its way from global memory to registers while the present one is
// multiplied.
#pragma once
#include "tile.cuh"

// Tile says how a block divides the work: a tile of so many rows and 64 columns, whose
// threads each have kMine x 4 elements of it, in slices of the inner dimension.
template <int kTileRows, int kSliceLength, int kBlockThreads, int kMinBlocks>
struct Tile {
  static constexpr int kRows = kTileRows, kColumns = 64, kSlice = kSliceLength, kThreads = kBlockThreads;
  static constexpr int kBlocks = kMinBlocks;  // that a multiprocessor has registers for
  static constexpr int kMine = kRows * kColumns / 4 / kThreads;
};

// The large tile reads each element of the operands least often, the small one makes
// work for the whole device of products with few rows. Their sums have the same bits.
using Large = Tile<64, 16, 256, 2>;
using Small = Tile<16, 32, 128, 3>;

// A row of a slice is padded against bank conflicts.
constexpr int kPadding = 4;
// Slices are padded with zeros to a multiple of so many.
constexpr int kStep = 16;

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

// Place is where the elements of a thread begin.
template <class T>
struct Place {
  int row = block_index().y * T::kRows + thread_index().x / 16 * T::kMine;
  int column = block_index().x * T::kColumns + thread_index().x % 16 * 4;
};

// add_products adds the products of the inner dimension from first to end, which is a
// multiple of the slice behind first or where the matrices end.
template <class T, bool kTransposeA, bool kTransposeB>
DEVICE void add_products(float (&sums)[T::kMine][4], const Matrix& a, const Matrix& b, int first, int end) {
  using A = Slice<T, T::kRows, !kTransposeA>;
  using B = Slice<T, T::kColumns, kTransposeB>;
  SHARED static float a_slice[T::kSlice][A::kRow] __attribute__((aligned(16)));
  SHARED static float b_slice[T::kSlice][B::kRow] __attribute__((aligned(16)));
  int row = block_index().y * T::kRows, column = block_index().x * T::kColumns;
  float a_values[A::kCount], b_values[B::kCount];
  A::fetch(a_values, a, row, first);
  B::fetch(b_values, b, column, first);
  for (; first < end; first += T::kSlice) {
    A::put(a_slice, a_values);
    B::put(b_slice, b_values);
    synchronize_block();
    if (first + T::kSlice < end) {
      A::fetch(a_values, a, row, first + T::kSlice);
      B::fetch(b_values, b, column, first + T::kSlice);
    }
    multiply<T>(sums, a_slice, b_slice, end - first);
    synchronize_block();
  }
}

#define BOUNDS(TILE) __attribute__((launch_bounds(TILE::kThreads, TILE::kBlocks)))
