// Element-wise operations that chains of float32 do not have: on integers and truth
// values, comparisons, conversions and choices. Truth values are 0 and 1.
#include "dialect.cuh"

// Operations, numbered as in words.go.
enum Operation {
  kAdd, kSubtract, kMultiply, kDivide, kRemainder, kMinimum, kMaximum, kAnd, kOr, kXor,
  kLess, kLessEqual, kEqual, kNotEqual,
  kFloatLess, kFloatLessEqual, kFloatEqual, kFloatNotEqual,
};

// Sums, differences and products wrap around, as in Go. So does the quotient of the
// smallest integer and -1. Division by zero is a mistake that must not go unseen.
DEVICE int quotient(int x, int y) {
  if (y == 0) __builtin_trap();
  return y == -1 ? int(0u - unsigned(x)) : x / y;
}
DEVICE int remainder(int x, int y) {
  if (y == 0) __builtin_trap();
  return y == -1 ? 0 : x % y;
}

DEVICE int apply(int operation, int x, int y) {
  float a = float_of(unsigned(x)), b = float_of(unsigned(y));
  switch (operation) {
    case kAdd: return int(unsigned(x) + unsigned(y));
    case kSubtract: return int(unsigned(x) - unsigned(y));
    case kMultiply: return int(unsigned(x) * unsigned(y));
    case kDivide: return quotient(x, y);
    case kRemainder: return remainder(x, y);
    case kMinimum: return x < y ? x : y;
    case kMaximum: return x > y ? x : y;
    case kAnd: return x & y;
    case kOr: return x | y;
    case kXor: return x ^ y;
    case kLess: return x < y;
    case kLessEqual: return x <= y;
    case kEqual: return x == y;
    case kNotEqual: return x != y;
    case kFloatLess: return a < b;
    case kFloatLessEqual: return a <= b;
    case kFloatEqual: return a == b;
    case kFloatNotEqual: return a != b;
  }
  __builtin_trap();
}

// element reads element i of an operand, or i modulo the period if it has one.
DEVICE int element(const int* x, int period, int i) { return x[period > 0 ? i % period : i]; }

// out[i] = operation(x[i], y[i]) for i < n; out may be an operand without a period.
KERNEL THREADS(256) pairs(int* out, int operation, const int* x, int x_period, const int* y, int y_period, int n) {
  int i = block_index().x * 256 + thread_index().x;
  if (i < n) out[i] = apply(operation, element(x, x_period, i), element(y, y_period, i));
}

// out[i] = condition[i] != 0 ? x[i] : y[i] for i < n; out may be an operand without a
// period.
KERNEL THREADS(256) choose(int* out, const int* condition, int condition_period, const int* x, int x_period,
                           const int* y, int y_period, int n) {
  int i = block_index().x * 256 + thread_index().x;
  if (i < n) out[i] = element(condition, condition_period, i) ? element(x, x_period, i) : element(y, y_period, i);
}

// out[i] = float(x[i]) for i < n.
KERNEL THREADS(256) integers_to_floats(float* out, const int* x, int n) {
  int i = block_index().x * 256 + thread_index().x;
  if (i < n) out[i] = float(x[i]);
}

// out[i] = x[i] without its fraction, for i < n: the nearest integer where that does
// not fit, and 0 for what is not a number.
KERNEL THREADS(256) floats_to_integers(int* out, const float* x, int n) {
  int i = block_index().x * 256 + thread_index().x;
  if (i >= n) return;
  float v = x[i];
  out[i] = v != v ? 0 : v <= -2147483648.0f ? -0x7fffffff - 1 : v >= 2147483648.0f ? 0x7fffffff : int(v);
}

// out[i] = x[i] != 0 for i < n.
KERNEL THREADS(256) floats_to_truths(int* out, const float* x, int n) {
  int i = block_index().x * 256 + thread_index().x;
  if (i < n) out[i] = x[i] != 0;
}
