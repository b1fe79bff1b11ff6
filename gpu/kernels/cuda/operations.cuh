// Element-wise operations on float32.
#pragma once
#include "functions.cuh"
#include "power.cuh"

// The operations, numbered as in chain.go.
enum Operation {
  kAdd, kSubtract, kSubtractFrom, kMultiply, kDivide, kDivideInto, kMinimum, kMaximum,
  kNegate, kAbsolute, kSquare, kSquareRoot, kExponential, kLogarithm, kSigmoid, kTanh, kRelu,
  kSigmoidGradient, kTanhGradient, kReluGradient,
  kPower, kReciprocal, kSoftplus, kAbsoluteGradient, kIdentity, kNothing,
};

// apply applies an operation to a value v and, if it has two operands, o.
DEVICE float apply(int operation, float v, float o) {
  switch (operation) {
    case kAdd: return v + o;
    case kSubtract: return v - o;
    case kSubtractFrom: return o - v;
    case kMultiply: return v * o;
    case kDivide: return v / o;
    case kDivideInto: return o / v;
    case kMinimum: return minimum(v, o);
    case kMaximum: return maximum(v, o);
    case kNegate: return -v;
    case kAbsolute: return abs(v);
    case kSquare: return v * v;
    case kSquareRoot: return sqrt(v);
    case kExponential: return exponential(v);
    case kLogarithm: return logarithm(v);
    case kSigmoid: return sigmoid(v);
    case kTanh: return hyperbolic_tangent(v);
    case kRelu: return v < 0 ? 0 : v;
    // v is the gradient of a result o of the function.
    case kSigmoidGradient: return v * o * (1 - o);
    case kTanhGradient: return v * fma(-o, o, 1.0f);
    case kReluGradient: return o > 0 ? v : 0;
    case kPower: return power(v, o);
    case kReciprocal: return 1 / v;
    case kSoftplus: return softplus_of(v);
    // v is the gradient of |o|.
    case kAbsoluteGradient: return o > 0 ? v : o < 0 ? -v : 0;
    case kIdentity: return v;
    case kNothing: return 0;
  }
  return not_a_number();
}
