// Products of row-major float32 matrices with a small result and a long inner
// dimension, which is cut into slices so that there is work for the whole device.
//
// A block of 256 threads computes the sum over one slice for a tile of 32 x 32, each
// thread 2 x 2 of it. The sums of the slices then either are written down, to be added
// in order, or are added at once and in any order.
#include "tile.cuh"

constexpr int kTile = 32, kThreads = 256, kRow = kTile + 1;  // padded against bank conflicts

struct Sums {
  float at[2][2];
};

// multiply adds the products of a slice of 32 of the inner dimension. The thread has
// rows y and y + 16, columns x and x + 16.
template <bool kTransposeA, bool kTransposeB>
DEVICE void multiply(Sums& sums, const float (&a)[kTile][kRow], const float (&b)[kTile][kRow]) {
  int x = thread_index().x % 16, y = thread_index().x / 16;
  _Pragma("unroll 8") for (int k = 0; k < kTile; k++) {
    float p[2], q[2];
    UNROLL for (int i = 0; i < 2; i++) {
      p[i] = kTransposeA ? a[k][y + 16 * i] : a[y + 16 * i][k];
      q[i] = kTransposeB ? b[x + 16 * i][k] : b[k][x + 16 * i];
    }
    UNROLL for (int i = 0; i < 2; i++) {
      UNROLL for (int j = 0; j < 2; j++) sums.at[i][j] = fma(p[i], q[j], sums.at[i][j]);
    }
  }
}

template <bool kTransposeA, bool kTransposeB>
DEVICE void product(float* c, int c_stride, const Matrix& a, const Matrix& b, int m, int n, int first, int end,
                    bool atomic) {
  SHARED static float a_tile[kTile][kRow];
  SHARED static float b_tile[kTile][kRow];
  int row = block_index().y * kTile, column = block_index().x * kTile;
  Sums sums = {};
  for (int k = first; k < end; k += kTile) {
    // Slices are whole tiles, but for the last one, which ends with the matrices.
    load<kThreads, kTile, kTile, kRow>(a_tile, a, kTransposeA ? k : row, kTransposeA ? row : k);
    load<kThreads, kTile, kTile, kRow>(b_tile, b, kTransposeB ? column : k, kTransposeB ? k : column);
    synchronize_block();
    multiply<kTransposeA, kTransposeB>(sums, a_tile, b_tile);
    synchronize_block();
  }
  UNROLL for (int i = 0; i < 2; i++) {
    UNROLL for (int j = 0; j < 2; j++) {
      int r = row + thread_index().x / 16 + 16 * i, s = column + thread_index().x % 16 + 16 * j;
      if (r >= m || s >= n) continue;
      float* to = c + (long long)r * c_stride + s;
      if (atomic) atomic_add(to, sums.at[i][j]);
      else *to = sums.at[i][j];
    }
  }
}

// The sum over the slice of the inner dimension from z * slice on, z being the third
// index of the block: added to C at once, or written to part z of the dense array
// parts. C is m x n, the inner dimension k, and slice a multiple of 32. A letter t says
// that the operand is transposed: A is then k x m, and B n x k. The index, if any, says
// in which of index_limit rows in memory each of a_rows rows of A, as it lies in
// memory, is.
#define SPLIT(NAME, TA, TB)                                                                                       \
  KERNEL THREADS(kThreads) NAME(float* RESTRICT c, int c_stride, float* RESTRICT parts, const float* RESTRICT a, \
                                int a_stride, const int* RESTRICT index, int index_limit,                        \
                                const float* RESTRICT b, int b_stride, int m, int n, int k, int slice) {         \
    int z = block_index().z, end = k - z * slice < slice ? k : (z + 1) * slice;                                  \
    Matrix left = {a, a_stride, index, index_limit, TA ? k : m, TA ? m : k};                                     \
    Matrix right = {b, b_stride, nullptr, 0, TB ? n : k, TB ? k : n};                                            \
    if (parts) product<TA, TB>(parts + (long long)z * m * n, n, left, right, m, n, z * slice, end, false);       \
    else product<TA, TB>(c, c_stride, left, right, m, n, z * slice, end, true);                                  \
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
