// The gradient of maxima.
#include "rows.cuh"

// out[j][c] = g[r][c] in the first row j of run r where x[j][c] is y[r][c], its maximum,
// and 0 in the other rows, for r < n. A run is so many rows for each of those from
// start[r] to start[r+1] or, without starts, for run r.
KERNEL THREADS(256) max_gradient(float* RESTRICT out, const float* RESTRICT x, const float* RESTRICT y,
                                 const float* RESTRICT g, const int* RESTRICT start, int length, int rows, int n,
                                 int width) {
  int r = row_number();
  if (r >= n) return;
  Run run = {r, r + 1};
  if (start) run = run_of(start, 0, rows, r);
  for (int c = first_column(); c < width; c += column_step()) {
    float top = y[(long long)r * width + c], rest = g[(long long)r * width + c];
    long long end = (long long)run.end * length * width;
    for (long long j = (long long)run.first * length * width + c; j < end; j += width) {
      bool found = x[j] == top || (x[j] != x[j] && top != top);
      out[j] = found ? rest : 0;
      if (found) rest = 0;
    }
  }
}
