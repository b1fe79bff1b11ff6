// A loaded PTX module: kernels as lists of instructions over rows of registers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptx {

class Warp;
struct Instruction;

constexpr int kLanes = 32;

// Handler does an instruction for the lanes of a mask.
using Handler = void (*)(Warp&, const Instruction&, uint32_t mask);

enum class Space : uint8_t { kGeneric, kGlobal, kShared, kLocal, kParam };

// Instruction is decoded so far that doing it needs no look-up. Operands are
// numbers of rows: a row holds a value per lane, be it a register, a constant or a
// special register such as %tid.x.
struct Instruction {
  Handler run = nullptr;
  uint32_t d = 0, a = 0, b = 0, c = 0, e = 0;
  uint32_t vector[4] = {};  // rows of the elements of a vector
  uint8_t count = 1;        // of them
  Space space = Space::kGeneric;
  uint8_t mode = 0;         // what else the handler distinguishes
  bool has_d = true;
  bool parts = false;       // lanes may go different ways behind it
  std::vector<uint32_t> registers;  // rows of long operand lists
  int64_t offset = 0, offset2 = 0;  // of addresses
  uint32_t target = 0;      // of a branch
  bool guarded = false, negated = false;
  uint32_t guard = 0;
  int line = 0;
};

struct Parameter {
  uint64_t offset = 0, size = 0;
};

// Special is a register that the hardware sets.
enum class Special : uint8_t {
  kTidX, kTidY, kTidZ, kNtidX, kNtidY, kNtidZ, kCtaidX, kCtaidY, kCtaidZ, kNctaidX, kNctaidY, kNctaidZ, kLaneid, kWarpid,
  kCount
};

// Variable is a shared or local array of a kernel.
struct Variable {
  Space space = Space::kShared;
  uint64_t size = 0, alignment = 1;
  bool dynamic = false;  // an extern array, sized by the launch
};

struct Function {
  std::string name;
  std::vector<Parameter> parameters;
  uint64_t parameter_bytes = 0;
  std::vector<Instruction> code;
  uint32_t rows = 0;
  std::map<uint32_t, uint64_t> constants;          // rows with the same value in every lane
  std::map<uint32_t, Special> specials;            // rows of special registers
  uint64_t shared_bytes = 0, local_bytes = 0;      // without what a launch adds
  uint32_t max_threads = 1024;
  bool in_step = false;  // the threads of a warp do instructions together
};

struct Module {
  int version = 0;     // 78 for 7.8
  int capability = 0;  // 80 for sm_80
  std::map<std::string, std::shared_ptr<const Function>> functions;
};

// parse reads a module. It throws SyntaxError for what is wrong and for what the
// interpreter does not know, so that nothing is skipped silently.
Module parse(const std::string& text);

// Where the shared and the local memory of a thread appear among generic addresses.
constexpr uint64_t kSharedWindow = 0x100000000000, kLocalWindow = 0x200000000000, kWindowSize = 1ull << 32;

}  // namespace ptx
