// atom and red.
#include "lanes.h"

namespace ptx {
namespace {

struct AtomicAdd {
  template <class T> static T of(T old, T b, T) { return T(old + b); }
};
struct AtomicMin {
  template <class T> static T of(T old, T b, T) { return b < old ? b : old; }
};
struct AtomicMax {
  template <class T> static T of(T old, T b, T) { return b > old ? b : old; }
};
struct AtomicExchange {
  template <class T> static T of(T, T b, T) { return b; }
};
struct AtomicCompare {
  template <class T> static T of(T old, T b, T c) { return old == b ? c : old; }
};
struct AtomicAnd {
  template <class T> static T of(T old, T b, T) { return T(old & b); }
};
struct AtomicOr {
  template <class T> static T of(T old, T b, T) { return T(old | b); }
};

// Kernels of different streams may run at the same time, so the operation is
// atomic on the host as well.
template <class Op, class T>
void update(Warp& w, const Instruction& i, uint32_t mask) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  uint64_t *a = w.row(i.a), *b = w.row(i.b), *c = w.row(i.c);
  each(mask, [&](int l) {
    auto place = reinterpret_cast<Bits*>(w.memory(i.space, a[l] + uint64_t(i.offset), sizeof(T), SharedMemory::kAtomic, l));
    Bits old = __atomic_load_n(place, __ATOMIC_RELAXED), fresh;
    do {
      fresh = Bits(put<T>(Op::of(get<T>(old), get<T>(b[l]), get<T>(c[l]))));
    } while (!__atomic_compare_exchange_n(place, &old, fresh, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    if (i.has_d) w.row(i.d)[l] = old;
  });
}

template <class Op>
Handler integer_handler(Type t) {
  switch (t) {
    case Type::kB32: case Type::kU32: return update<Op, uint32_t>;
    case Type::kS32: return update<Op, int32_t>;
    case Type::kB64: case Type::kU64: return update<Op, uint64_t>;
    case Type::kS64: return update<Op, int64_t>;
    default: return nullptr;
  }
}

Handler atomic_handler(const Statement& s, Type t) {
  if (s.has("add") && t == Type::kF32) return update<AtomicAdd, float>;
  if (s.has("add") && t == Type::kF64) return update<AtomicAdd, double>;
  if (s.has("add")) return integer_handler<AtomicAdd>(t);
  if (s.has("min")) return integer_handler<AtomicMin>(t);
  if (s.has("max")) return integer_handler<AtomicMax>(t);
  if (s.has("exch")) return integer_handler<AtomicExchange>(t);
  if (s.has("cas")) return integer_handler<AtomicCompare>(t);
  if (s.has("and")) return integer_handler<AtomicAnd>(t);
  if (s.has("or")) return integer_handler<AtomicOr>(t);
  return nullptr;
}

// decode reads d, [a], b and c; red has no d, and only cas has a c.
void decode_atomic(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {"global", "shared", "relaxed", "cta", "gpu", "sys", "add", "min", "max", "exch", "cas", "and", "or"})) return;
  i.has_d = s.opcode[0] == "atom";
  size_t at = i.has_d;
  if (s.operands.size() != at + (s.has("cas") ? 3 : 2) || s.operands[at].kind != Operand::kAddress) return;
  if (i.has_d) i.d = rows.of(s.operands[0]);
  i.a = rows.of(s.operands[at]);
  i.offset = s.operands[at].offset;
  i.b = rows.of(s.operands[at + 1]);
  i.c = rows.of(s.operands.back());
  i.space = s.has("global") ? Space::kGlobal : s.has("shared") ? Space::kShared : Space::kGeneric;
  i.run = atomic_handler(s, last_type(s));
}

}  // namespace

void add_atomics(Decoders& table) {
  table["atom"] = decode_atomic;
  table["red"] = decode_atomic;
}

}  // namespace ptx
