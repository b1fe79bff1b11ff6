// Tiles of row-major float32 matrices in shared memory, for products that read them in
// slices of 32 of the inner dimension.
#pragma once
#include "dialect.cuh"

struct Matrix {
  const float* data;
  int stride;
  const int* index;   // row r of the matrix is row index[r] in memory; null for r
  int index_limit;    // rows in memory, where there is an index
  int rows, columns;  // in memory
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

// load fills a tile from the part of a matrix that begins at a row and a column; rows
// of the matrix are rows of the tile. Neighbouring threads read neighbouring columns.
template <int kThreads, int kRows, int kColumns, int kStride>
DEVICE void load(float (&tile)[kRows][kStride], const Matrix& m, int row, int column) {
  static_assert(kRows * kColumns % kThreads == 0 && kColumns < kStride, "tile");
  _Pragma("unroll 4") for (int i = thread_index().x; i < kRows * kColumns; i += kThreads) {
    tile[i / kColumns][i % kColumns] = element(m, row + i / kColumns, column + i % kColumns);
  }
}
