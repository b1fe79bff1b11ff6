//go:build mumax && linux

// Package cu is linked against libcuda. These are the functions that it finds there:
// each hands its call to a library that was loaded while the program ran.
#include "library_internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct frond_loaded frond_load(const char *path) {
  struct frond_loaded loaded = {NULL, NULL};
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    loaded.error = strdup(dlerror());
    return loaded;
  }
  struct frond_library *l = calloc(1, sizeof *l);
  if (!l) {
    loaded.error = strdup("out of memory");
    dlclose(handle);
    return loaded;
  }
  l->handle = handle;
#define CUDA_FUNCTION(name, parameters, arguments) *(void **)&l->name = dlsym(handle, #name);
#include "cuda_functions.h"
#undef CUDA_FUNCTION
  *(void **)&l->declare_access = dlsym(handle, "frond_declare_access");
  loaded.library = l;
  return loaded;
}

int frond_exports(const struct frond_library *l, const char *name) { return dlsym(l->handle, name) != NULL; }

static struct frond_library *shared;
static __thread const struct frond_library *selected;

void frond_share(struct frond_library *l) { __atomic_store_n(&shared, l, __ATOMIC_RELEASE); }

void frond_select(const struct frond_library *l) { selected = l; }

static const struct frond_library *current(void) { return selected ? selected : __atomic_load_n(&shared, __ATOMIC_ACQUIRE); }

#define CUDA_FUNCTION(name, parameters, arguments)   \
  CUresult name parameters {                         \
    const struct frond_library *l = current();       \
    if (!l) return CUDA_ERROR_NOT_INITIALIZED;       \
    if (!l->name) return CUDA_ERROR_NOT_SUPPORTED;   \
    return l->name arguments;                        \
  }
#include "cuda_functions.h"
#undef CUDA_FUNCTION
