// Streams and events.
#include "emulator.h"

using namespace emu;

EMULATOR_EXPORT int cuStreamCreateWithPriority(Handle* handle, unsigned flags, int priority) {
  return call("cuStreamCreateWithPriority", Needs::kContext, [&](Emulator& e, auto&) -> int {
    (void)priority;  // values out of range are clamped
    // Only non-blocking streams: the legacy default stream is not emulated.
    if (flags != 1) return kInvalidValue;
    *handle = e.add(e.streams, e.scheduler.create());
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuStreamDestroy_v2(Handle handle) {
  return call("cuStreamDestroy_v2", Needs::kContext, [&](Emulator& e, auto&) -> int {
    auto stream = find(e.streams, handle);
    if (!stream) return kInvalidHandle;
    e.scheduler.destroy(*stream);
    e.streams.erase(handle);
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuStreamSynchronize(Handle handle) {
  return call("cuStreamSynchronize", Needs::kContext, [&](Emulator& e, auto& lock) -> int {
    auto found = find(e.streams, handle);
    if (!found) return kInvalidHandle;
    std::shared_ptr<Stream> stream = *found;
    e.scheduler.wait(lock, [&] { return stream->idle(); });
    return e.scheduler.failure();
  });
}

EMULATOR_EXPORT int cuStreamQuery(Handle handle) {
  return call("cuStreamQuery", Needs::kContext, [&](Emulator& e, auto& lock) -> int {
    auto found = find(e.streams, handle);
    if (!found) return kInvalidHandle;
    std::shared_ptr<Stream> stream = *found;
    e.scheduler.poll(lock);
    if (e.scheduler.failure() != kSuccess) return e.scheduler.failure();
    return stream->idle() ? kSuccess : kNotReady;
  });
}

EMULATOR_EXPORT int cuStreamWaitEvent(Handle handle, Handle event_handle, unsigned flags) {
  return call("cuStreamWaitEvent", Needs::kContext, [&](Emulator& e, auto&) -> int {
    auto stream = find(e.streams, handle);
    auto event = find(e.events, event_handle);
    if (!stream || !event) return kInvalidHandle;
    if (flags > 1) return kInvalidValue;
    e.scheduler.submit(*stream, {"wait for an event", nullptr, (*event)->last, nullptr});
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuEventCreate(Handle* handle, unsigned flags) {
  return call("cuEventCreate", Needs::kContext, [&](Emulator& e, auto&) -> int {
    if (flags > 7) return kInvalidValue;
    *handle = e.add(e.events, std::make_shared<Event>());
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuEventDestroy_v2(Handle handle) {
  return call("cuEventDestroy_v2", Needs::kContext, [&](Emulator& e, auto&) -> int {
    return e.events.erase(handle) ? kSuccess : kInvalidHandle;
  });
}

EMULATOR_EXPORT int cuEventRecord(Handle handle, Handle stream_handle) {
  return call("cuEventRecord", Needs::kContext, [&](Emulator& e, auto&) -> int {
    auto event = find(e.events, handle);
    auto stream = find(e.streams, stream_handle);
    if (!stream || !event) return kInvalidHandle;
    (*event)->last = std::make_shared<Mark>();
    e.scheduler.submit(*stream, {"record an event", nullptr, nullptr, (*event)->last});
    return kSuccess;
  });
}

EMULATOR_EXPORT int cuEventQuery(Handle handle) {
  return call("cuEventQuery", Needs::kContext, [&](Emulator& e, auto& lock) -> int {
    auto found = find(e.events, handle);
    if (!found) return kInvalidHandle;
    std::shared_ptr<Event> event = *found;
    e.scheduler.poll(lock);
    if (e.scheduler.failure() != kSuccess) return e.scheduler.failure();
    return event->done() ? kSuccess : kNotReady;
  });
}

EMULATOR_EXPORT int cuEventSynchronize(Handle handle) {
  return call("cuEventSynchronize", Needs::kContext, [&](Emulator& e, auto& lock) -> int {
    auto found = find(e.events, handle);
    if (!found) return kInvalidHandle;
    std::shared_ptr<Event> event = *found;
    e.scheduler.wait(lock, [&] { return event->done(); });
    return e.scheduler.failure();
  });
}
