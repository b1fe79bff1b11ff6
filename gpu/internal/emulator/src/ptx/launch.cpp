#include "launch.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "warp.h"

namespace ptx {
namespace {

// check_barrier makes sure that every thread that the block started with is at the
// same barrier.
void check_barrier(const std::vector<Warp>& warps) {
  int line = 0;
  for (const Warp& w : warps) {
    if (w.waiting_lanes()) line = w.barrier_line();
  }
  std::string what = "divergent barrier at line " + std::to_string(line);
  for (const Warp& w : warps) {
    if (w.lost_lanes()) w.fault(emu::kLaunchFailed, what + ": a thread of the block has exited");
    if (w.barrier_line() != line) w.fault(emu::kLaunchFailed, what + ": other warps wait elsewhere");
  }
}

void run_block(Grid& grid, Dim3 index, std::mt19937_64& random) {
  Block block{grid, SharedMemory(grid.shared_bytes)};
  std::vector<Warp> warps;
  uint32_t count = uint32_t((grid.block.product() + kLanes - 1) / kLanes);
  warps.reserve(count);
  for (uint32_t w = 0; w < count; w++) warps.emplace_back(block, w, index);
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (;;) {
    std::shuffle(order.begin(), order.end(), random);
    for (uint32_t w : order) warps[w].run();
    if (std::all_of(warps.begin(), warps.end(), [](const Warp& w) { return w.done(); })) return;
    check_barrier(warps);
    for (Warp& w : warps) w.release();
    block.phase++;
  }
}

}  // namespace

void run(Grid& grid) {
  std::mt19937_64 random(grid.seed);
  uint64_t blocks = grid.grid.product();
  // A walk with a stride that has no factor in common with the number of blocks
  // meets each of them once, in an order that programs do not expect.
  uint64_t stride = random() % blocks + 1, block = random() % blocks;
  while (std::gcd(stride, blocks) != 1) stride++;
  for (uint64_t n = 0; n < blocks; n++, block = (block + stride) % blocks) {
    Dim3 index{uint32_t(block % grid.grid.x), uint32_t(block / grid.grid.x % grid.grid.y),
               uint32_t(block / grid.grid.x / grid.grid.y)};
    run_block(grid, index, random);
  }
}

}  // namespace ptx
