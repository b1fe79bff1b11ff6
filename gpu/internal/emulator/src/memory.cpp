#include "memory.h"

#include <algorithm>
#include <cstring>

namespace emu {
namespace {

constexpr uint64_t kAlignment = 512;  // at least what cuMemAlloc promises
constexpr int kPoison = 0xff;         // four of them are a NaN

uint64_t round_up(uint64_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

const Allocation* Table::allocation(uint64_t address) const {
  auto after = std::upper_bound(allocations.begin(), allocations.end(), address,
                                [](uint64_t x, const Allocation& a) { return x < a.base; });
  return after == allocations.begin() ? nullptr : &*(after - 1);
}

std::string Table::describe(uint64_t address) const {
  const Allocation* a = allocation(address);
  if (!a) return "below all allocations";
  int64_t past = int64_t(address - (a->base + a->size));
  if (past < 0) return std::to_string(address - a->base) + " bytes into " + std::to_string(a->size);
  return std::to_string(past) + " bytes past the end of " + std::to_string(a->size);
}

Status DeviceMemory::allocate(uint64_t size, uint64_t* address) {
  if (size == 0) return kInvalidValue;
  if (size > uint64_t(limit_) || int64_t(round_up(size)) > limit_ - used_) return kOutOfMemory;
  Allocation a{next_, size, std::shared_ptr<uint8_t[]>(new uint8_t[size])};
  std::memset(a.bytes.get(), kPoison, size);
  auto table = std::make_shared<Table>(*table_);
  table->allocations.push_back(a);
  table_ = table;
  used_ += int64_t(round_up(size));
  next_ += round_up(size) + kAlignment;  // the gap catches accesses past the end
  *address = a.base;
  return kSuccess;
}

Status DeviceMemory::release(uint64_t address) {
  const Allocation* a = table_->allocation(address);
  if (!a || a->base != address) return kInvalidValue;
  used_ -= int64_t(round_up(a->size));
  auto table = std::make_shared<Table>(*table_);
  table->allocations.erase(table->allocations.begin() + (a - table_->allocations.data()));
  table_ = table;
  return kSuccess;
}

Status HostMemory::allocate(uint64_t size, void** address) {
  if (size == 0) return kInvalidValue;
  if (size > uint64_t(limit_ - used_)) return kOutOfMemory;
  std::vector<uint8_t> block(size, kPoison);
  uint8_t* base = block.data();
  blocks_.emplace(base, std::move(block));
  used_ += int64_t(size);
  *address = base;
  return kSuccess;
}

Status HostMemory::release(void* address) {
  auto block = blocks_.find(static_cast<uint8_t*>(address));
  if (block == blocks_.end()) return kInvalidValue;
  used_ -= int64_t(block->second.size());
  blocks_.erase(block);
  return kSuccess;
}

bool HostMemory::pinned(const void* address, uint64_t size) const {
  auto p = static_cast<const uint8_t*>(address);
  auto after = blocks_.upper_bound(p);
  if (after == blocks_.begin()) return false;
  const auto& [base, block] = *std::prev(after);
  return size <= block.size() && uint64_t(p - base) <= block.size() - size;
}

}  // namespace emu
