// Memory, copies and fills.
#include <algorithm>
#include <cstring>

#include "emulator.h"

using namespace emu;

namespace {

// device_range returns where device memory is now, or faults.
uint8_t* device_range(Emulator& e, uint64_t address, uint64_t size, std::shared_ptr<const Table>* keep) {
  {
    Scheduler::Lock lock(e.scheduler.mutex);
    *keep = e.memory.table();
  }
  uint8_t* place = (*keep)->find(address, size);
  if (!place) throw Fault(kIllegalAddress, std::to_string(size) + " bytes, " + (*keep)->describe(address));
  return place;
}

// still_pinned faults when the host has freed memory that a copy in the queue uses.
void still_pinned(Emulator& e, const void* address, uint64_t size) {
  Scheduler::Lock lock(e.scheduler.mutex);
  if (!e.host.pinned(address, size)) throw Fault(kIllegalAddress, "pinned memory was freed before the copy was done");
}

int submit(Emulator& e, Handle handle, const char* name, std::function<void()> run) {
  auto stream = find(e.streams, handle);
  if (!stream) return kInvalidHandle;
  e.scheduler.submit(*stream, {name, std::move(run), nullptr, nullptr});
  return kSuccess;
}

}  // namespace

EMULATOR_EXPORT int cuMemAlloc_v2(uint64_t* address, size_t size) {
  return call("cuMemAlloc_v2", Needs::kContext, [&](Emulator& e, auto&) -> int { return e.memory.allocate(size, address); });
}

// A driver waits for the device here. The emulator does not, so that a program
// that relies on it is found.
EMULATOR_EXPORT int cuMemFree_v2(uint64_t address) {
  return call("cuMemFree_v2", Needs::kContext, [&](Emulator& e, auto&) -> int {
    return address == 0 ? kSuccess : e.memory.release(address);
  });
}

EMULATOR_EXPORT int cuMemGetInfo_v2(size_t* free, size_t* total) {
  return call("cuMemGetInfo_v2", Needs::kContext, [&](Emulator& e, auto&) -> int {
    *total = size_t(e.memory.limit());
    *free = size_t(e.memory.limit() - e.memory.used());
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuMemHostAlloc(void** address, size_t size, unsigned flags) {
  return call("cuMemHostAlloc", Needs::kContext, [&](Emulator& e, auto&) -> int {
    return flags > 7 ? kInvalidValue : e.host.allocate(size, address);
  });
}

EMULATOR_EXPORT int cuMemFreeHost(void* address) {
  return call("cuMemFreeHost", Needs::kContext, [&](Emulator& e, auto&) -> int { return e.host.release(address); });
}

// Pageable memory is copied before the call returns, pinned memory when the stream
// gets there.
EMULATOR_EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t size, Handle stream) {
  return call("cuMemcpyHtoDAsync_v2", Needs::kContext, [&](Emulator& e, auto&) -> int {
    if (size == 0) return kSuccess;
    std::vector<uint8_t> staged;
    bool pinned = e.host.pinned(from, size);
    if (!pinned) staged.assign(static_cast<const uint8_t*>(from), static_cast<const uint8_t*>(from) + size);
    return submit(e, stream, "copy to device", [&e, to, from, size, pinned, staged = std::move(staged)] {
      std::shared_ptr<const Table> keep;
      if (pinned) still_pinned(e, from, size);
      std::memcpy(device_range(e, to, size, &keep), pinned ? from : staged.data(), size);
    });
  });
}

EMULATOR_EXPORT int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t size, Handle stream) {
  return call("cuMemcpyDtoHAsync_v2", Needs::kContext, [&](Emulator& e, auto& lock) -> int {
    if (size == 0) return kSuccess;
    bool pinned = e.host.pinned(to, size);
    int status = submit(e, stream, "copy to host", [&e, to, from, size, pinned] {
      std::shared_ptr<const Table> keep;
      if (pinned) still_pinned(e, to, size);
      std::memcpy(to, device_range(e, from, size, &keep), size);
    });
    if (status != kSuccess || pinned) return status;
    std::shared_ptr<Stream> s = *find(e.streams, stream);
    e.scheduler.wait(lock, [&] { return s->idle(); });
    return e.scheduler.failure();
  });
}

EMULATOR_EXPORT int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size, Handle stream) {
  return call("cuMemcpyDtoDAsync_v2", Needs::kContext, [&](Emulator& e, auto&) -> int {
    if (size == 0) return kSuccess;
    return submit(e, stream, "copy within device", [&e, to, from, size] {
      std::shared_ptr<const Table> keep;
      const uint8_t* source = device_range(e, from, size, &keep);
      if (to < from + size && from < to + size) throw Fault(kIllegalAddress, "the ranges overlap");
      std::memcpy(device_range(e, to, size, &keep), source, size);
    });
  });
}

EMULATOR_EXPORT int cuMemsetD32Async(uint64_t address, unsigned word, size_t count, Handle stream) {
  return call("cuMemsetD32Async", Needs::kContext, [&](Emulator& e, auto&) -> int {
    if (count == 0) return kSuccess;
    if (address % 4 != 0) return kInvalidValue;
    return submit(e, stream, "fill", [&e, address, word, count] {
      std::shared_ptr<const Table> keep;
      auto words = reinterpret_cast<uint32_t*>(device_range(e, address, 4 * count, &keep));
      std::fill_n(words, count, word);
    });
  });
}
