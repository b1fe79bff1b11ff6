// Sums, means, maxima and their places: of the elements of each row, by a warp, and
// of the rows of each run, by a thread per column. The order in which elements are
// combined depends on their number only.
#include "rows.cuh"

DEVICE int shuffle_xor(int v, int lanes) { return __nvvm_shfl_sync_bfly_i32(0xffffffff, v, lanes, 31); }

// Each reduction combines accumulators of type State, which start with none() and
// take up an element by its place.

template <class T>
struct Sum {
  using Element = T;
  using State = T;
  using Result = T;
  DEVICE State none() { return 0; }
  DEVICE State take(T v, int) { return v; }
  DEVICE State both(State a, State b) { return a + b; }
  DEVICE State exchange(State a, int lanes) { return shuffle_xor(a, lanes); }
  DEVICE Result result(State a, int) { return a; }
};

struct Mean : Sum<float> {
  DEVICE float result(float a, int count) { return a / float(count); }
};

// before reports whether a comes before b in the order of maxima, in which NaN is
// the largest.
DEVICE bool before(float a, float b) { return b > a || (b != b && a == a); }
DEVICE bool before(int a, int b) { return b > a; }

DEVICE void lowest(float& v) { v = float_of(0xff800000); }
DEVICE void lowest(int& v) { v = -0x7fffffff - 1; }

template <class T>
struct Max : Sum<T> {
  DEVICE T none() {
    T v;
    lowest(v);
    return v;
  }
  DEVICE T both(T a, T b) { return before(a, b) ? b : a; }
};

// The place of the first of the largest elements; -1 if there are none.
struct Place {
  float value;
  int at;
};
struct ArgMax {
  using Element = float;
  using State = Place;
  using Result = int;
  DEVICE State none() { return {float_of(0xff800000), -1}; }
  DEVICE State take(float v, int at) { return {v, at}; }
  DEVICE State both(State a, State b) {
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    bool tie = !before(a.value, b.value) && !before(b.value, a.value);
    return before(a.value, b.value) || (tie && b.at < a.at) ? b : a;
  }
  DEVICE State exchange(State a, int lanes) { return {shuffle_xor(a.value, lanes), shuffle_xor(a.at, lanes)}; }
  DEVICE Result result(State a, int) { return a.at; }
};

template <class R>
DEVICE void reduce_row(typename R::Result* out, const typename R::Element* x, int stride, int n, int width) {
  int r = row_number();
  if (r >= n) return;
  x += (long long)r * stride;
  typename R::State v = R::none();
  for (int c = thread_index().x; c < width; c += 32) v = R::both(v, R::take(x[c], c));
  UNROLL for (int lanes = 16; lanes > 0; lanes /= 2) v = R::both(v, R::exchange(v, lanes));
  if (thread_index().x == 0) out[r] = R::result(v, width);
}

// out[r] = the reduction of x[r][c] over c < width, for r < n.
#define REDUCE_ROWS(NAME, REDUCTION)                                                                             \
  KERNEL THREADS(256) NAME(REDUCTION::Result* RESTRICT out, const REDUCTION::Element* RESTRICT x, int x_stride, \
                           int n, int width) {                                                                  \
    reduce_row<REDUCTION>(out, x, x_stride, n, width);                                                          \
  }

REDUCE_ROWS(sum_rows, Sum<float>)
REDUCE_ROWS(mean_rows, Mean)
REDUCE_ROWS(max_rows, Max<float>)
REDUCE_ROWS(argmax_rows, ArgMax)
REDUCE_ROWS(sum_rows_of_integers, Sum<int>)
REDUCE_ROWS(max_rows_of_integers, Max<int>)

template <class R>
DEVICE void reduce_run(typename R::Result* out, int out_stride, const typename R::Element* x, int x_stride, int rows,
                       const int* start, int length, int n, int width, bool accumulate) {
  int r = row_number();
  if (r >= n) return;
  Run run = run_of(start, length, rows, r);
  for (int c = first_column(); c < width; c += column_step()) {
    typename R::Result* to = out + (long long)r * out_stride + c;
    typename R::State v = R::none();
    if constexpr (__is_same(typename R::Result, typename R::State)) {
      if (accumulate) v = *to;
    }
    for (int j = run.first; j < run.end; j++) v = R::both(v, R::take(x[(long long)j * x_stride + c], j - run.first));
    *to = R::result(v, run.end - run.first);
  }
}

// out[r][c] = the reduction of x[j][c] over the rows j of run r, for r < n. Sums and
// maxima can begin with what is in out.
#define REDUCE_RUNS(NAME, REDUCTION)                                                                               \
  KERNEL THREADS(256) NAME(REDUCTION::Result* RESTRICT out, int out_stride, const REDUCTION::Element* RESTRICT x, \
                           int x_stride, int rows, const int* RESTRICT start, int length, int n, int width,       \
                           int accumulate) {                                                                      \
    reduce_run<REDUCTION>(out, out_stride, x, x_stride, rows, start, length, n, width, accumulate != 0);          \
  }

REDUCE_RUNS(sum_runs, Sum<float>)
REDUCE_RUNS(mean_runs, Mean)
REDUCE_RUNS(max_runs, Max<float>)
REDUCE_RUNS(argmax_runs, ArgMax)
REDUCE_RUNS(sum_runs_of_integers, Sum<int>)
REDUCE_RUNS(max_runs_of_integers, Max<int>)

// out[r][c] = value[r] where c == place[r], else 0; for r < n, c < width. Without
// values the value is 1.
KERNEL THREADS(256) place_in_rows(float* RESTRICT out, int out_stride, const int* RESTRICT place,
                                  const float* RESTRICT value, int n, int width) {
  int r = row_number();
  if (r >= n) return;
  int at = place[r];
  if (at < 0 || at >= width) __builtin_trap();
  float v = value ? value[r] : 1;
  for (int c = thread_index().x; c < width; c += 32) out[(long long)r * out_stride + c] = c == at ? v : 0;
}

// out[j][c] = value[r][c] where j is the place[r][c]-th row of run r, else 0; for the
// rows j of the runs r < n.
KERNEL THREADS(256) place_in_runs(float* RESTRICT out, int out_stride, int rows, const int* RESTRICT place,
                                  int place_stride, const float* RESTRICT value, int value_stride,
                                  const int* RESTRICT start, int length, int n, int width) {
  int r = row_number();
  if (r >= n) return;
  Run run = run_of(start, length, rows, r);
  for (int c = first_column(); c < width; c += column_step()) {
    int at = place[(long long)r * place_stride + c];
    float v = value[(long long)r * value_stride + c];
    for (int j = run.first; j < run.end; j++) out[(long long)j * out_stride + c] = j - run.first == at ? v : 0;
  }
}
