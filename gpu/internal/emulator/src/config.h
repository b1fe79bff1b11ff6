// What a test asks of the emulated device.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace emu {

// CallFault makes the nth call of a function, counted from 1, return a status.
struct CallFault {
  int64_t nth = 0;
  int status = 0;
};

struct Config {
  int version = 13000;           // what cuDriverGetVersion says
  int devices = 1;               // how many devices there are
  int capability = 90;           // compute capability, 10 * major + minor
  int64_t memory = 256ll << 20;  // bytes of device memory
  int64_t pinned = 256ll << 20;  // bytes of host memory that can be pinned
  bool threads = false;          // a thread per stream instead of the adversarial scheduler
  uint64_t seed = 1;             // of the scheduler and of the order of blocks and warps
  int64_t steps = 1ll << 32;     // instructions a launch may take before it is called a hang
  int64_t fault_operation = 0;   // the operation, counted from 1, that fails; 0 for none
  int fault_status = 0;          // with this status
  std::map<std::string, CallFault> calls;
};

// parse_config reads "key=value" pairs separated by spaces. It throws
// std::invalid_argument with a message that names the pair.
Config parse_config(const std::string& text);

}  // namespace emu
