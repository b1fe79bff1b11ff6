// Device memory and pinned host memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "status.h"

namespace emu {

// Allocation is a piece of device memory. Its addresses are numbers that no host
// pointer has, so that mixing the two up is found.
struct Allocation {
  uint64_t base = 0;
  uint64_t size = 0;
  std::shared_ptr<uint8_t[]> bytes;
};

// Table is all device memory at one moment, sorted by address. A kernel keeps the
// table of its start, so that its accesses need no lock.
class Table {
 public:
  // find returns where the bytes [address, address+size) are, or null if they do
  // not lie within one allocation.
  uint8_t* find(uint64_t address, uint64_t size) const {
    const Allocation* a = allocation(address);
    if (!a || size > a->size || address - a->base > a->size - size) return nullptr;
    return a->bytes.get() + (address - a->base);
  }

  // allocation returns the allocation at or before an address, or null.
  const Allocation* allocation(uint64_t address) const;

  // describe says where an address is with respect to the allocations.
  std::string describe(uint64_t address) const;

  std::vector<Allocation> allocations;
};

// DeviceMemory hands out device memory. Addresses are never used twice, and fresh
// memory is full of NaNs: what a program reads without having written it shows.
// The caller serialises calls.
class DeviceMemory {
 public:
  explicit DeviceMemory(int64_t limit) : limit_(limit) {}

  Status allocate(uint64_t size, uint64_t* address);
  Status release(uint64_t address);
  std::shared_ptr<const Table> table() const { return table_; }
  int64_t used() const { return used_; }
  int64_t limit() const { return limit_; }

 private:
  int64_t limit_;
  int64_t used_ = 0;
  uint64_t next_ = 0x700000000000;
  std::shared_ptr<const Table> table_ = std::make_shared<Table>();
};

// HostMemory hands out pinned memory and knows which host memory is pinned.
class HostMemory {
 public:
  explicit HostMemory(int64_t limit) : limit_(limit) {}

  Status allocate(uint64_t size, void** address);
  Status release(void* address);
  bool pinned(const void* address, uint64_t size) const;
  int64_t used() const { return used_; }

 private:
  int64_t limit_;
  int64_t used_ = 0;
  std::map<const uint8_t*, std::vector<uint8_t>> blocks_;
};

}  // namespace emu
