// The cross-entropy of rows of logits with labels, and its gradient. A warp does a row.
#include "functions.cuh"
#include "rows.cuh"

// Partition is what the probabilities exp(x - top) / sum of a row have in common.
struct Partition {
  float top, sum;
};

DEVICE Partition partition(const float* x, int width) {
  float top = float_of(0xff800000), sum = 0;
  for (int c = thread_index().x; c < width; c += 32) top = max(top, x[c]);
  top = max_of_warp(top);
  for (int c = thread_index().x; c < width; c += 32) sum += exponential(x[c] - top);
  return {top, sum_of_warp(sum)};
}

// label_of reads a label; one that is no class must not go unseen.
DEVICE int label_of(const int* label, int r, int width) {
  int at = label[r];
  if (at < 0 || at >= width) __builtin_trap();
  return at;
}

// loss[r] = -log(softmax(x[r])[label[r]]), for r < n.
KERNEL THREADS(256) cross_entropy(float* RESTRICT loss, const float* RESTRICT x, int x_stride,
                                  const int* RESTRICT label, int n, int width) {
  int r = row_number();
  if (r >= n) return;
  int at = label_of(label, r, width);
  x += (long long)r * x_stride;
  Partition p = partition(x, width);
  // No probability is formed: it would be 0 for a logit far below the largest.
  if (thread_index().x == 0) loss[r] = logarithm(p.sum) + (p.top - x[at]);
}

// out[r] = g[r] * (softmax(x[r]) - one_hot(label[r])), for r < n; out may be x.
KERNEL THREADS(256) cross_entropy_gradient(float* out, int out_stride, const float* x, int x_stride,
                                           const int* RESTRICT label, const float* RESTRICT g, int n, int width) {
  int r = row_number();
  if (r >= n) return;
  int at = label_of(label, r, width);
  x += (long long)r * x_stride;
  out += (long long)r * out_stride;
  Partition p = partition(x, width);
  float scale = g[r] / p.sum;
  for (int c = thread_index().x; c < width; c += 32) {
    float v = exponential(x[c] - p.top) * scale;
    out[c] = c == at ? v - g[r] : v;
  }
}
