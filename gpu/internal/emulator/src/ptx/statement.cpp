#include "statement.h"

#include <algorithm>

namespace ptx {

bool Statement::has(const std::string& suffix) const {
  return std::find(opcode.begin() + 1, opcode.end(), suffix) != opcode.end();
}

std::string Statement::written() const {
  std::string s;
  for (auto& part : opcode) s += (s.empty() ? "" : ".") + part;
  return s;
}

Type type_of(const std::string& suffix) {
  static const std::map<std::string, Type> types = {
      {"pred", Type::kPred}, {"b8", Type::kB8},   {"b16", Type::kB16}, {"b32", Type::kB32}, {"b64", Type::kB64},
      {"u8", Type::kU8},     {"u16", Type::kU16}, {"u32", Type::kU32}, {"u64", Type::kU64}, {"s8", Type::kS8},
      {"s16", Type::kS16},   {"s32", Type::kS32}, {"s64", Type::kS64}, {"f32", Type::kF32}, {"f64", Type::kF64},
  };
  auto found = types.find(suffix);
  return found == types.end() ? Type::kNone : found->second;
}

uint64_t size_of(Type type) {
  switch (type) {
    case Type::kPred: case Type::kB8: case Type::kU8: case Type::kS8: return 1;
    case Type::kB16: case Type::kU16: case Type::kS16: return 2;
    case Type::kB32: case Type::kU32: case Type::kS32: case Type::kF32: return 4;
    case Type::kB64: case Type::kU64: case Type::kS64: case Type::kF64: return 8;
    case Type::kNone: break;
  }
  return 0;
}

bool only(const Statement& s, std::initializer_list<const char*> known) {
  for (size_t i = 1; i < s.opcode.size(); i++) {
    const std::string& suffix = s.opcode[i];
    bool listed = std::any_of(known.begin(), known.end(), [&](const char* k) { return suffix == k; });
    if (!listed && type_of(suffix) == Type::kNone) return false;
  }
  return true;
}

}  // namespace ptx
