#include "builder.h"

#include <algorithm>
#include <array>
#include <set>

#include "control.h"

namespace ptx {
namespace {

// The names of special registers, in the order of Special.
const std::array<std::string, size_t(Special::kCount)> kSpecialNames = {
    "%tid.x",   "%tid.y",   "%tid.z",    "%ntid.x",   "%ntid.y",   "%ntid.z", "%ctaid.x",
    "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid", "%warpid"};

// The instructions behind which lanes may be at different places.
const std::set<std::string> kParting = {"bra", "ret", "exit", "bar", "barrier"};

const Decoders& decoders() {
  static const Decoders table = [] {
    Decoders t;
    add_arithmetic(t);
    add_bits(t);
    add_comparisons(t);
    add_conversions(t);
    add_transcendentals(t);
    add_memory(t);
    add_atomics(t);
    add_warp(t);
    add_tensor(t);
    add_async(t);
    return t;
  }();
  return table;
}

}  // namespace

FunctionBuilder::FunctionBuilder(Function head, const std::map<std::string, Variable>& globals,
                                 std::map<std::string, uint64_t> parameters)
    : f_(std::move(head)), variables_(globals), parameters_(std::move(parameters)) {}

void FunctionBuilder::declare_registers(const std::string& name, uint64_t count) { declared_[name] = count; }

void FunctionBuilder::label(const std::string& name, int line) {
  if (!labels_.emplace(name, f_.code.size()).second) throw SyntaxError(line, "label " + name + " twice");
}

void FunctionBuilder::add(const Statement& s) {
  line_ = s.line;
  Instruction i;
  i.line = s.line;
  if (!s.guard.empty()) {
    i.guarded = true;
    i.negated = s.negated;
    i.guard = reg(s.guard);
  }
  if (!branch(s, i)) {
    auto decoder = decoders().find(s.opcode[0]);
    if (decoder != decoders().end()) decoder->second(s, *this, i);
  }
  if (!i.run) throw SyntaxError(s.line, "unknown instruction " + s.written());
  i.parts = kParting.count(s.opcode[0]) > 0;
  f_.code.push_back(i);
}

bool FunctionBuilder::branch(const Statement& s, Instruction& i) {
  if (s.opcode[0] != "bra") return false;
  if (s.operands.size() != 1 || s.operands[0].kind != Operand::kSymbol) throw SyntaxError(s.line, "want a label");
  i.run = branch_to;
  jumps_.push_back({f_.code.size(), s.operands[0].name});
  return true;
}

Function FunctionBuilder::finish() {
  for (const Jump& jump : jumps_) {
    auto label = labels_.find(jump.label);
    if (label == labels_.end()) throw SyntaxError(f_.code[jump.instruction].line, "no label " + jump.label);
    f_.code[jump.instruction].target = uint32_t(label->second);
  }
  // The dynamic array begins behind all others, and its address is known only now.
  f_.shared_bytes = (f_.shared_bytes + 15) / 16 * 16;
  if (!dynamic_.empty()) {
    for (auto& [row, bits] : f_.constants) {
      if (row == registers_[dynamic_]) bits = f_.shared_bytes;
    }
  }
  // A jump to the end, or falling off it, is an exit.
  Instruction last;
  last.run = exit_lanes;
  last.parts = true;
  last.line = f_.code.empty() ? 0 : f_.code.back().line;
  f_.code.push_back(last);
  return std::move(f_);
}

uint32_t FunctionBuilder::new_row() { return f_.rows++; }

uint32_t FunctionBuilder::constant(uint64_t bits) {
  auto [found, fresh] = constants_.emplace(bits, f_.rows);
  if (fresh) f_.constants[new_row()] = bits;
  return found->second;
}

bool FunctionBuilder::declared(const std::string& name) const {
  size_t digits = name.find_last_not_of("0123456789") + 1;
  auto range = declared_.find(name.substr(0, digits));
  if (range != declared_.end() && digits < name.size()) {
    return std::strtoull(name.c_str() + digits, nullptr, 10) < range->second;
  }
  return declared_.count(name) > 0;
}

uint32_t FunctionBuilder::reg(const std::string& name) {
  auto known = registers_.find(name);
  if (known != registers_.end()) return known->second;
  if (name == "WARP_SZ") return constant(kLanes);
  auto special = std::find(kSpecialNames.begin(), kSpecialNames.end(), name);
  if (special == kSpecialNames.end() && !declared(name)) throw SyntaxError(line_, "register " + name + " is not declared");
  uint32_t row = new_row();
  registers_[name] = row;
  if (special != kSpecialNames.end()) f_.specials[row] = Special(special - kSpecialNames.begin());
  return row;
}

uint32_t FunctionBuilder::of(const Operand& o) {
  switch (o.kind) {
    case Operand::kRegister:
      return reg(o.name);
    case Operand::kNumber:
      return constant(o.bits);
    case Operand::kAddress:
      if (o.name.empty()) return constant(0);
      if (o.name[0] == '%') return reg(o.name);
      [[fallthrough]];
    case Operand::kSymbol: {
      auto variable = variables_.find(o.name);
      if (variable == variables_.end() || !variable->second.dynamic) return constant(address_of(o.name));
      // Only the launch-sized array needs a row of its own, to be set at the end.
      if (!registers_.count(o.name)) {
        dynamic_ = o.name;
        registers_[o.name] = new_row();
        f_.constants[registers_[o.name]] = 0;
      }
      return registers_[o.name];
    }
    case Operand::kVector:
      break;
  }
  throw SyntaxError(line_, "a vector is not allowed here");
}

// address_of returns the address of a symbol within its space. Arrays get a place
// when they are first used, so that a kernel pays for its own only.
uint64_t FunctionBuilder::address_of(const std::string& symbol) {
  auto parameter = parameters_.find(symbol);
  if (parameter != parameters_.end()) return parameter->second;
  auto placed = placed_.find(symbol);
  if (placed != placed_.end()) return placed->second;
  auto found = variables_.find(symbol);
  if (found == variables_.end()) throw SyntaxError(line_, "unknown name " + symbol);
  const Variable& v = found->second;
  uint64_t& used = v.space == Space::kShared ? f_.shared_bytes : f_.local_bytes;
  uint64_t address = (used + v.alignment - 1) / v.alignment * v.alignment;
  used = address + v.size;
  return placed_[symbol] = address;
}

}  // namespace ptx
