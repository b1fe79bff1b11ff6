// Layer normalisation of rows, and its gradient. A warp does a row.
#include "rows.cuh"

struct Moments {
  float mean, inverse;  // inverse is 1 / sqrt(variance + epsilon)
};

DEVICE Moments moments(const float* x, int width, float epsilon) {
  float sum = 0, squares = 0;
  for (int c = thread_index().x; c < width; c += 32) sum += x[c];
  float mean = sum_of_warp(sum) / float(width);
  for (int c = thread_index().x; c < width; c += 32) squares = fma(x[c] - mean, x[c] - mean, squares);
  return {mean, 1 / sqrt(sum_of_warp(squares) / float(width) + epsilon)};
}

// out[r][c] = (x[r][c] - mean(x[r])) / sqrt(variance(x[r]) + epsilon) * gain[c] +
// bias[c], for r < n. Without gain it is 1, without bias 0; out may be x.
KERNEL THREADS(256) layer_norm(float* out, int out_stride, const float* x, int x_stride, const float* RESTRICT gain,
                               const float* RESTRICT bias, float epsilon, int n, int width) {
  int r = row_number();
  if (r >= n) return;
  x += (long long)r * x_stride;
  out += (long long)r * out_stride;
  Moments m = moments(x, width, epsilon);
  for (int c = thread_index().x; c < width; c += 32) {
    float y = (x[c] - m.mean) * m.inverse;
    if (gain) y *= gain[c];
    if (bias) y += bias[c];
    out[c] = y;
  }
}

// The gradient of x from the gradient g of the result: with h = g * gain and y the
// normalised row, out = (h - mean(h) - y * mean(h * y)) / sqrt(variance + epsilon).
KERNEL THREADS(256) layer_norm_gradient(float* out, int out_stride, const float* x, int x_stride, const float* g,
                                        int g_stride, const float* RESTRICT gain, float epsilon, int n, int width) {
  int r = row_number();
  if (r >= n) return;
  x += (long long)r * x_stride;
  g += (long long)r * g_stride;
  out += (long long)r * out_stride;
  Moments m = moments(x, width, epsilon);
  float shift = 0, slope = 0;
  for (int c = thread_index().x; c < width; c += 32) {
    float h = gain ? g[c] * gain[c] : g[c];
    shift += h;
    slope = fma(h, (x[c] - m.mean) * m.inverse, slope);
  }
  shift = sum_of_warp(shift) / float(width);
  slope = sum_of_warp(slope) / float(width);
  for (int c = thread_index().x; c < width; c += 32) {
    float h = gain ? g[c] * gain[c] : g[c];
    out[c] = m.inverse * (h - shift - (x[c] - m.mean) * m.inverse * slope);
  }
}
