// Loading a driver, and the calls that package cu lacks.
#ifndef FROND_LIBRARY_H
#define FROND_LIBRARY_H

#include <cuda.h>
#include <stdint.h>

struct frond_library;

// A library, or what the loader says is wrong, which the caller frees.
struct frond_loaded {
  struct frond_library *library;
  char *error;
};

struct frond_loaded frond_load(const char *path);

// frond_share makes a library the one that threads use which have selected none.
void frond_share(struct frond_library *library);

int frond_exports(const struct frond_library *library, const char *name);

// frond_select lets the functions of libcuda by which package cu calls the driver,
// when called on this thread, be those of a library.
void frond_select(const struct frond_library *library);

// What calls return that return something. Handles are numbers here: they are no
// pointers of Go's, and of an emulated driver they are no pointers at all.
struct frond_handle {
  CUresult status;
  uintptr_t handle;
};

struct frond_memory {
  CUresult status;
  void *memory;
};

struct frond_number {
  CUresult status;
  int number;
};

CUresult frond_device_name(const struct frond_library *l, CUdevice device, char *name, int length);
CUresult frond_primary_context_flags(const struct frond_library *l, CUdevice device);
struct frond_handle frond_retain_primary_context(const struct frond_library *l, CUdevice device);
CUresult frond_release_primary_context(const struct frond_library *l, CUdevice device);
struct frond_memory frond_alloc_host(const struct frond_library *l, size_t bytes);
struct frond_handle frond_new_stream(const struct frond_library *l);
CUresult frond_wait(const struct frond_library *l, uintptr_t stream, uintptr_t event);
struct frond_handle frond_new_event(const struct frond_library *l);
CUresult frond_destroy_event(const struct frond_library *l, uintptr_t event);
CUresult frond_record(const struct frond_library *l, uintptr_t event, uintptr_t stream);
CUresult frond_query_event(const struct frond_library *l, uintptr_t event);
CUresult frond_synchronize_event(const struct frond_library *l, uintptr_t event);
struct frond_handle frond_load_module(const struct frond_library *l, const char *ptx, char *log, size_t log_bytes);
CUresult frond_unload_module(const struct frond_library *l, uintptr_t module);
struct frond_handle frond_function(const struct frond_library *l, uintptr_t module, const char *name);
CUresult frond_set_function_attribute(const struct frond_library *l, uintptr_t function, int attribute, int value);
struct frond_number frond_occupancy(const struct frond_library *l, uintptr_t function, int threads, size_t shared);
CUresult frond_launch(const struct frond_library *l, uintptr_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, uintptr_t stream, uintptr_t parameters);
void frond_declare(const struct frond_library *l, CUdeviceptr address, size_t bytes, int write);

#endif
