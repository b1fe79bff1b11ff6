// Steps of optimisers: weights w change by their gradient g and by what the optimiser
// keeps of them. The gradient is dense, or it is that of some rows. As on the CPU, a
// product is rounded before something is added to it.
#include "dialect.cuh"

// Each kernel changes elements i < n: with rows, element i of the gradient is that of
// element i % width of row rows[i / width] of the weights, and no two rows are equal.
DEVICE long long weight(const int* rows, int limit, int width, int i) {
  if (!rows) return i;
  int row = rows[i / width];
  if (row < 0 || row >= limit) __builtin_trap();
  return (long long)row * width + i % width;
}

// The gradient of the loss with the penalty l2/2 w^2.
DEVICE float penalised(float g, float l2, float w) { return l2 != 0 ? g + l2 * w : g; }

// w -= rate * g
KERNEL THREADS(256) sgd(float* RESTRICT w, const float* RESTRICT g, const int* RESTRICT rows, int limit, int width,
                        int n, float rate, float l2) {
  int i = block_index().x * 256 + thread_index().x;
  if (i >= n) return;
  long long at = weight(rows, limit, width, i);
  w[at] -= rate * penalised(g[i], l2, w[at]);
}

// v = decay * v + g; w -= rate * v
KERNEL THREADS(256) momentum(float* RESTRICT w, float* RESTRICT v, const float* RESTRICT g, const int* RESTRICT rows,
                             int limit, int width, int n, float rate, float decay, float l2) {
  int i = block_index().x * 256 + thread_index().x;
  if (i >= n) return;
  long long at = weight(rows, limit, width, i);
  float speed = decay * v[at] + penalised(g[i], l2, w[at]);
  v[at] = speed;
  w[at] -= rate * speed;
}

// sum += g^2; w -= rate * g / (sqrt(sum) + epsilon)
KERNEL THREADS(256) adagrad(float* RESTRICT w, float* RESTRICT sum, const float* RESTRICT g, const int* RESTRICT rows,
                            int limit, int width, int n, float rate, float epsilon, float l2) {
  int i = block_index().x * 256 + thread_index().x;
  if (i >= n) return;
  long long at = weight(rows, limit, width, i);
  float x = penalised(g[i], l2, w[at]), total = sum[at] + x * x;
  sum[at] = total;
  w[at] -= rate * x / (sqrt(total) + epsilon);
}

// m = beta1 * m + rest1 * g; v = beta2 * v + rest2 * g^2
// w -= rate * m / (sqrt(v * correct2) + epsilon)
KERNEL THREADS(256) adam(float* RESTRICT w, float* RESTRICT m, float* RESTRICT v, const float* RESTRICT g,
                         const int* RESTRICT rows, int limit, int width, int n, float rate, float beta1, float rest1,
                         float beta2, float rest2, float correct2, float epsilon, float l2) {
  int i = block_index().x * 256 + thread_index().x;
  if (i >= n) return;
  long long at = weight(rows, limit, width, i);
  float x = penalised(g[i], l2, w[at]);
  float mean = beta1 * m[at] + rest1 * x, square = beta2 * v[at] + rest2 * (x * x);
  m[at] = mean;
  v[at] = square;
  w[at] -= rate * mean / (sqrt(square * correct2) + epsilon);
}
