// A warp: 32 threads that share instructions as long as they agree where to go.
#pragma once

#include <bit>
#include <cstring>

#include "launch.h"
#include "shared.h"

namespace ptx {

// Copy is a background copy of one lane.
struct Copy {
  uint64_t to, from;
  uint32_t size, valid;  // bytes; those that are not valid become zero
  int lane;
  uint32_t group = 0;
};

// Block is what the warps of a block share.
struct Block {
  Grid& grid;
  SharedMemory shared;
  uint32_t phase = 0;  // counts barriers
};

// RegisterFile is memory for the registers of a warp. A thread uses it again for later
// warps: compilers give every value a register of its own, and filling hundreds of them
// for each warp of a small launch would cost more than the launch. A register that was
// never written holds poison or what another warp left there.
class RegisterFile {
 public:
  explicit RegisterFile(uint64_t words);
  ~RegisterFile();
  RegisterFile(RegisterFile&&) = default;
  uint64_t* data() { return words_.data(); }

 private:
  std::vector<uint64_t> words_;
};

class Warp {
 public:
  Warp(Block& block, uint32_t index, Dim3 block_index);

  // run goes on until every lane has exited or waits at the barrier.
  void run();
  bool done() const { return live_ == 0; }
  uint32_t waiting_lanes() const { return waiting_; }
  uint32_t live_lanes() const { return live_; }
  bool lost_lanes() const { return live_ != started_; }
  // release lets the lanes at the barrier go on.
  void release() { waiting_ = 0; }
  // barrier_line is the line of the barrier at which the lanes wait.
  int barrier_line() const { return barrier_line_; }

  // For handlers.
  uint64_t* row(uint32_t r) { return rows_.data() + uint64_t(r) * kLanes; }
  void jump(uint32_t mask, uint32_t target);
  void exit(uint32_t mask) { live_ &= ~mask; }
  void wait_at_barrier(uint32_t mask);
  void synchronize(uint32_t mask, uint32_t wanted);
  uint8_t* memory(Space space, uint64_t address, uint64_t size, SharedMemory::Access access, int lane);
  const uint8_t* parameter(uint64_t offset, uint64_t size) const;
  void copy_later(Copy copy);
  void commit_copies(uint32_t mask);
  // finish_copies does the copies of all but so many of the last groups of each lane.
  void finish_copies(uint32_t mask, uint32_t but);
  [[noreturn]] void fault(emu::Status status, const std::string& what) const;

 private:
  void fill_rows(uint32_t index, Dim3 block_index);
  void run_together(uint32_t mask, uint32_t limit);
  uint8_t* shared(uint64_t address, uint64_t size, SharedMemory::Access access, int lane);
  uint8_t* local(uint64_t address, uint64_t size, int lane);
  uint8_t* global(uint64_t address, uint64_t size, SharedMemory::Access access, int lane);
  void check_declared(uint64_t address, uint64_t size, SharedMemory::Access access, int lane) const;

  Block& block_;
  const Function& function_;
  RegisterFile rows_;
  std::vector<uint8_t> local_;  // of all lanes
  uint32_t pc_[kLanes] = {};
  uint32_t started_ = 0, live_ = 0, waiting_ = 0;
  uint32_t phase_ = 0;  // counts synchronisations of the warp
  uint32_t first_thread_ = 0, index_ = 0;
  bool jumped_ = false;
  int barrier_line_ = 0;
  std::vector<Copy> copies_;
  uint32_t groups_[kLanes] = {};  // committed by each lane
  const Instruction* current_ = nullptr;
  const emu::Allocation* recent_ = nullptr;  // of global memory
};

// each calls a function for the lanes of a mask.
template <class F>
inline void each(uint32_t mask, F f) {
  if (mask == ~0u) {
    for (int lane = 0; lane < kLanes; lane++) f(lane);
    return;
  }
  for (; mask; mask &= mask - 1) f(std::countr_zero(mask));
}

// get and put move values between rows and C++ types. What is above a value's bits
// does not matter to those who read its type.
template <class T>
inline T get(uint64_t word) {
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}
template <class T>
inline uint64_t put(T value) {
  uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}

}  // namespace ptx
