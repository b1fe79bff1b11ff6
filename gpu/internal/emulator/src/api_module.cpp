// Modules, functions and launches.
#include <algorithm>
#include <cstring>
#include <utility>

#include "emulator.h"
#include "ptx/launch.h"
#include "ptx/token.h"

using namespace emu;

namespace {

// What the next launch of a thread has declared to touch.
thread_local std::vector<ptx::Range> declared;

// newest_ptx returns the PTX version that came with a CUDA version: 7.8 with 11.8,
// and from 12.0 on minor versions run in step.
int newest_ptx(int version) {
  if (version < 12000) return 70 + (version - 11000) / 10;
  return version < 13000 ? 80 + (version - 12000) / 10 : 90 + (version - 13000) / 10;
}

// JitLog finds the buffer for errors among the options of cuModuleLoadDataEx.
struct JitLog {
  char* buffer = nullptr;
  size_t size = 0;

  JitLog(unsigned count, const int* options, void** values) {
    for (unsigned n = 0; n < count; n++) {
      if (options[n] == 5) buffer = static_cast<char*>(values[n]);
      if (options[n] == 6) size = reinterpret_cast<size_t>(values[n]);
    }
  }

  void write(const std::string& text) const {
    if (!buffer || size == 0) return;
    size_t n = std::min(text.size(), size - 1);
    std::memcpy(buffer, text.data(), n);
    buffer[n] = '\0';
  }
};

Status load(Emulator& e, const char* image, const JitLog& log, Handle* handle) {
  Module module;
  try {
    module.code = ptx::parse(image);
  } catch (const std::exception& error) {
    log.write(error.what());
    return kInvalidPtx;
  }
  if (module.code.version > newest_ptx(e.config.version)) return kUnsupportedPtxVersion;
  if (module.code.capability > e.config.capability) return kNoBinaryForGpu;
  for (auto& [name, function] : module.code.functions) module.kernels[name] = e.add(e.kernels, Kernel{function});
  *handle = e.add(e.modules, std::move(module));
  return kSuccess;
}

bool within(unsigned n, unsigned limit) { return n >= 1 && n <= limit; }

// check_launch finds what a driver refuses before it starts anything.
Status check_launch(const Kernel& k, ptx::Dim3 grid, ptx::Dim3 block, unsigned shared) {
  if (!within(grid.x, 0x7fffffff) || !within(grid.y, 65535) || !within(grid.z, 65535)) return kInvalidValue;
  if (!within(block.x, 1024) || !within(block.y, 1024) || !within(block.z, 64)) return kInvalidValue;
  if (block.product() > kMaxThreads || block.product() > k.function->max_threads) return kInvalidValue;
  if (shared + k.function->shared_bytes > kStaticShared && int(shared) > k.max_dynamic_shared) return kInvalidValue;
  return shared + k.function->shared_bytes > kMaxShared ? kInvalidValue : kSuccess;
}

// copy_parameters reads the parameters in the way a driver does: as many as the
// kernel declares, each of its declared size.
std::vector<uint8_t> copy_parameters(const ptx::Function& f, void** parameters) {
  std::vector<uint8_t> bytes(f.parameter_bytes);
  for (size_t n = 0; n < f.parameters.size(); n++) {
    std::memcpy(bytes.data() + f.parameters[n].offset, parameters[n], f.parameters[n].size);
  }
  return bytes;
}

int function_attribute(const Kernel& k, int a) {
  switch (a) {
    case 0: return int(k.function->max_threads);
    case 1: return int(k.function->shared_bytes);
    case 3: return int(k.function->local_bytes);
    case 4: return int(std::min<uint32_t>(k.function->rows, 255));  // a compiler would find fewer
    case 8: return k.max_dynamic_shared;
  }
  return -1;
}

}  // namespace

EMULATOR_EXPORT int cuModuleLoadDataEx(Handle* handle, const char* image, unsigned count, int* options, void** values) {
  return call("cuModuleLoadDataEx", Needs::kContext, [&](Emulator& e, auto&) -> int {
    return load(e, image, JitLog(count, options, values), handle);
  });
}

// frond_declare_access belongs to no driver: it says what the next launch of this
// thread may touch, which is then checked.
EMULATOR_EXPORT void frond_declare_access(uint64_t address, size_t size, int write) {
  declared.push_back({address, address + size, write != 0});
}

EMULATOR_EXPORT int cuModuleUnload(Handle handle) {
  return call("cuModuleUnload", Needs::kContext, [&](Emulator& e, auto&) -> int {
    Module* module = find(e.modules, handle);
    if (!module) return kInvalidHandle;
    for (auto& [name, kernel] : module->kernels) e.kernels.erase(kernel);
    e.modules.erase(handle);
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuModuleGetFunction(Handle* handle, Handle module_handle, const char* name) {
  return call("cuModuleGetFunction", Needs::kContext, [&](Emulator& e, auto&) -> int {
    Module* module = find(e.modules, module_handle);
    if (!module) return kInvalidHandle;
    auto kernel = module->kernels.find(name);
    if (kernel == module->kernels.end()) return kNotFound;
    *handle = kernel->second;
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuFuncGetAttribute(int* value, int a, Handle handle) {
  return call("cuFuncGetAttribute", Needs::kContext, [&](Emulator& e, auto&) -> int {
    Kernel* kernel = find(e.kernels, handle);
    if (!kernel) return kInvalidHandle;
    *value = function_attribute(*kernel, a);
    return *value < 0 ? kInvalidValue : kSuccess;
  });
}

EMULATOR_EXPORT int cuFuncSetAttribute(Handle handle, int a, int value) {
  return call("cuFuncSetAttribute", Needs::kContext, [&](Emulator& e, auto&) -> int {
    Kernel* kernel = find(e.kernels, handle);
    if (!kernel) return kInvalidHandle;
    if (a != 8 || value < 0 || value > kMaxShared - int(kernel->function->shared_bytes)) return kInvalidValue;
    kernel->max_dynamic_shared = value;
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Handle handle, int threads, size_t shared) {
  return call("cuOccupancyMaxActiveBlocksPerMultiprocessor", Needs::kContext, [&](Emulator& e, auto&) -> int {
    Kernel* kernel = find(e.kernels, handle);
    if (!kernel) return kInvalidHandle;
    if (threads < 1 || threads > kMaxThreads) return kInvalidValue;
    size_t per_block = shared + kernel->function->shared_bytes + 1024;  // the system takes some
    *blocks = std::min({2048 / threads, 32, int((kMaxShared + 1024) / per_block)});
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuLaunchKernel(Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared, Handle stream_handle, void** parameters, void** extra) {
  return call("cuLaunchKernel", Needs::kContext, [&](Emulator& e, auto&) -> int {
    Kernel* kernel = find(e.kernels, function);
    auto stream = find(e.streams, stream_handle);
    if (!kernel || !stream) return kInvalidHandle;
    if (extra) return kInvalidValue;
    ptx::Grid grid{kernel->function, {gx, gy, gz}, {bx, by, bz}, shared + kernel->function->shared_bytes, {},
                   std::exchange(declared, {}), nullptr,
                   e.scheduler.draw(), e.config.steps};
    Status status = check_launch(*kernel, grid.grid, grid.block, shared);
    if (status != kSuccess) return status;
    grid.parameters = copy_parameters(*kernel->function, parameters);
    auto run = [&e, grid = std::move(grid)]() mutable {
      {
        Scheduler::Lock lock(e.scheduler.mutex);
        grid.memory = e.memory.table();
      }
      ptx::run(grid);
    };
    e.scheduler.submit(*stream, {kernel->function->name, std::move(run), nullptr, nullptr});
    return kSuccess;
  });
}
