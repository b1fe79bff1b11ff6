// cvt and cvta.
#include <type_traits>

#include "lanes.h"
#include "narrow.h"

namespace ptx {
namespace {

enum Rounding : uint8_t { kNearest, kZero, kDown, kUp };

template <class S>
S rounded(S x, uint8_t mode) {
  switch (mode) {
    case kZero: return std::trunc(x);
    case kDown: return std::floor(x);
    case kUp: return std::ceil(x);
    default: return std::nearbyint(x);
  }
}

// clamp turns a float into an integer: NaN becomes 0, what is too large the limit.
template <class D, class S>
D clamp(S x) {
  if (std::isnan(x)) return 0;
  if (x <= S(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
  // The upper limit is not a float; the power of two above it is.
  if (x >= std::ldexp(S(1), std::numeric_limits<D>::digits)) return std::numeric_limits<D>::max();
  return D(x);
}

constexpr uint8_t kRoundToInteger = 16;  // a float stays a float

template <class D, class S>
D converted(S x, uint8_t mode) {
  if constexpr (std::is_floating_point_v<S> && std::is_floating_point_v<D>) {
    return D(mode & kRoundToInteger ? rounded(x, mode & 15) : x);
  } else if constexpr (std::is_floating_point_v<S>) {
    return clamp<D>(rounded(x, mode & 15));
  } else {
    return D(x);
  }
}

// The result fills its register, which may be wider: a signed one is extended.
template <class D>
uint64_t widened(D value) {
  if constexpr (std::is_signed_v<D> && std::is_integral_v<D>) return put<int64_t>(value);
  else return put<D>(value);
}

template <class D, class S>
void convert(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a);
  each(mask, [&](int l) { d[l] = widened<D>(converted<D>(get<S>(a[l]), i.mode)); });
}

template <class D>
Handler from(Type t) {
  switch (t) {
    case Type::kU8: case Type::kB8: return convert<D, uint8_t>;
    case Type::kS8: return convert<D, int8_t>;
    case Type::kU16: case Type::kB16: return convert<D, uint16_t>;
    case Type::kS16: return convert<D, int16_t>;
    case Type::kU32: case Type::kB32: return convert<D, uint32_t>;
    case Type::kS32: return convert<D, int32_t>;
    case Type::kU64: case Type::kB64: return convert<D, uint64_t>;
    case Type::kS64: return convert<D, int64_t>;
    case Type::kF32: return convert<D, float>;
    case Type::kF64: return convert<D, double>;
    default: return nullptr;
  }
}

Handler to(Type d, Type s) {
  switch (d) {
    case Type::kU8: case Type::kB8: return from<uint8_t>(s);
    case Type::kS8: return from<int8_t>(s);
    case Type::kU16: case Type::kB16: return from<uint16_t>(s);
    case Type::kS16: return from<int16_t>(s);
    case Type::kU32: case Type::kB32: return from<uint32_t>(s);
    case Type::kS32: return from<int32_t>(s);
    case Type::kU64: case Type::kB64: return from<uint64_t>(s);
    case Type::kS64: return from<int64_t>(s);
    case Type::kF32: return from<float>(s);
    case Type::kF64: return from<double>(s);
    default: return nullptr;
  }
}

bool is_float(Type t) { return t == Type::kF32 || t == Type::kF64; }

// tf32 keeps its place in a register of 32 bits; two bf16 share one, the first operand
// above.
void round_to_tf32(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a);
  each(mask, [&](int l) { d[l] = to_tf32(get<float>(a[l])); });
}

void round_to_bf16(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a), *b = w.row(i.b);
  each(mask, [&](int l) { d[l] = uint64_t(to_bf16(get<float>(a[l]))) << 16 | to_bf16(get<float>(b[l])); });
}

// decode_narrow knows the two conversions that feed tensor cores.
bool decode_narrow(const Statement& s, Rows& rows, Instruction& i) {
  if (s.written() == "cvt.rna.tf32.f32" && operands(s, rows, i, 2)) i.run = round_to_tf32;
  if (s.written() == "cvt.rn.bf16x2.f32" && operands(s, rows, i, 3)) i.run = round_to_bf16;
  return i.run != nullptr;
}

void decode_convert(const Statement& s, Rows& rows, Instruction& i) {
  static const std::map<std::string, uint8_t> roundings = {
      {"rn", kNearest}, {"rni", kNearest | kRoundToInteger}, {"rzi", kZero | kRoundToInteger},
      {"rmi", kDown | kRoundToInteger}, {"rpi", kUp | kRoundToInteger}};
  if (decode_narrow(s, rows, i)) return;
  if (s.opcode.size() < 3 || s.opcode.size() > 4 || !operands(s, rows, i, 2)) return;
  Type source = last_type(s), destination = type_of(s.opcode[s.opcode.size() - 2]);
  if (s.opcode.size() == 4) {
    auto rounding = roundings.find(s.opcode[1]);
    if (rounding == roundings.end()) return;
    i.mode = rounding->second;
  } else if (is_float(source) && !is_float(destination)) {
    return;  // PTX wants a rounding here
  }
  i.run = to(destination, source);
}

// cvta: only the windows of shared and local memory are not where they seem.
template <bool kTo>
void convert_address(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t window = i.space == Space::kShared ? kSharedWindow : i.space == Space::kLocal ? kLocalWindow : 0;
  uint64_t *d = w.row(i.d), *a = w.row(i.a);
  each(mask, [&](int l) { d[l] = kTo ? a[l] - window : a[l] + window; });
}

void decode_address(const Statement& s, Rows& rows, Instruction& i) {
  if (!only(s, {"to", "global", "shared", "local", "param"}) || !operands(s, rows, i, 2)) return;
  i.space = s.has("shared") ? Space::kShared : s.has("local") ? Space::kLocal : Space::kGlobal;
  if (last_type(s) == Type::kU64) i.run = s.has("to") ? convert_address<true> : convert_address<false>;
}

}  // namespace

void add_conversions(Decoders& table) {
  table["cvt"] = decode_convert;
  table["cvta"] = decode_address;
}

}  // namespace ptx
