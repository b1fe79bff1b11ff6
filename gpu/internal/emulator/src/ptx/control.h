// Handlers that the builder itself needs.
#pragma once

#include "module.h"

namespace ptx {

void branch_to(Warp& warp, const Instruction& instruction, uint32_t mask);
void exit_lanes(Warp& warp, const Instruction& instruction, uint32_t mask);

}  // namespace ptx
