//go:build mumax && linux

// The calls that package cu lacks, or makes in a way that does not do here.
#include "library_internal.h"

CUresult frond_device_name(const struct frond_library *l, CUdevice device, char *name, int length) {
  return l->cuDeviceGetName(name, length, device);
}

CUresult frond_primary_context_flags(const struct frond_library *l, CUdevice device) {
  return l->cuDevicePrimaryCtxSetFlags(device, CU_CTX_SCHED_BLOCKING_SYNC);
}

struct frond_handle frond_retain_primary_context(const struct frond_library *l, CUdevice device) {
  CUcontext context = NULL;
  CUresult status = l->cuDevicePrimaryCtxRetain(&context, device);
  return (struct frond_handle){status, (uintptr_t)context};
}

CUresult frond_release_primary_context(const struct frond_library *l, CUdevice device) { return l->cuDevicePrimaryCtxRelease(device); }

struct frond_memory frond_alloc_host(const struct frond_library *l, size_t bytes) {
  struct frond_memory m = {CUDA_SUCCESS, NULL};
  m.status = l->cuMemHostAlloc(&m.memory, bytes, CU_MEMHOSTALLOC_PORTABLE);
  return m;
}

struct frond_handle frond_new_stream(const struct frond_library *l) {
  CUstream stream = NULL;
  CUresult status = l->cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0);
  return (struct frond_handle){status, (uintptr_t)stream};
}

CUresult frond_wait(const struct frond_library *l, uintptr_t stream, uintptr_t event) {
  return l->cuStreamWaitEvent((CUstream)stream, (CUevent)event, 0);
}

struct frond_handle frond_new_event(const struct frond_library *l) {
  CUevent event = NULL;
  CUresult status = l->cuEventCreate(&event, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING);
  return (struct frond_handle){status, (uintptr_t)event};
}

CUresult frond_destroy_event(const struct frond_library *l, uintptr_t event) { return l->cuEventDestroy((CUevent)event); }

CUresult frond_record(const struct frond_library *l, uintptr_t event, uintptr_t stream) {
  return l->cuEventRecord((CUevent)event, (CUstream)stream);
}

CUresult frond_query_event(const struct frond_library *l, uintptr_t event) { return l->cuEventQuery((CUevent)event); }

CUresult frond_synchronize_event(const struct frond_library *l, uintptr_t event) { return l->cuEventSynchronize((CUevent)event); }

struct frond_handle frond_load_module(const struct frond_library *l, const char *ptx, char *log, size_t log_bytes) {
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)log_bytes};
  CUmodule module = NULL;
  CUresult status = l->cuModuleLoadDataEx(&module, ptx, 2, options, values);
  return (struct frond_handle){status, (uintptr_t)module};
}

CUresult frond_unload_module(const struct frond_library *l, uintptr_t module) { return l->cuModuleUnload((CUmodule)module); }

struct frond_handle frond_function(const struct frond_library *l, uintptr_t module, const char *name) {
  CUfunction function = NULL;
  CUresult status = l->cuModuleGetFunction(&function, (CUmodule)module, name);
  return (struct frond_handle){status, (uintptr_t)function};
}

CUresult frond_set_function_attribute(const struct frond_library *l, uintptr_t function, int attribute, int value) {
  return l->cuFuncSetAttribute((CUfunction)function, (CUfunction_attribute)attribute, value);
}

struct frond_number frond_occupancy(const struct frond_library *l, uintptr_t function, int threads, size_t shared) {
  struct frond_number n = {CUDA_SUCCESS, 0};
  n.status = l->cuOccupancyMaxActiveBlocksPerMultiprocessor(&n.number, (CUfunction)function, threads, shared);
  return n;
}

CUresult frond_launch(const struct frond_library *l, uintptr_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, uintptr_t stream, uintptr_t parameters) {
  return l->cuLaunchKernel((CUfunction)function, gx, gy, gz, bx, by, bz, shared, (CUstream)stream, (void **)parameters, NULL);
}

void frond_declare(const struct frond_library *l, CUdeviceptr address, size_t bytes, int write) { l->declare_access(address, bytes, write); }
