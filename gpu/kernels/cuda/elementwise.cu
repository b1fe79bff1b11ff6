// Chains of element-wise operations.
#include "operations.cuh"

// Step applies an operation to a running value v and an operand: element i of a
// buffer, element i modulo the period, or a constant.
struct Step {
  int operation;
  int operand;  // the number of a buffer; -1 for the constant
  int period;   // 0 for none
  float constant;
};

// out[i] = steps applied to x[i], for i < n. Out may be x or an operand.
KERNEL THREADS(256) chain(float* out, const float* x, const float* a, const float* b, const float* c, const float* d,
                          const Step* RESTRICT steps, int count, int n) {
  int i = block_index().x * 256 + thread_index().x;
  if (i >= n) return;
  float v = x[i];
  for (int s = 0; s < count; s++) {
    Step step = steps[s];
    float operand = step.constant;
    if (step.operand >= 0) {
      const float* buffer = step.operand == 0 ? a : step.operand == 1 ? b : step.operand == 2 ? c : d;
      operand = buffer[step.period > 0 ? i % step.period : i];
    }
    v = apply(step.operation, v, operand);
  }
  out[i] = v;
}
