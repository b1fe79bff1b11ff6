// What a loaded library is, for the C files of the package.
#ifndef FROND_LIBRARY_INTERNAL_H
#define FROND_LIBRARY_INTERNAL_H

#include "library.h"

struct frond_library {
  void *handle;
  // One pointer per function, named like it; null where the library lacks it.
#define CUDA_FUNCTION(name, parameters, arguments) CUresult(*name) parameters;
#include "cuda_functions.h"
#undef CUDA_FUNCTION
  void (*declare_access)(uint64_t address, size_t bytes, int write);
};

#endif
