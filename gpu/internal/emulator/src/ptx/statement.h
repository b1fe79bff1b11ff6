// One PTX instruction as it is written, and what turns it into an Instruction.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "module.h"
#include "token.h"

namespace ptx {

struct Operand {
  enum Kind { kRegister, kNumber, kSymbol, kAddress, kVector } kind = kNumber;
  std::string name;               // of a register or symbol; the base of an address, or empty
  uint64_t bits = 0;              // of a number
  int64_t offset = 0;             // of an address
  std::vector<Operand> elements;  // of a vector
  std::string predicate;          // in %r1|%p1, the second result
};

struct Statement {
  std::string guard;
  bool negated = false;
  std::vector<std::string> opcode;  // split at the dots
  std::vector<Operand> operands;
  int line = 0;

  bool has(const std::string& suffix) const;
  std::string written() const;  // the opcode with its dots
};

enum class Type : uint8_t { kNone, kPred, kB8, kB16, kB32, kB64, kU8, kU16, kU32, kU64, kS8, kS16, kS32, kS64, kF32, kF64 };

// type_of reads a suffix such as f32; kNone for what is no type.
Type type_of(const std::string& suffix);
uint64_t size_of(Type type);

// Rows gives out the rows of one function.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual uint32_t of(const Operand& operand) = 0;
  virtual uint32_t constant(uint64_t bits) = 0;
  virtual uint32_t reg(const std::string& name) = 0;
};

// Decoder turns a statement into an instruction: it sets the handler and the rows.
// It leaves the handler null for suffixes that it does not know.
using Decoder = void (*)(const Statement&, Rows&, Instruction&);

// Each file of instructions adds its decoders to the table by opcode.
using Decoders = std::map<std::string, Decoder>;
void add_arithmetic(Decoders& table);
void add_bits(Decoders& table);
void add_comparisons(Decoders& table);
void add_conversions(Decoders& table);
void add_transcendentals(Decoders& table);
void add_memory(Decoders& table);
void add_atomics(Decoders& table);
void add_warp(Decoders& table);
void add_tensor(Decoders& table);
void add_async(Decoders& table);

// only reports whether all suffixes from the given one on are among those listed,
// types aside. A decoder that does not use it accepts what it has not understood.
bool only(const Statement& s, std::initializer_list<const char*> known);

}  // namespace ptx
