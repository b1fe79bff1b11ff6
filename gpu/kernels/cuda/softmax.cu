// Softmax and its logarithm, with gradients: over the elements of each row, by a warp,
// and over the rows of each run, by a thread per column.
#include "functions.cuh"
#include "rows.cuh"

// What is normalised: count elements at regular distances. The lanes of a warp take
// turns in a row; in a run a thread has the column for itself.
struct Row {
  long long base;
  int count;
};
struct Column {
  long long base;
  int count, stride;
};

DEVICE int first(Row) { return thread_index().x; }
DEVICE int first(Column) { return 0; }
DEVICE int step(Row) { return 32; }
DEVICE int step(Column) { return 1; }
DEVICE long long at(Row v, int i) { return v.base + i; }
DEVICE long long at(Column v, int i) { return v.base + (long long)i * v.stride; }

// What the threads of a vector have found together. Not a number is lost in a
// maximum, but not in the sum of the exponentials.
DEVICE float sum_of(Row, float v) { return sum_of_warp(v); }
DEVICE float sum_of(Column, float v) { return v; }
DEVICE float max_of(Row, float v) { return max_of_warp(v); }
DEVICE float max_of(Column, float v) { return v; }

template <bool kLog, class Vector>
DEVICE void softmax(float* out, Vector to, const float* x, Vector from) {
  float top = float_of(0xff800000), sum = 0;
  for (int i = first(from); i < from.count; i += step(from)) top = max(top, x[at(from, i)]);
  top = max_of(from, top);
  for (int i = first(from); i < from.count; i += step(from)) {
    float shifted = x[at(from, i)] - top, e = exponential(shifted);
    sum += e;
    out[at(to, i)] = kLog ? shifted : e;
  }
  sum = sum_of(from, sum);
  float log_sum = kLog ? logarithm(sum) : 0;
  for (int i = first(from); i < from.count; i += step(from)) {
    float& v = out[at(to, i)];
    v = kLog ? v - log_sum : v / sum;
  }
}

// The gradient of the input, from the result y and the gradient g of it.
template <bool kLog, class Vector>
DEVICE void softmax_gradient(float* out, Vector to, const float* y, Vector result, const float* g, Vector from) {
  float sum = 0;
  for (int i = first(from); i < from.count; i += step(from)) {
    sum = kLog ? sum + g[at(from, i)] : fma(y[at(result, i)], g[at(from, i)], sum);
  }
  sum = sum_of(from, sum);
  for (int i = first(from); i < from.count; i += step(from)) {
    float p = y[at(result, i)], v = g[at(from, i)];
    out[at(to, i)] = kLog ? v - exponential(p) * sum : p * (v - sum);
  }
}

// out[r] = the softmax of x[r], or its logarithm, for r < n; out may be x.
#define SOFTMAX_ROWS(NAME, LOG)                                                                               \
  KERNEL THREADS(256) NAME##_rows(float* out, int out_stride, const float* x, int x_stride, int n, int width) { \
    long long r = row_number();                                                                               \
    if (r < n) softmax<LOG>(out, Row{r * out_stride, width}, x, Row{r * x_stride, width});                    \
  }                                                                                                           \
  KERNEL THREADS(256) NAME##_rows_gradient(float* out, int out_stride, const float* y, int y_stride,          \
                                           const float* g, int g_stride, int n, int width) {                  \
    long long r = row_number();                                                                               \
    if (r < n) softmax_gradient<LOG>(out, Row{r * out_stride, width}, y, Row{r * y_stride, width}, g,         \
                                     Row{r * g_stride, width});                                               \
  }

SOFTMAX_ROWS(softmax, false)
SOFTMAX_ROWS(log_softmax, true)

DEVICE Column column(Run run, int stride, int c) {
  return {(long long)run.first * stride + c, run.end - run.first, stride};
}

// out[j][c] = the softmax of x[j][c] over the rows j of a run, or its logarithm, for
// each of n runs; out may be x.
#define SOFTMAX_RUNS(NAME, LOG)                                                                                \
  KERNEL THREADS(256) NAME##_runs(float* out, int out_stride, const float* x, int x_stride, int rows,         \
                                  const int* RESTRICT start, int length, int n, int width) {                  \
    if (row_number() >= n) return;                                                                            \
    Run run = run_of(start, length, rows, row_number());                                                      \
    for (int c = first_column(); c < width; c += column_step()) {                                             \
      softmax<LOG>(out, column(run, out_stride, c), x, column(run, x_stride, c));                             \
    }                                                                                                         \
  }                                                                                                           \
  KERNEL THREADS(256) NAME##_runs_gradient(float* out, int out_stride, const float* y, int y_stride,          \
                                           const float* g, int g_stride, int rows, const int* RESTRICT start, \
                                           int length, int n, int width) {                                    \
    if (row_number() >= n) return;                                                                            \
    Run run = run_of(start, length, rows, row_number());                                                      \
    for (int c = first_column(); c < width; c += column_step()) {                                             \
      softmax_gradient<LOG>(out, column(run, out_stride, c), y, column(run, y_stride, c), g,                  \
                            column(run, g_stride, c));                                                        \
    }                                                                                                         \
  }

SOFTMAX_RUNS(softmax, false)
SOFTMAX_RUNS(log_softmax, true)
