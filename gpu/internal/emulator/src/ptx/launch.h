// Runs a grid of blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../memory.h"
#include "module.h"

namespace ptx {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t product() const { return uint64_t(x) * y * z; }
};

// Range is device memory that a launch has declared to touch.
struct Range {
  uint64_t begin = 0, end = 0;
  bool write = false;
};

// Grid is one launch.
struct Grid {
  std::shared_ptr<const Function> function;
  Dim3 grid, block;
  uint64_t shared_bytes = 0;  // static and dynamic
  std::vector<uint8_t> parameters;
  std::vector<Range> declared;  // if there are any, the only memory that may be touched
  std::shared_ptr<const emu::Table> memory;
  uint64_t seed = 0;   // of the order of blocks and warps
  int64_t steps = 0;   // instructions of a warp that may be done
};

// run executes a launch to its end. It throws emu::Fault.
void run(Grid& grid);

}  // namespace ptx
