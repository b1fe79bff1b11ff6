#include "warp.h"

#include <algorithm>

namespace ptx {
namespace {

constexpr uint64_t kPoison = 0xffffffffffffffff;  // a NaN of either width

thread_local std::vector<std::vector<uint64_t>> unused_registers;

}  // namespace

RegisterFile::RegisterFile(uint64_t words) {
  if (!unused_registers.empty()) {
    words_ = std::move(unused_registers.back());
    unused_registers.pop_back();
  }
  if (words_.size() < words) words_.resize(words, kPoison);
}

RegisterFile::~RegisterFile() {
  if (!words_.empty()) unused_registers.push_back(std::move(words_));
}

Warp::Warp(Block& block, uint32_t index, Dim3 block_index)
    : block_(block), function_(*block.grid.function), rows_(uint64_t(function_.rows) * kLanes),
      local_(function_.local_bytes * kLanes, 0xff), first_thread_(index * kLanes), index_(index) {
  uint64_t threads = std::min<uint64_t>(block.grid.block.product() - first_thread_, kLanes);
  started_ = live_ = uint32_t((1ull << threads) - 1);
  fill_rows(index, block_index);
}

void Warp::fill_rows(uint32_t index, Dim3 block_index) {
  for (auto [r, bits] : function_.constants) std::fill_n(row(r), kLanes, bits);
  const Dim3 &n = block_.grid.block, &g = block_.grid.grid;
  for (uint32_t lane = 0; lane < kLanes; lane++) {
    uint32_t t = first_thread_ + lane;
    // In the order of Special.
    const uint32_t values[size_t(Special::kCount)] = {
        t % n.x,       t / n.x % n.y, t / n.x / n.y, n.x, n.y, n.z,  block_index.x,
        block_index.y, block_index.z, g.x,           g.y, g.z, lane, index};
    for (auto [r, special] : function_.specials) row(r)[lane] = values[size_t(special)];
  }
}

// run does the lanes that are furthest behind first. Code compiled from loops and
// branches has the place where paths meet behind the paths, so lanes meet there.
void Warp::run() {
  while (uint32_t ready = live_ & ~waiting_) {
    uint32_t first = ~0u, limit = ~0u, mask = 0;
    each(ready, [&](int lane) { first = std::min(first, pc_[lane]); });
    each(ready, [&](int lane) {
      if (pc_[lane] == first) mask |= 1u << lane;
      else limit = std::min(limit, pc_[lane]);
    });
    run_together(mask, limit);
  }
}

// run_together runs lanes that are at the same instruction until they part or
// reach other lanes.
void Warp::run_together(uint32_t mask, uint32_t limit) {
  uint32_t pc = pc_[std::countr_zero(mask)];
  jumped_ = false;
  while (!jumped_ && pc < limit) {
    const Instruction& i = function_.code[pc];
    current_ = &i;
    if (--block_.grid.steps < 0) fault(emu::kLaunchTimeout, "the launch takes too many instructions");
    uint32_t active = mask;
    if (i.guarded) {
      const uint64_t* guard = row(i.guard);
      active = 0;
      each(mask, [&](int lane) { active |= uint32_t((guard[lane] & 1) != i.negated) << lane; });
    }
    pc++;
    if (active == 0) continue;
    if (i.parts) each(mask, [&](int lane) { pc_[lane] = pc; });
    i.run(*this, i, active);
    if (function_.in_step) phase_++;
  }
  if (!jumped_) each(mask, [&](int lane) { pc_[lane] = pc; });
}

void Warp::jump(uint32_t mask, uint32_t target) {
  each(mask, [&](int lane) { pc_[lane] = target; });
  jumped_ = true;
}

void Warp::wait_at_barrier(uint32_t mask) {
  if (waiting_ != 0 && barrier_line_ != current_->line) {
    fault(emu::kLaunchFailed, "divergent barrier: lanes of the warp wait at line " + std::to_string(barrier_line_));
  }
  barrier_line_ = current_->line;
  waiting_ |= mask;
  jumped_ = true;
}

// synchronize is a barrier of the warp: the wanted lanes must all be there.
void Warp::synchronize(uint32_t mask, uint32_t wanted) {
  if ((wanted & started_) != (wanted & mask)) {
    fault(emu::kLaunchFailed, "not all lanes that the mask names take part");
  }
  phase_++;
}

void Warp::fault(emu::Status status, const std::string& what) const {
  throw emu::Fault(status, "line " + std::to_string(current_ ? current_->line : 0) + ": " + what);
}

const uint8_t* Warp::parameter(uint64_t offset, uint64_t size) const {
  const std::vector<uint8_t>& p = block_.grid.parameters;
  if (size > p.size() || offset > p.size() - size) fault(emu::kIllegalAddress, "parameter out of bounds");
  return p.data() + offset;
}

// memory returns where a lane's access goes.
uint8_t* Warp::memory(Space space, uint64_t address, uint64_t size, SharedMemory::Access access, int lane) {
  if (address % size != 0) fault(emu::kMisalignedAddress, "misaligned access of " + std::to_string(size) + " bytes");
  if (space == Space::kGeneric && address - kSharedWindow < kWindowSize) {
    space = Space::kShared;
    address -= kSharedWindow;
  } else if (space == Space::kGeneric && address - kLocalWindow < kWindowSize) {
    space = Space::kLocal;
    address -= kLocalWindow;
  }
  if (space == Space::kShared) return shared(uint32_t(address), size, access, lane);
  if (space == Space::kLocal) return local(address, size, lane);
  return global(address, size, access, lane);
}

uint8_t* Warp::shared(uint64_t address, uint64_t size, SharedMemory::Access access, int lane) {
  uint32_t thread = first_thread_ + uint32_t(lane);
  uint8_t* place = block_.shared.at(address, size);
  if (!place) {
    fault(emu::kIllegalAddress, "shared access at " + std::to_string(address) + " of " +
                                    std::to_string(block_.shared.size()) + " bytes by thread " + std::to_string(thread));
  }
  std::string race = block_.shared.note(address, size, access, {thread, index_, block_.phase, phase_, current_->line});
  if (!race.empty()) fault(emu::kLaunchFailed, race);
  return place;
}

uint8_t* Warp::local(uint64_t address, uint64_t size, int lane) {
  uint64_t bytes = function_.local_bytes;
  if (size > bytes || address > bytes - size) fault(emu::kIllegalAddress, "local access out of bounds");
  return local_.data() + bytes * uint32_t(lane) + address;
}

// check_declared looks for an access among those that the launch has declared.
void Warp::check_declared(uint64_t address, uint64_t size, SharedMemory::Access access, int lane) const {
  bool write = access != SharedMemory::kRead, readable = false;
  for (const Range& r : block_.grid.declared) {
    if (address < r.begin || address + size > r.end) continue;
    if (r.write || !write) return;
    readable = true;
  }
  fault(emu::kIllegalAddress, std::string(write ? "writes" : "reads") + " memory that the launch has declared " +
                                  (readable ? "to be read only" : "not at all") + ", by thread " +
                                  std::to_string(first_thread_ + uint32_t(lane)));
}

uint8_t* Warp::global(uint64_t address, uint64_t size, SharedMemory::Access access, int lane) {
  // Accesses come in runs to one allocation.
  bool recent = recent_ && address - recent_->base < recent_->size && recent_->size - (address - recent_->base) >= size;
  if (!recent) {
    const emu::Table& table = *block_.grid.memory;
    if (!table.find(address, size)) {
      fault(emu::kIllegalAddress, "access of " + std::to_string(size) + " bytes " + table.describe(address) +
                                      " by thread " + std::to_string(first_thread_ + uint32_t(lane)));
    }
    recent_ = table.allocation(address);
  }
  if (!block_.grid.declared.empty()) check_declared(address, size, access, lane);
  return recent_->bytes.get() + (address - recent_->base);
}

void Warp::copy_later(Copy copy) {
  copy.valid = std::min(copy.valid, copy.size);
  copy.group = groups_[copy.lane];
  copies_.push_back(copy);
}

void Warp::commit_copies(uint32_t mask) {
  each(mask, [&](int lane) { groups_[lane]++; });
}

void Warp::finish_copies(uint32_t mask, uint32_t but) {
  std::vector<Copy> later;
  for (const Copy& c : copies_) {
    if (!(mask >> c.lane & 1) || c.group + but >= groups_[c.lane]) {
      later.push_back(c);
      continue;
    }
    uint8_t* to = memory(Space::kShared, c.to, c.size, SharedMemory::kWrite, c.lane);
    std::memset(to, 0, c.size);
    // All bytes are read: an address must be right for the whole copy.
    if (c.valid > 0) std::memcpy(to, memory(Space::kGlobal, c.from, c.size, SharedMemory::kRead, c.lane), c.valid);
  }
  copies_ = std::move(later);
}

}  // namespace ptx
