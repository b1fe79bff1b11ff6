#include "emulator.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace emu {

thread_local Handle current_context = 0;

namespace {

std::mutex state_mutex;
Emulator* instance = nullptr;

// environment reads the configuration of a library that no test has configured.
// What is wrong with it can only be printed; a machine without a device follows.
Config environment() {
  const char* text = std::getenv("FROND_EMULATOR");
  try {
    return parse_config(text ? text : "");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "FROND_EMULATOR: %s\n", e.what());
    Config none;
    none.devices = 0;
    return none;
  }
}

bool sticky(int status) {
  return (status >= 700 && status <= 719 && status != kLaunchOutOfResources) || status == 214 || status == kUnknown;
}

}  // namespace

Emulator& state() {
  std::lock_guard<std::mutex> lock(state_mutex);
  if (!instance) instance = new Emulator(environment());
  return *instance;
}

void configure(const Config& config) {
  std::lock_guard<std::mutex> lock(state_mutex);
  instance = new Emulator(config);
}

Status begin(Emulator& e, const char* name, Needs needs) {
  auto fault = e.config.calls.find(name);
  if (fault != e.config.calls.end() && ++e.calls[name] == fault->second.nth) {
    if (sticky(fault->second.status)) e.scheduler.fail(Status(fault->second.status), std::string(name) + ": injected");
    return Status(fault->second.status);
  }
  if (needs == Needs::kNothing) return kSuccess;
  if (!e.initialized) return kNotInitialized;
  if (needs == Needs::kDriver) return kSuccess;
  if (current_context != kContext || e.retained == 0) return kInvalidContext;
  return e.scheduler.failure();
}

}  // namespace emu

using namespace emu;

// frond_emulator_configure sets what the device is like. It must come before any
// other call. The error, if any, is written to a buffer.
EMULATOR_EXPORT int frond_emulator_configure(const char* text, char* error, int size) {
  try {
    configure(parse_config(text));
    return 0;
  } catch (const std::exception& e) {
    std::strncpy(error, e.what(), size_t(size) - 1);
    return 1;
  }
}

// frond_emulator_log copies what went wrong on the device and returns its length.
EMULATOR_EXPORT int frond_emulator_log(char* buffer, int size) {
  Emulator& e = state();
  Scheduler::Lock lock(e.scheduler.mutex);
  const std::string& log = e.scheduler.log();
  size_t n = std::min(log.size(), size_t(size));
  std::memcpy(buffer, log.data(), n);
  return int(n);
}

// frond_emulator_count returns how much of something is in use.
EMULATOR_EXPORT int64_t frond_emulator_count(const char* what) {
  Emulator& e = state();
  Scheduler::Lock lock(e.scheduler.mutex);
  const std::map<std::string, int64_t> counts = {
      {"device bytes", e.memory.used()},          {"pinned bytes", e.host.used()},
      {"streams", int64_t(e.streams.size())},     {"events", int64_t(e.events.size())},
      {"modules", int64_t(e.modules.size())},     {"contexts", e.retained},
  };
  auto found = counts.find(what);
  return found == counts.end() ? -1 : found->second;
}
