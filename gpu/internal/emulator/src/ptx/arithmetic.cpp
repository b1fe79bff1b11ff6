// add, sub, mul, mad, fma, div, rem, copysign, abs, neg, min, max.
#include <type_traits>

#include "lanes.h"

namespace ptx {
namespace {

// Signed overflow wraps on the device, so integers are computed without a sign.
template <class T>
struct Wide {
  using U = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;
};

template <class T, class F>
T wrapping(T a, T b, F f) {
  if constexpr (std::is_floating_point_v<T>) return f(a, b);
  else return T(f(typename Wide<T>::U(a), typename Wide<T>::U(b)));
}

struct Add {
  template <class T> static T of(T a, T b) { return wrapping(a, b, [](auto x, auto y) { return x + y; }); }
};
struct Sub {
  template <class T> static T of(T a, T b) { return wrapping(a, b, [](auto x, auto y) { return x - y; }); }
};
struct Mul {
  template <class T> static T of(T a, T b) { return wrapping(a, b, [](auto x, auto y) { return x * y; }); }
};
struct Mad {
  template <class T> static T of(T a, T b, T c) { return Add::of(Mul::of(a, b), c); }
};
struct Fma {
  template <class T> static T of(T a, T b, T c) { return std::fma(a, b, c); }
};

// FmaTowardZero is the fma.rz of float.
struct FmaTowardZero {
  static float of(float a, float b, float c) {
    float nearest = std::fma(a, b, c);
    if (std::isinf(nearest) && std::isfinite(a) && std::isfinite(b) && std::isfinite(c)) {
      return std::copysign(std::numeric_limits<float>::max(), nearest);
    }
    if (!std::isfinite(nearest) || nearest == 0) return nearest;
    // The product is exact as a double; rest is what the sum loses (Knuth's two-sum).
    double product = double(a) * b, sum = product + c, part = sum - product;
    double rest = (product - (sum - part)) + (c - part);
    double beyond = sum != nearest ? sum - nearest : rest;  // the exact result is on this side
    bool rounded_up = nearest > 0 ? beyond < 0 : beyond > 0;
    return rounded_up ? std::nextafter(nearest, 0.0f) : nearest;
  }
};
struct Div {
  template <class T> static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return a / b;
    else if (b == 0) return T(-1);  // the result is unspecified
    else if (std::is_signed_v<T> && b == T(-1)) return Sub::of(T(0), a);
    else return T(a / b);
  }
};
struct Rem {
  template <class T> static T of(T a, T b) {
    if (b == 0) return T(-1);
    return std::is_signed_v<T> && b == T(-1) ? T(0) : T(a % b);
  }
};
struct Min {
  template <class T> static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return std::fmin(a, b);
    else return a < b ? a : b;
  }
};
struct Max {
  template <class T> static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return std::fmax(a, b);
    else return a > b ? a : b;
  }
};
struct Abs {
  template <class T> static T of(T a) {
    if constexpr (std::is_floating_point_v<T>) return std::fabs(a);
    else return a < 0 ? Sub::of(T(0), a) : a;
  }
};
struct Neg {
  template <class T> static T of(T a) {
    if constexpr (std::is_floating_point_v<T>) return -a;
    else return Sub::of(T(0), a);
  }
};

// The upper half of a product.
struct MulHigh {
  template <class T> static T of(T a, T b) {
    using W = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return T((W(a) * W(b)) >> (8 * sizeof(T)));
  }
};

struct MadHigh {
  template <class T> static T of(T a, T b, T c) { return Add::of(MulHigh::of(a, b), c); }
};

// copysign takes the sign from its first operand.
struct CopySign {
  template <class T> static T of(T sign, T magnitude) { return std::copysign(magnitude, sign); }
};

// mul.wide and mad.wide: the result has twice the width.
template <class T, class W, bool kAdd>
void wide(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a), *b = w.row(i.b), *c = w.row(i.c);
  each(mask, [&](int l) {
    W product = Mul::of(W(get<T>(a[l])), W(get<T>(b[l])));
    d[l] = put<W>(kAdd ? Add::of(product, get<W>(c[l])) : product);
  });
}

template <bool kAdd>
Handler wide_handler(Type t) {
  switch (t) {
    case Type::kU16: return wide<uint16_t, uint32_t, kAdd>;
    case Type::kS16: return wide<int16_t, int32_t, kAdd>;
    case Type::kU32: return wide<uint32_t, uint64_t, kAdd>;
    case Type::kS32: return wide<int32_t, int64_t, kAdd>;
    default: return nullptr;
  }
}

Type integer_type(Type t) {
  switch (t) {
    case Type::kB16: return Type::kU16;
    case Type::kB32: return Type::kU32;
    case Type::kB64: return Type::kU64;
    default: return t;
  }
}

// two decodes an operation of two operands that is the same for all types.
template <class Op>
void two(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {"rn", "ftz"}) || !operands(s, rows, i, 3)) return;
  Type t = last_type(s);
  i.run = s.has("ftz") ? (t == Type::kF32 ? Handler(binary<Flushed<Op>, float>) : nullptr) : binary_floats<Op>(t);
  if (!i.run && !s.has("ftz") && !s.has("rn")) i.run = binary_integers<Op>(integer_type(t));
}

template <class Op>
void one(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {"ftz"}) || !operands(s, rows, i, 2)) return;
  Type t = last_type(s);
  i.run = s.has("ftz") ? (t == Type::kF32 ? Handler(unary<Flushed<Op>, float>) : nullptr) : unary_floats<Op>(t);
  if (!i.run && !s.has("ftz")) i.run = unary_integers<Op>(integer_type(t));
}

void multiply(const Statement& s, Rows& rows, Instruction& i) {
  Type t = last_type(s);
  if (t == Type::kF32 || t == Type::kF64) return two<Mul>(s, rows, i);
  if (!only(s, {"lo", "hi", "wide"}) || !operands(s, rows, i, 3)) return;
  if (s.has("wide")) i.run = wide_handler<false>(t);
  else i.run = s.has("hi") ? binary_integers<MulHigh>(integer_type(t)) : binary_integers<Mul>(integer_type(t));
}

void multiply_add(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {"lo", "hi", "wide"}) || !operands(s, rows, i, 4)) return;
  Type t = last_type(s);
  if (s.has("wide")) i.run = wide_handler<true>(t);
  else i.run = s.has("hi") ? ternary_integers<MadHigh>(integer_type(t)) : ternary_integers<Mad>(integer_type(t));
}

void fused(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {"rn", "rz", "ftz"}) || !operands(s, rows, i, 4)) return;
  Type t = last_type(s);
  if (s.has("rz")) {
    if (t == Type::kF32 && !s.has("ftz")) i.run = ternary<FmaTowardZero, float>;
  } else if (!s.has("ftz")) {
    i.run = ternary_floats<Fma>(t);
  } else if (t == Type::kF32) {
    i.run = ternary<Flushed<Fma>, float>;
  }
}

void divide(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {"rn", "approx", "full", "ftz"}) || !operands(s, rows, i, 3)) return;
  Type t = last_type(s);
  i.run = s.has("ftz") ? Handler(binary<Flushed<Div>, float>) : binary_floats<Div>(t);
  if (!i.run) i.run = binary_integers<Div>(t);
}

void copy_sign(const Statement& s, Rows& rows, Instruction& i) {
  if (only(s, {}) && operands(s, rows, i, 3)) i.run = binary_floats<CopySign>(last_type(s));
}

void remainder(const Statement& s, Rows& rows, Instruction& i) {
  if (only(s, {}) && operands(s, rows, i, 3)) i.run = binary_integers<Rem>(last_type(s));
}

}  // namespace

void add_arithmetic(Decoders& table) {
  table["add"] = two<Add>;
  table["sub"] = two<Sub>;
  table["mul"] = multiply;
  table["mad"] = multiply_add;
  table["fma"] = fused;
  table["div"] = divide;
  table["rem"] = remainder;
  table["copysign"] = copy_sign;
  table["min"] = two<Min>;
  table["max"] = two<Max>;
  table["abs"] = one<Abs>;
  table["neg"] = one<Neg>;
}

}  // namespace ptx
