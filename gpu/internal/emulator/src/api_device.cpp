// Versions, devices and contexts.
#include <cstring>

#include "emulator.h"

using namespace emu;

namespace {

// valid_device checks a device number against those there are.
Status valid_device(const Emulator& e, int device) {
  return device >= 0 && device < e.config.devices ? kSuccess : kInvalidDevice;
}

int attribute(const Emulator& e, int a) {
  static const std::map<int, int> attributes = {
      {1, kMaxThreads}, {8, kStaticShared}, {10, ptx::kLanes}, {16, kMultiprocessors}, {97, kMaxShared}};
  if (a == 75) return e.config.capability / 10;
  if (a == 76) return e.config.capability % 10;
  auto found = attributes.find(a);
  return found == attributes.end() ? -1 : found->second;
}

}  // namespace

EMULATOR_EXPORT int cuInit(unsigned flags) {
  return call("cuInit", Needs::kNothing, [&](Emulator& e, auto&) -> int {
    if (flags != 0) return kInvalidValue;
    if (e.config.devices == 0) return kNoDevice;
    e.initialized = true;
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuDriverGetVersion(int* version) {
  return call("cuDriverGetVersion", Needs::kNothing, [&](Emulator& e, auto&) -> int {
    *version = e.config.version;
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuDeviceGetCount(int* count) {
  return call("cuDeviceGetCount", Needs::kDriver, [&](Emulator& e, auto&) -> int {
    *count = e.config.devices;
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuDeviceGet(int* device, int ordinal) {
  return call("cuDeviceGet", Needs::kDriver, [&](Emulator& e, auto&) -> int {
    *device = ordinal;
    return valid_device(e, ordinal);
  });
}

EMULATOR_EXPORT int cuDeviceGetName(char* name, int length, int device) {
  return call("cuDeviceGetName", Needs::kDriver, [&](Emulator& e, auto&) -> int {
    if (length < 1) return kInvalidValue;
    std::strncpy(name, "emulated device", size_t(length));
    name[length - 1] = '\0';
    return valid_device(e, device);
  });
}

EMULATOR_EXPORT int cuDeviceGetAttribute(int* value, int a, int device) {
  return call("cuDeviceGetAttribute", Needs::kDriver, [&](Emulator& e, auto&) -> int {
    *value = attribute(e, a);
    return *value < 0 ? int(kInvalidValue) : int(valid_device(e, device));
  });
}

EMULATOR_EXPORT int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  return call("cuDeviceTotalMem_v2", Needs::kDriver, [&](Emulator& e, auto&) -> int {
    *bytes = size_t(e.memory.limit());
    return valid_device(e, device);
  });
}

EMULATOR_EXPORT int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  return call("cuDevicePrimaryCtxSetFlags_v2", Needs::kDriver, [&](Emulator& e, auto&) -> int {
    return flags > 31 ? int(kInvalidValue) : int(valid_device(e, device));
  });
}

EMULATOR_EXPORT int cuDevicePrimaryCtxRetain(Handle* context, int device) {
  return call("cuDevicePrimaryCtxRetain", Needs::kDriver, [&](Emulator& e, auto&) -> int {
    // One context is enough: the emulator has several devices only to be counted.
    if (device != 0) return kInvalidDevice;
    e.retained++;
    *context = kContext;
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  return call("cuDevicePrimaryCtxRelease_v2", Needs::kDriver, [&](Emulator& e, auto&) -> int {
    if (device != 0 || e.retained == 0) return kInvalidContext;
    e.retained--;
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuCtxSetCurrent(Handle context) {
  return call("cuCtxSetCurrent", Needs::kDriver, [&](Emulator& e, auto&) -> int {
    if (context != 0 && (context != kContext || e.retained == 0)) return kInvalidContext;
    current_context = context;
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuCtxSynchronize() {
  return call("cuCtxSynchronize", Needs::kContext, [&](Emulator& e, auto& lock) -> int {
    e.scheduler.wait(lock, [&] { return e.scheduler.idle(); });
    return e.scheduler.failure();
  });
}
