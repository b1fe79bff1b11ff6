// ex2, lg2, rcp, rsqrt, sqrt, sin, cos, tanh.
//
// The approximate forms of a device differ in their last bits from these, and
// between devices. Tests must not depend on them.
#include "lanes.h"

namespace ptx {
namespace {

struct Exp2 {
  static float of(float x) { return std::exp2(x); }
};
struct Log2 {
  static float of(float x) { return std::log2(x); }
};
struct Reciprocal {
  template <class T> static T of(T x) { return T(1) / x; }
};
struct ReciprocalRoot {
  static float of(float x) { return float(1 / std::sqrt(double(x))); }
};
struct Root {
  template <class T> static T of(T x) { return std::sqrt(x); }
};
struct Sine {
  static float of(float x) { return std::sin(x); }
};
struct Cosine {
  static float of(float x) { return std::cos(x); }
};
struct Tanh {
  static float of(float x) { return std::tanh(x); }
};

// approximate decodes an instruction that exists as .approx.f32 only.
template <class Op>
void approximate(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {"approx", "ftz"}) || !s.has("approx") || last_type(s) != Type::kF32 || !operands(s, rows, i, 2)) return;
  i.run = s.has("ftz") ? unary<Flushed<Op>, float> : unary<Op, float>;
}

// exact_too decodes an instruction that has an exact form for both types as well.
template <class Op>
void exact_too(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {"rn", "approx", "ftz"}) || !operands(s, rows, i, 2)) return;
  if (!s.has("ftz")) i.run = unary_floats<Op>(last_type(s));
  else if (last_type(s) == Type::kF32) i.run = unary<Flushed<Op>, float>;
}

}  // namespace

void add_transcendentals(Decoders& table) {
  table["ex2"] = approximate<Exp2>;
  table["lg2"] = approximate<Log2>;
  table["rcp"] = exact_too<Reciprocal>;
  table["rsqrt"] = approximate<ReciprocalRoot>;
  table["sqrt"] = exact_too<Root>;
  table["sin"] = approximate<Sine>;
  table["cos"] = approximate<Cosine>;
  table["tanh"] = approximate<Tanh>;
}

}  // namespace ptx
