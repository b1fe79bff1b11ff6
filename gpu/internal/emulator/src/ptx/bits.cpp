// mov, and, or, xor, not, shl, shr, bfe, bfi, shf, lop3, prmt, popc, clz, brev.
#include <type_traits>

#include "lanes.h"

namespace ptx {
namespace {

struct And {
  template <class T> static T of(T a, T b) { return T(a & b); }
};
struct Or {
  template <class T> static T of(T a, T b) { return T(a | b); }
};
struct Xor {
  template <class T> static T of(T a, T b) { return T(a ^ b); }
};
struct Not {
  template <class T> static T of(T a) { return T(~a); }
};
struct NotPredicate {
  template <class T> static T of(T a) { return !a; }
};
struct Reverse {
  template <class T> static T of(T a) {
    T r = 0;
    for (size_t n = 0; n < 8 * sizeof(T); n++) r = T(r << 1) | T(a >> n & 1);
    return r;
  }
};

// A shift by the width or more leaves nothing but the sign.
template <class T>
void shift_left(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a), *b = w.row(i.b);
  each(mask, [&](int l) {
    uint32_t n = get<uint32_t>(b[l]);
    d[l] = put<T>(n < 8 * sizeof(T) ? T(get<T>(a[l]) << n) : T(0));
  });
}

template <class T>
void shift_right(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a), *b = w.row(i.b);
  each(mask, [&](int l) {
    T x = get<T>(a[l]);
    uint32_t n = get<uint32_t>(b[l]);
    d[l] = put<T>(n < 8 * sizeof(T) ? T(x >> n) : x < 0 ? T(-1) : T(0));
  });
}

template <class T>
void extract(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a), *b = w.row(i.b), *c = w.row(i.c);
  constexpr uint32_t kWidth = 8 * sizeof(T);
  each(mask, [&](int l) {
    using U = std::make_unsigned_t<T>;
    uint32_t at = b[l] & 255, n = c[l] & 255;
    U x = at < kWidth ? U(get<U>(a[l]) >> at) : U(0);
    if (n < kWidth) x &= U((U(1) << n) - 1);
    uint32_t top = std::min(at + n - 1, kWidth - 1);
    bool negative = std::is_signed_v<T> && n > 0 && (get<U>(a[l]) >> top & 1);
    if (negative && n < kWidth) x |= U(~U(0)) << n;
    d[l] = put<U>(x);
  });
}

// bfi: the lower bits of a go into b.
template <class T>
void insert(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a), *b = w.row(i.b), *c = w.row(i.c), *e = w.row(i.e);
  constexpr uint32_t kWidth = 8 * sizeof(T);
  each(mask, [&](int l) {
    uint32_t at = c[l] & 255, n = e[l] & 255;
    T field = n < kWidth ? T((T(1) << n) - 1) : T(~T(0));
    field = at < kWidth ? T(field << at) : T(0);
    T moved = at < kWidth ? T(get<T>(a[l]) << at) : T(0);
    d[l] = put<T>(T((get<T>(b[l]) & ~field) | (moved & field)));
  });
}

// A funnel shift: the upper or the lower half of a shifted pair.
template <bool kLeft>
void funnel(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a), *b = w.row(i.b), *c = w.row(i.c);
  each(mask, [&](int l) {
    uint64_t pair = (b[l] << 32) | get<uint32_t>(a[l]);
    uint32_t n = i.mode ? uint32_t(std::min<uint64_t>(get<uint32_t>(c[l]), 32)) : uint32_t(c[l] & 31);
    d[l] = put<uint32_t>(kLeft ? uint32_t(pair << n >> 32) : uint32_t(pair >> n));
  });
}

// lop3: any function of three bits, given by its truth table.
void logic(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a), *b = w.row(i.b), *c = w.row(i.c);
  each(mask, [&](int l) {
    uint32_t x = uint32_t(a[l]), y = uint32_t(b[l]), z = uint32_t(c[l]), r = 0;
    for (int n = 0; n < 8; n++) {
      if (i.mode >> n & 1) r |= (n & 4 ? x : ~x) & (n & 2 ? y : ~y) & (n & 1 ? z : ~z);
    }
    d[l] = put(r);
  });
}

void permute(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a), *b = w.row(i.b), *c = w.row(i.c);
  each(mask, [&](int l) {
    uint64_t bytes = (b[l] << 32) | get<uint32_t>(a[l]);
    uint32_t r = 0;
    for (int n = 0; n < 4; n++) {
      uint32_t selector = uint32_t(c[l] >> 4 * n & 15);
      uint32_t byte = uint32_t(bytes >> 8 * (selector & 7) & 255);
      if (selector & 8) byte = byte & 128 ? 255 : 0;
      r |= byte << 8 * n;
    }
    d[l] = put(r);
  });
}

template <class T>
void count_ones(Warp& w, const Instruction& i, uint32_t mask) {
  each(mask, [&](int l) { w.row(i.d)[l] = uint64_t(std::popcount(get<T>(w.row(i.a)[l]))); });
}

template <class T>
void leading_zeros(Warp& w, const Instruction& i, uint32_t mask) {
  each(mask, [&](int l) { w.row(i.d)[l] = uint64_t(std::countl_zero(get<T>(w.row(i.a)[l]))); });
}

void move(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a);
  each(mask, [&](int l) { d[l] = a[l]; });
}

// mov of a vector into a scalar and back; mode has the bits of an element.
void pack(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t element = (1ull << i.mode) - 1;
  each(mask, [&](int l) {
    uint64_t whole = 0;
    for (int n = 0; n < i.count; n++) whole |= (w.row(i.vector[n])[l] & element) << n * i.mode;
    w.row(i.d)[l] = whole;
  });
}

void unpack(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t element = (1ull << i.mode) - 1;
  each(mask, [&](int l) {
    uint64_t whole = w.row(i.a)[l];
    for (int n = 0; n < i.count; n++) w.row(i.vector[n])[l] = whole >> n * i.mode & element;
  });
}

void decode_move(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {}) || s.operands.size() != 2 || s.operands[0].kind == Operand::kAddress) return;
  bool packs = s.operands[1].kind == Operand::kVector, unpacks = s.operands[0].kind == Operand::kVector;
  if (!packs && !unpacks) {
    if (operands(s, rows, i, 2)) i.run = move;
    return;
  }
  const std::vector<Operand>& elements = s.operands[packs].elements;
  i.count = uint8_t(elements.size());
  i.mode = uint8_t(8 * size_of(last_type(s)) / elements.size());
  for (size_t n = 0; n < elements.size(); n++) i.vector[n] = rows.of(elements[n]);
  (packs ? i.d : i.a) = rows.of(s.operands[unpacks]);
  i.run = packs ? pack : unpack;
}

template <class Op>
void logical(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {}) || !operands(s, rows, i, 3)) return;
  i.run = last_type(s) == Type::kPred ? Handler(binary<Op, uint8_t>) : binary_bits<Op>(last_type(s));
}

void decode_not(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {}) || !operands(s, rows, i, 2)) return;
  i.run = last_type(s) == Type::kPred ? Handler(unary<NotPredicate, uint8_t>) : unary_bits<Not>(last_type(s));
}

void decode_reverse(const Statement& s, Rows& rows, Instruction& i) {
  if (only(s, {}) && operands(s, rows, i, 2)) i.run = unary_bits<Reverse>(last_type(s));
}

void decode_left(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {}) || !operands(s, rows, i, 3)) return;
  Type t = last_type(s);
  if (t == Type::kB16) i.run = shift_left<uint16_t>;
  if (t == Type::kB32) i.run = shift_left<uint32_t>;
  if (t == Type::kB64) i.run = shift_left<uint64_t>;
}

Handler right_handler(Type t) {
  switch (t) {
    case Type::kB16: case Type::kU16: return shift_right<uint16_t>;
    case Type::kB32: case Type::kU32: return shift_right<uint32_t>;
    case Type::kB64: case Type::kU64: return shift_right<uint64_t>;
    case Type::kS16: return shift_right<int16_t>;
    case Type::kS32: return shift_right<int32_t>;
    case Type::kS64: return shift_right<int64_t>;
    default: return nullptr;
  }
}

void decode_right(const Statement& s, Rows& rows, Instruction& i) {
  if (only(s, {}) && operands(s, rows, i, 3)) i.run = right_handler(last_type(s));
}

void decode_extract(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {}) || !operands(s, rows, i, 4)) return;
  switch (last_type(s)) {
    case Type::kU32: i.run = extract<uint32_t>; break;
    case Type::kS32: i.run = extract<int32_t>; break;
    case Type::kU64: i.run = extract<uint64_t>; break;
    case Type::kS64: i.run = extract<int64_t>; break;
    default: break;
  }
}

void decode_insert(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {}) || !operands(s, rows, i, 5)) return;
  i.run = last_type(s) == Type::kB32 ? insert<uint32_t> : insert<uint64_t>;
}

void decode_funnel(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {"l", "r", "wrap", "clamp"}) || !operands(s, rows, i, 4)) return;
  i.mode = s.has("clamp");
  i.run = s.has("l") ? funnel<true> : funnel<false>;
}

void decode_logic(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {}) || !operands(s, rows, i, 5) || s.operands[4].kind != Operand::kNumber) return;
  i.mode = uint8_t(s.operands[4].bits);
  i.run = logic;
}

void decode_permute(const Statement& s, Rows& rows, Instruction& i) {
  if (only(s, {}) && operands(s, rows, i, 4)) i.run = permute;
}

void decode_ones(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {}) || !operands(s, rows, i, 2)) return;
  i.run = last_type(s) == Type::kB32 ? count_ones<uint32_t> : count_ones<uint64_t>;
}

void decode_zeros(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {}) || !operands(s, rows, i, 2)) return;
  i.run = last_type(s) == Type::kB32 ? leading_zeros<uint32_t> : leading_zeros<uint64_t>;
}

}  // namespace

void add_bits(Decoders& table) {
  table["mov"] = decode_move;
  table["and"] = logical<And>;
  table["or"] = logical<Or>;
  table["xor"] = logical<Xor>;
  table["not"] = decode_not;
  table["shl"] = decode_left;
  table["shr"] = decode_right;
  table["bfe"] = decode_extract;
  table["bfi"] = decode_insert;
  table["shf"] = decode_funnel;
  table["lop3"] = decode_logic;
  table["prmt"] = decode_permute;
  table["popc"] = decode_ones;
  table["clz"] = decode_zeros;
  table["brev"] = decode_reverse;
}

}  // namespace ptx
