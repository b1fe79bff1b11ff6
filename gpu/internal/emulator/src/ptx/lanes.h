// Templates for instructions that do the same to every lane.
#pragma once

#include <cmath>
#include <limits>

#include "statement.h"
#include "warp.h"

namespace ptx {

template <class Op, class T>
void unary(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a);
  each(mask, [&](int l) { d[l] = put<T>(Op::of(get<T>(a[l]))); });
}

template <class Op, class T>
void binary(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a), *b = w.row(i.b);
  each(mask, [&](int l) { d[l] = put<T>(Op::of(get<T>(a[l]), get<T>(b[l]))); });
}

template <class Op, class T>
void ternary(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a), *b = w.row(i.b), *c = w.row(i.c);
  each(mask, [&](int l) { d[l] = put<T>(Op::of(get<T>(a[l]), get<T>(b[l]), get<T>(c[l]))); });
}

// Select<Op>::xxx returns the handler of an operation for a type, or null.
#define PTX_SELECT(NAME, HANDLER)                                              \
  template <class Op>                                                          \
  Handler NAME##_floats(Type t) {                                              \
    return t == Type::kF32 ? Handler(HANDLER<Op, float>)                       \
         : t == Type::kF64 ? Handler(HANDLER<Op, double>) : nullptr;           \
  }                                                                            \
  template <class Op>                                                          \
  Handler NAME##_integers(Type t) {                                            \
    switch (t) {                                                               \
      case Type::kU16: return HANDLER<Op, uint16_t>;                           \
      case Type::kS16: return HANDLER<Op, int16_t>;                            \
      case Type::kU32: return HANDLER<Op, uint32_t>;                           \
      case Type::kS32: return HANDLER<Op, int32_t>;                            \
      case Type::kU64: return HANDLER<Op, uint64_t>;                           \
      case Type::kS64: return HANDLER<Op, int64_t>;                            \
      default: return nullptr;                                                 \
    }                                                                          \
  }                                                                            \
  template <class Op>                                                          \
  Handler NAME##_bits(Type t) {                                                \
    switch (t) {                                                               \
      case Type::kB16: return HANDLER<Op, uint16_t>;                           \
      case Type::kB32: return HANDLER<Op, uint32_t>;                           \
      case Type::kB64: return HANDLER<Op, uint64_t>;                           \
      default: return nullptr;                                                 \
    }                                                                          \
  }

PTX_SELECT(unary, unary)
PTX_SELECT(binary, binary)
PTX_SELECT(ternary, ternary)
#undef PTX_SELECT

// flush replaces subnormal numbers by zeros of the same sign, as .ftz asks.
inline float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

// Flushed is an operation of float with .ftz.
template <class Op>
struct Flushed {
  template <class... T>
  static float of(T... x) { return flush(Op::of(flush(x)...)); }
};

// operands sets the rows of d, a, b and c from as many operands as expected.
inline bool operands(const Statement& s, Rows& rows, Instruction& i, size_t count) {
  if (s.operands.size() != count) return false;
  uint32_t* places[] = {&i.d, &i.a, &i.b, &i.c, &i.e};
  for (size_t n = 0; n < count; n++) {
    if (!s.operands[n].predicate.empty()) return false;
    *places[n] = rows.of(s.operands[n]);
  }
  return true;
}

// last_type is the type at the end of an opcode.
inline Type last_type(const Statement& s) { return type_of(s.opcode.back()); }

}  // namespace ptx
