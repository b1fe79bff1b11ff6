// Products of row-major float32 matrices on tensor cores: factors are rounded to the
// nearest tf32 (11 significant bits) or bf16 (8), sums are float32.
//
// A block of 8 warps computes a tile of 64 x 64, each warp 32 x 16 of it, in slices of
// 32 of the inner dimension. The inner dimension can be cut for more blocks.
#include "tile.cuh"

constexpr int kTile = 64, kSlice = 32, kThreads = 256;

// Three blocks on a multiprocessor hide each other's loads. Without a number, the
// assembler spills registers for a fourth.
#define BLOCK __attribute__((launch_bounds(kThreads, 3)))

// Tiles lie as the matrices do. Their strides keep the 32 reads of a fragment, 8 places
// along the outer dimension by 4 along the inner one, in different banks.
constexpr int kLongRow = kTile + 8, kShortRow = kSlice + 4;

template <bool kOuterRows>
struct Tile {
  float at[kTile][kShortRow];
  DEVICE void load_from(Tile& tile, const Matrix& m, int outer, int inner) {
    load<kThreads, kTile, kSlice, kShortRow>(tile.at, m, outer, inner);
  }
  DEVICE float get(const Tile& tile, int outer, int inner) { return tile.at[outer][inner]; }
};

template <>
struct Tile<false> {
  float at[kSlice][kLongRow];
  DEVICE void load_from(Tile& tile, const Matrix& m, int outer, int inner) {
    load<kThreads, kSlice, kTile, kLongRow>(tile.at, m, inner, outer);
  }
  DEVICE float get(const Tile& tile, int outer, int inner) { return tile.at[inner][outer]; }
};

// Precisions: how many elements of the inner dimension a register holds, how they are
// rounded, and the instruction that adds the product of a 16 x 8c and an 8c x 8 matrix,
// where c is that number. What a lane holds is said where it is read.

struct TF32 {
  static constexpr int kCount = 1;
  template <class T>
  DEVICE unsigned pack(const T& tile, int outer, int inner) {
    unsigned rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(T::get(tile, outer, inner)));
    return rounded;
  }
  DEVICE void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

struct BF16 {
  static constexpr int kCount = 2;
  template <class T>
  DEVICE unsigned pack(const T& tile, int outer, int inner) {
    unsigned rounded;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;"  // the upper half first
        : "=r"(rounded) : "f"(T::get(tile, outer, inner + 1)), "f"(T::get(tile, outer, inner)));
    return rounded;
  }
  DEVICE void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

// Sums are a warp's 32 x 16 of C: two by two fragments of 16 x 8. Of each, lane 4g+t has
// rows g and g+8 of columns 2t and 2t+1.
struct Sums {
  float at[2][2][4];
};

// add adds the products of a slice. Of A, lane 4g+t reads rows g and g+8 of columns ct
// and c(t+4), of B the same places of the inner dimension in column g.
template <class Precision, class A, class B>
DEVICE void add(Sums& sums, const A& a, const B& b, int row, int column) {
  constexpr int kCount = Precision::kCount;
  int g = thread_index().x % 32 / 4, t = thread_index().x % 4;
  UNROLL for (int k = kCount * t; k < kSlice + kCount * t; k += 8 * kCount) {
    unsigned x[2][4], y[2][2];
    UNROLL for (int i = 0; i < 2; i++) {
      x[i][0] = Precision::pack(a, row + 16 * i + g, k);
      x[i][1] = Precision::pack(a, row + 16 * i + g + 8, k);
      x[i][2] = Precision::pack(a, row + 16 * i + g, k + 4 * kCount);
      x[i][3] = Precision::pack(a, row + 16 * i + g + 8, k + 4 * kCount);
      y[i][0] = Precision::pack(b, column + 8 * i + g, k);
      y[i][1] = Precision::pack(b, column + 8 * i + g, k + 4 * kCount);
    }
    UNROLL for (int i = 0; i < 2; i++) {
      UNROLL for (int j = 0; j < 2; j++) Precision::multiply(sums.at[i][j], x[i], y[j]);
    }
  }
}

// What becomes of the sums: the result, an addition to C, or one in any order.
enum Mode { kWrite, kAccumulate, kAtomic };

DEVICE void put(float* c, float v, const float* bias, int column, int mode) {
  if (mode == kAtomic) {
    atomic_add(c, v);
    return;
  }
  if (bias) v += bias[column];
  *c = mode == kAccumulate ? *c + v : v;
}

template <class Precision, bool kTransposeA, bool kTransposeB>
DEVICE void product(float* c, int c_stride, const Matrix& a, const Matrix& b, const float* bias, int m, int n,
                    int first, int end, int mode) {
  using A = Tile<!kTransposeA>;
  using B = Tile<kTransposeB>;
  SHARED static A a_tile;
  SHARED static B b_tile;
  int warp = thread_index().x / 32, lane = thread_index().x % 32;
  int row = block_index().y * kTile, column = block_index().x * kTile;
  int my_row = warp / 4 * 32, my_column = warp % 4 * 16;
  Sums sums = {};
  for (int k = first; k < end; k += kSlice) {
    A::load_from(a_tile, a, row, k);
    B::load_from(b_tile, b, column, k);
    synchronize_block();
    add<Precision>(sums, a_tile, b_tile, my_row, my_column);
    synchronize_block();
  }
  UNROLL for (int i = 0; i < 2; i++) {
    UNROLL for (int j = 0; j < 2; j++) {
      UNROLL for (int e = 0; e < 4; e++) {
        int r = row + my_row + 16 * i + lane / 4 + e / 2 * 8, s = column + my_column + 8 * j + lane % 4 * 2 + e % 2;
        if (r < m && s < n) put(c + (long long)r * c_stride + s, sums.at[i][j][e], bias, s, mode);
      }
    }
  }
}

// The sum over the slice of the inner dimension from z * slice on, z being the third
// index of the block: with the bias, if any, to C, m x n, as the mode says, or to part z
// of the dense array parts. The inner dimension is k, and slice a multiple of 32. A letter t
// says that the operand is transposed: A is then k x m, and B n x k. The index, if any,
// says in which of index_limit rows in memory each row of A, as it lies there, is.
#define TENSOR(NAME, PRECISION, TA, TB)                                                                          \
  KERNEL BLOCK NAME(float* RESTRICT c, int c_stride, float* RESTRICT parts, const float* RESTRICT a,             \
                                int a_stride, const int* RESTRICT index, int index_limit,                        \
                                const float* RESTRICT b, int b_stride, const float* RESTRICT bias, int m, int n, \
                                int k, int slice, int mode) {                                                    \
    int z = block_index().z, end = k - z * slice < slice ? k : (z + 1) * slice;                                  \
    Matrix left = {a, a_stride, index, index_limit, TA ? k : m, TA ? m : k};                                     \
    Matrix right = {b, b_stride, nullptr, 0, TB ? n : k, TB ? k : n};                                            \
    float* to = parts ? parts + (long long)z * m * n : c;                                                        \
    product<PRECISION, TA, TB>(to, parts ? n : c_stride, left, right, bias, m, n, z * slice, end,                \
                               parts ? int(kWrite) : mode);                                                      \
  }

TENSOR(gemm_tf32_nn, TF32, false, false)
TENSOR(gemm_tf32_nt, TF32, false, true)
TENSOR(gemm_tf32_tn, TF32, true, false)
TENSOR(gemm_tf32_tt, TF32, true, true)
TENSOR(gemm_bf16_nn, BF16, false, false)
TENSOR(gemm_bf16_nt, BF16, false, true)
TENSOR(gemm_bf16_tn, BF16, true, false)
TENSOR(gemm_bf16_tt, BF16, true, true)
