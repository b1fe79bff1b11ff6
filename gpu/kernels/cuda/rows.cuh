// Kernels over rows, of which a warp does one, and over runs: rows of a matrix that
// follow each other and belong together, as the elements of a list do. Of a run, a
// thread does one column. Blocks are 32 wide and 8 rows or runs high.
#pragma once
#include "dialect.cuh"

struct Run {
  int first, end;  // rows first <= j < end
};

// run_of returns run r of a matrix with so many rows: from start[r] to start[r+1] or,
// without starts, the r-th piece of the given length, the last one being shorter. A
// run outside of the matrix is a mistake of the program that must not go unseen.
DEVICE Run run_of(const int* start, int length, int rows, int r) {
  if (!start) {
    long long first = (long long)r * length, end = first + length;
    return {int(first < rows ? first : rows), int(end < rows ? end : rows)};
  }
  Run run = {start[r], start[r + 1]};
  if (run.first < 0 || run.end > rows) __builtin_trap();
  return run;
}

// The row or run of a thread.
DEVICE int row_number() { return block_index().x * 8 + thread_index().y; }

// The columns of a thread in a run are every column_step()-th from first_column().
DEVICE int first_column() { return block_index().y * 32 + thread_index().x; }
DEVICE int column_step() { return 32 * __nvvm_read_ptx_sreg_nctaid_y(); }

// The lanes of a warp get the same bits: sums and maxima do not depend on the order
// of two operands.
DEVICE float sum_of_warp(float v) {
  UNROLL for (int lanes = 16; lanes > 0; lanes /= 2) v += shuffle_xor(v, lanes);
  return v;
}
DEVICE float max_of_warp(float v) {
  UNROLL for (int lanes = 16; lanes > 0; lanes /= 2) v = max(v, shuffle_xor(v, lanes));
  return v;
}
