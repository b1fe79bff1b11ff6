// Elements along the first axis of rows or lists, picked by the integers of another
// operand, and the reverse: elements that are added to picked places. An element is a
// number of words that lie together.
#include "rows.cuh"

// The element that an integer names must be one of n.
DEVICE int checked(int at, int n) {
  if (at < 0 || at >= n) __builtin_trap();
  return at;
}

DEVICE long long row_at(const int* index, int r, int stride) { return (long long)(index ? index[r] : r) * stride; }

// out[r][k] = x[r][at[r][k]] for r < n, k < count, elements of width words. Without
// starts, row r of x holds so many elements; with them it is the list of the rows from
// start[r] to start[r+1], of so many in all, and each of these is an element.
KERNEL THREADS(256) pick(unsigned* RESTRICT out, int out_stride, const unsigned* RESTRICT x, const int* RESTRICT x_index,
                         int x_stride, const int* RESTRICT at, const int* RESTRICT at_index, int at_stride,
                         const int* RESTRICT start, int elements, int n, int count, int width) {
  int q = row_number();
  if (q >= n * count) return;
  int r = q / count, k = q % count, i = at[row_at(at_index, r, at_stride) + k];
  if (start) {
    Run run = run_of(start, 0, elements, r);
    x += row_at(x_index, run.first + checked(i, run.end - run.first), x_stride);
  } else {
    x += row_at(x_index, r, x_stride) + (long long)checked(i, elements) * width;
  }
  out += (long long)r * out_stride + (long long)k * width;
  for (int c = thread_index().x; c < width; c += 32) out[c] = x[c];
}

// out[r][at[j][k]] += x[j][k], one after the other, for r < n, the rows j that belong to
// r, and k < count; elements of width words. A thread does a column of an element.
// Without starts, j is r, and row r of out holds so many elements. With them and
// into_lists, the elements of out[r] are the rows from start[r] to start[r+1], of so
// many in all, and j is r; without into_lists it is the other way round.
KERNEL THREADS(256) scatter(float* out, int out_stride, const float* RESTRICT x, const int* RESTRICT x_index,
                            int x_stride, const int* RESTRICT at, const int* RESTRICT at_index, int at_stride,
                            const int* RESTRICT start, int rows, int into_lists, int elements, int n, int count,
                            int width) {
  int r = row_number();
  if (r >= n) return;
  Run list = {r, r + 1};
  if (start) list = run_of(start, 0, rows, r);
  Run from = into_lists ? Run{r, r + 1} : list;
  long long step = width;
  if (into_lists) {
    out += (long long)list.first * out_stride;
    elements = list.end - list.first;
    step = out_stride;
  } else {
    out += (long long)r * out_stride;
  }
  for (int c = first_column(); c < width; c += column_step()) {
    for (int j = from.first; j < from.end; j++) {
      long long source = row_at(x_index, j, x_stride) + c, place = row_at(at_index, j, at_stride);
      for (int k = 0; k < count; k++) {
        out[checked(at[place + k], elements) * step + c] += x[source + (long long)k * width];
      }
    }
  }
}
