// The emulated driver: one process-wide state behind the functions of libcuda.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "config.h"
#include "memory.h"
#include "ptx/module.h"
#include "scheduler.h"

// A function that the shared library exports with C linkage.
#define EMULATOR_EXPORT extern "C" __attribute__((visibility("default")))

namespace emu {

using Handle = uintptr_t;

// Kernel is a function of a loaded module, with what the host has set on it.
struct Kernel {
  std::shared_ptr<const ptx::Function> function;
  int max_dynamic_shared = 48 << 10;
};

struct Module {
  ptx::Module code;
  std::map<std::string, Handle> kernels;
};

// Limits of the emulated device, those of compute capability 9.0.
constexpr int kMaxThreads = 1024;
constexpr int kStaticShared = 48 << 10;
constexpr int kMaxShared = 227 << 10;
constexpr int kMultiprocessors = 132;

struct Emulator {
  explicit Emulator(const Config& c) : config(c), scheduler(config), memory(c.memory), host(c.pinned) {}

  // add gives out a handle. Handles are never used twice and are no pointers, so
  // that a stale or foreign one is always found.
  template <class T>
  Handle add(std::map<Handle, T>& table, T item) {
    next_handle += 16;
    table.emplace(next_handle, std::move(item));
    return next_handle;
  }

  Config config;
  Scheduler scheduler;
  DeviceMemory memory;
  HostMemory host;
  bool initialized = false;
  int retained = 0;  // references to the primary context
  std::map<Handle, std::shared_ptr<Stream>> streams;
  std::map<Handle, std::shared_ptr<Event>> events;
  std::map<Handle, Module> modules;
  std::map<Handle, Kernel> kernels;
  std::map<std::string, int64_t> calls;
  Handle next_handle = 0x1000;
};

// The handle of the primary context.
constexpr Handle kContext = 0xc0de00;

// state is the emulator of this copy of the library. It is never destroyed: its
// threads run until the process ends.
Emulator& state();
void configure(const Config& config);

// Needs says what must hold before a call does anything.
enum class Needs { kNothing, kDriver, kContext };

// begin checks a call in the order in which a driver does: injected faults, the
// initialisation, the thread's context, earlier failures.
Status begin(Emulator& e, const char* name, Needs needs);

// call runs the body of a driver function with the state locked.
template <class Body>
int call(const char* name, Needs needs, Body body) {
  Emulator& e = state();
  Scheduler::Lock lock(e.scheduler.mutex);
  Status status = begin(e, name, needs);
  return status == kSuccess ? body(e, lock) : status;
}

// find looks up a handle; null for one that is not valid.
template <class T>
T* find(std::map<Handle, T>& table, Handle handle) {
  auto found = table.find(handle);
  return found == table.end() ? nullptr : &found->second;
}

extern thread_local Handle current_context;

}  // namespace emu
