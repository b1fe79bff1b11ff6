// setp and selp.
#include "lanes.h"

namespace ptx {
namespace {

enum Relation : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kNum, kNan };
constexpr uint8_t kUnordered = 8;  // holds if an operand is a NaN

template <class T>
bool holds(uint8_t mode, T a, T b) {
  if (a != a || b != b) return mode == kNan || (mode & kUnordered);
  switch (mode & 7) {
    case kEq: return a == b;
    case kNe: return a != b;
    case kLt: return a < b;
    case kLe: return a <= b;
    case kGt: return a > b;
    case kGe: return a >= b;
    case kNum: return true;
    default: return false;
  }
}

template <class T>
void compare(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a), *b = w.row(i.b);
  each(mask, [&](int l) { d[l] = holds<T>(i.mode, get<T>(a[l]), get<T>(b[l])); });
}

void select(Warp& w, const Instruction& i, uint32_t mask) {
  uint64_t *d = w.row(i.d), *a = w.row(i.a), *b = w.row(i.b), *c = w.row(i.c);
  each(mask, [&](int l) { d[l] = c[l] & 1 ? a[l] : b[l]; });
}

const std::map<std::string, uint8_t> kRelations = {
    {"eq", kEq}, {"ne", kNe}, {"lt", kLt}, {"le", kLe}, {"gt", kGt}, {"ge", kGe},
    {"lo", kLt}, {"ls", kLe}, {"hi", kGt}, {"hs", kGe}, {"num", kNum}, {"nan", kNan},
    {"equ", kEq | kUnordered}, {"neu", kNe | kUnordered}, {"ltu", kLt | kUnordered},
    {"leu", kLe | kUnordered}, {"gtu", kGt | kUnordered}, {"geu", kGe | kUnordered}};

Handler compare_handler(Type t) {
  switch (t) {
    case Type::kB16: case Type::kU16: return compare<uint16_t>;
    case Type::kB32: case Type::kU32: return compare<uint32_t>;
    case Type::kB64: case Type::kU64: return compare<uint64_t>;
    case Type::kS16: return compare<int16_t>;
    case Type::kS32: return compare<int32_t>;
    case Type::kS64: return compare<int64_t>;
    case Type::kF32: return compare<float>;
    case Type::kF64: return compare<double>;
    default: return nullptr;
  }
}

void decode_compare(const Statement& s, Rows& rows, Instruction& i) {
  if (s.opcode.size() != 3 || !operands(s, rows, i, 3)) return;
  auto relation = kRelations.find(s.opcode[1]);
  if (relation == kRelations.end()) return;
  i.mode = relation->second;
  i.run = compare_handler(last_type(s));
}

void decode_select(const Statement& s, Rows& rows, Instruction& i) {
  if (only(s, {}) && operands(s, rows, i, 4)) i.run = select;
}

}  // namespace

void add_comparisons(Decoders& table) {
  table["setp"] = decode_compare;
  table["selp"] = decode_select;
}

}  // namespace ptx
