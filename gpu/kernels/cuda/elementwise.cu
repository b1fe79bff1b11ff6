// Chains of element-wise operations.
#include "dialect.cuh"

// The functions below are sums, products and quotients of float32 only, without
// approximate instructions: their results have the same bits on every device. Their
// errors stay below 2.5 units in the last place, that of exp below 1.

// 2^n for -126 <= n <= 127.
DEVICE float power_of_two(int n) { return float_of(unsigned(n + 127) << 23); }

// exp(x) = 2^n exp(r) with |r| <= ln(2)/2, by the Taylor series of degree 7.
DEVICE float exponential(float x) {
  const float log2e = 1.44269504f, ln2_high = 0.693145752f, ln2_low = 1.42860677e-6f;
  if (x > 88.7228394f) return float_of(0x7f800000);
  if (x < -103.972084f) return 0;
  float n = round_to_even(x * log2e);
  float r = fma(n, -ln2_low, fma(n, -ln2_high, x));
  float p = 1.98412698e-4f;
  p = fma(p, r, 1.38888889e-3f);
  p = fma(p, r, 8.33333333e-3f);
  p = fma(p, r, 4.16666667e-2f);
  p = fma(p, r, 1.66666667e-1f);
  p = fma(p, r, 0.5f);
  p = fma(p, r, 1.0f);
  p = fma(p, r, 1.0f);
  // In two steps, because 2^n alone may be no normal number.
  int i = int(n), half = i >> 1;
  return p * power_of_two(half) * power_of_two(i - half);
}

// log(x) = e ln(2) + log(m) with sqrt(1/2) <= m < sqrt(2), by the series of atanh.
DEVICE float logarithm(float x) {
  if (!(x > 0)) return x == 0 ? float_of(0xff800000) : float_of(0x7fffffff);
  if (x == float_of(0x7f800000)) return x;
  int e = 0;
  if (x < 1.17549435e-38f) {
    x *= 8388608.0f;
    e = -23;
  }
  int shift = int(bits_of(x) - 0x3f3504f3u) >> 23;
  e += shift;
  float m = float_of(bits_of(x) - (unsigned(shift) << 23));
  float s = (m - 1) / (m + 1), z = s * s;
  float p = 0.222222222f;
  p = fma(p, z, 0.285714286f);
  p = fma(p, z, 0.4f);
  p = fma(p, z, 0.666666667f);
  float tail = fma(float(e), 1.42860677e-6f, s * z * p);
  return fma(float(e), 0.693145752f, fma(2.0f, s, tail));
}

DEVICE float sigmoid(float x) { return 1 / (1 + exponential(-x)); }

// tanh near zero by its series, elsewhere by exp, where nothing cancels.
DEVICE float hyperbolic_tangent(float x) {
  float a = abs(x);
  if (a >= 0.3f) return copy_sign(1 - 2 / (exponential(2 * a) + 1), x);
  float z = x * x;
  float p = -8.86323553e-3f;
  p = fma(p, z, 2.18694885e-2f);
  p = fma(p, z, -5.39682540e-2f);
  p = fma(p, z, 1.33333333e-1f);
  p = fma(p, z, -3.33333333e-1f);
  return fma(x * z, p, x);
}

// The operations of a chain, numbered as in chain.go.
enum Operation {
  kAdd, kSubtract, kSubtractFrom, kMultiply, kDivide, kDivideInto, kMinimum, kMaximum,
  kNegate, kAbsolute, kSquare, kSquareRoot, kExponential, kLogarithm, kSigmoid, kTanh, kRelu,
  kSigmoidGradient, kTanhGradient, kReluGradient,
};

// Step applies an operation to a running value v and an operand: element i of a
// buffer, element i modulo the period, or a constant.
struct Step {
  int operation;
  int operand;  // the number of a buffer; -1 for the constant
  int period;   // 0 for none
  float constant;
};

DEVICE float apply(int operation, float v, float o) {
  switch (operation) {
    case kAdd: return v + o;
    case kSubtract: return v - o;
    case kSubtractFrom: return o - v;
    case kMultiply: return v * o;
    case kDivide: return v / o;
    case kDivideInto: return o / v;
    case kMinimum: return min(v, o);
    case kMaximum: return max(v, o);
    case kNegate: return -v;
    case kAbsolute: return abs(v);
    case kSquare: return v * v;
    case kSquareRoot: return sqrt(v);
    case kExponential: return exponential(v);
    case kLogarithm: return logarithm(v);
    case kSigmoid: return sigmoid(v);
    case kTanh: return hyperbolic_tangent(v);
    case kRelu: return v > 0 ? v : 0;
    // v is the gradient of a result o of the function.
    case kSigmoidGradient: return v * o * (1 - o);
    case kTanhGradient: return v * fma(-o, o, 1.0f);
    case kReluGradient: return o > 0 ? v : 0;
  }
  return float_of(0x7fffffff);
}

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
