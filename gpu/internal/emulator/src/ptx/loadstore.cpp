// ld and st.
#include <cstring>
#include <type_traits>

#include "lanes.h"

namespace ptx {
namespace {

// A loaded value fills its register, which may be wider: a signed one is extended.
template <class T>
uint64_t extended(T value) {
  if constexpr (std::is_signed_v<T>) return put<int64_t>(value);
  else return put<T>(value);
}

template <class T>
void load(Warp& w, const Instruction& i, uint32_t mask) {
  const uint64_t* address = w.row(i.a);
  each(mask, [&](int l) {
    uint64_t at = address[l] + uint64_t(i.offset), size = sizeof(T) * i.count;
    const uint8_t* from = i.space == Space::kParam ? w.parameter(at, size) : w.memory(i.space, at, size, SharedMemory::kRead, l);
    for (int n = 0; n < i.count; n++) {
      T value;
      std::memcpy(&value, from + n * sizeof(T), sizeof(T));
      w.row(i.vector[n])[l] = extended(value);
    }
  });
}

template <class T>
void store(Warp& w, const Instruction& i, uint32_t mask) {
  const uint64_t* address = w.row(i.a);
  each(mask, [&](int l) {
    uint8_t* to = w.memory(i.space, address[l] + uint64_t(i.offset), sizeof(T) * i.count, SharedMemory::kWrite, l);
    for (int n = 0; n < i.count; n++) {
      T value = get<T>(w.row(i.vector[n])[l]);
      std::memcpy(to + n * sizeof(T), &value, sizeof(T));
    }
  });
}

template <template <class> class Select>
Handler by_type(Type t) {
  switch (t) {
    case Type::kB8: case Type::kU8: return Select<uint8_t>::handler;
    case Type::kS8: return Select<int8_t>::handler;
    case Type::kB16: case Type::kU16: return Select<uint16_t>::handler;
    case Type::kS16: return Select<int16_t>::handler;
    case Type::kB32: case Type::kU32: case Type::kF32: return Select<uint32_t>::handler;
    case Type::kS32: return Select<int32_t>::handler;
    case Type::kB64: case Type::kU64: case Type::kS64: case Type::kF64: return Select<uint64_t>::handler;
    default: return nullptr;
  }
}

template <class T>
struct Load {
  static constexpr Handler handler = load<T>;
};
template <class T>
struct Store {
  static constexpr Handler handler = store<T>;
};

Space space_of(const Statement& s) {
  if (s.has("global")) return Space::kGlobal;
  if (s.has("shared")) return Space::kShared;
  if (s.has("local")) return Space::kLocal;
  return s.has("param") ? Space::kParam : Space::kGeneric;
}

// access decodes what ld and st have in common.
bool access(const Statement& s, Rows& rows, Instruction& i, const Operand& values, const Operand& address) {
  static const auto known = {"global", "shared", "local", "param", "nc",  "volatile", "relaxed",
                             "weak",   "cta",    "gpu",   "sys",   "v2",  "v4"};
  if (!only(s, known)) return false;
  size_t count = s.has("v4") ? 4 : s.has("v2") ? 2 : 1;
  bool vector = values.kind == Operand::kVector;
  if (address.kind != Operand::kAddress || (vector ? values.elements.size() : 1) != count) return false;
  i.count = uint8_t(count);
  for (size_t n = 0; n < count; n++) i.vector[n] = rows.of(vector ? values.elements[n] : values);
  i.space = space_of(s);
  i.a = rows.of(address);
  i.offset = address.offset;
  return true;
}

void decode_load(const Statement& s, Rows& rows, Instruction& i) {
  if (s.operands.size() == 2 && access(s, rows, i, s.operands[0], s.operands[1])) i.run = by_type<Load>(last_type(s));
}

void decode_store(const Statement& s, Rows& rows, Instruction& i) {
  if (s.operands.size() != 2 || s.has("param") || s.has("nc")) return;
  if (access(s, rows, i, s.operands[1], s.operands[0])) i.run = by_type<Store>(last_type(s));
}

}  // namespace

void add_memory(Decoders& table) {
  table["ld"] = decode_load;
  table["st"] = decode_store;
}

}  // namespace ptx
