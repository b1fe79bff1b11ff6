// The functions of the driver that package cu and package mumax refer to:
// CUDA_FUNCTION(name, (parameters), (arguments)). It is included by whoever defines
// what to make of them.

CUDA_FUNCTION(cuInit, (unsigned int flags), (flags))
CUDA_FUNCTION(cuDriverGetVersion, (int *version), (version))

CUDA_FUNCTION(cuDeviceGet, (CUdevice *device, int ordinal), (device, ordinal))
CUDA_FUNCTION(cuDeviceGetCount, (int *count), (count))
CUDA_FUNCTION(cuDeviceGetName, (char *name, int length, CUdevice device), (name, length, device))
CUDA_FUNCTION(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device), (value, attribute, device))
CUDA_FUNCTION(cuDeviceTotalMem_v2, (size_t *bytes, CUdevice device), (bytes, device))
CUDA_FUNCTION(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer), (can, device, peer))
CUDA_FUNCTION(cuDevicePrimaryCtxRetain, (CUcontext *context, CUdevice device), (context, device))
CUDA_FUNCTION(cuDevicePrimaryCtxRelease_v2, (CUdevice device), (device))
CUDA_FUNCTION(cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned int flags), (device, flags))

CUDA_FUNCTION(cuCtxCreate_v2, (CUcontext *context, unsigned int flags, CUdevice device), (context, flags, device))
CUDA_FUNCTION(cuCtxDestroy_v2, (CUcontext context), (context))
CUDA_FUNCTION(cuCtxGetApiVersion, (CUcontext context, unsigned int *version), (context, version))
CUDA_FUNCTION(cuCtxGetCurrent, (CUcontext *context), (context))
CUDA_FUNCTION(cuCtxSetCurrent, (CUcontext context), (context))
CUDA_FUNCTION(cuCtxGetDevice, (CUdevice *device), (device))
CUDA_FUNCTION(cuCtxSynchronize, (void), ())
CUDA_FUNCTION(cuCtxEnablePeerAccess, (CUcontext peer, unsigned int flags), (peer, flags))
CUDA_FUNCTION(cuCtxDisablePeerAccess, (CUcontext peer), (peer))

CUDA_FUNCTION(cuMemAlloc_v2, (CUdeviceptr *address, size_t bytes), (address, bytes))
CUDA_FUNCTION(cuMemFree_v2, (CUdeviceptr address), (address))
CUDA_FUNCTION(cuMemGetInfo_v2, (size_t *available, size_t *total), (available, total))
CUDA_FUNCTION(cuMemGetAddressRange_v2, (CUdeviceptr *base, size_t *bytes, CUdeviceptr address), (base, bytes, address))
CUDA_FUNCTION(cuMemAllocHost_v2, (void **memory, size_t bytes), (memory, bytes))
CUDA_FUNCTION(cuMemHostAlloc, (void **memory, size_t bytes, unsigned int flags), (memory, bytes, flags))
CUDA_FUNCTION(cuMemFreeHost, (void *memory), (memory))
CUDA_FUNCTION(cuPointerGetAttribute, (void *value, CUpointer_attribute attribute, CUdeviceptr address), (value, attribute, address))

CUDA_FUNCTION(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))
CUDA_FUNCTION(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream), (to, from, bytes, stream))
CUDA_FUNCTION(cuMemcpyDtoD_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))
CUDA_FUNCTION(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream), (to, from, bytes, stream))
CUDA_FUNCTION(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t bytes), (to, from, bytes))
CUDA_FUNCTION(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream), (to, from, bytes, stream))
CUDA_FUNCTION(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes), (to, from, bytes))
CUDA_FUNCTION(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream), (to, from, bytes, stream))
CUDA_FUNCTION(cuMemcpyPeer, (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes),
              (to, to_context, from, from_context, bytes))
CUDA_FUNCTION(cuMemcpyPeerAsync, (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, CUstream stream),
              (to, to_context, from, from_context, bytes, stream))
CUDA_FUNCTION(cuMemsetD8_v2, (CUdeviceptr to, unsigned char value, size_t count), (to, value, count))
CUDA_FUNCTION(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t count, CUstream stream), (to, value, count, stream))
CUDA_FUNCTION(cuMemsetD32_v2, (CUdeviceptr to, unsigned int value, size_t count), (to, value, count))
CUDA_FUNCTION(cuMemsetD32Async, (CUdeviceptr to, unsigned int value, size_t count, CUstream stream), (to, value, count, stream))

CUDA_FUNCTION(cuStreamCreate, (CUstream *stream, unsigned int flags), (stream, flags))
CUDA_FUNCTION(cuStreamCreateWithPriority, (CUstream *stream, unsigned int flags, int priority), (stream, flags, priority))
CUDA_FUNCTION(cuStreamDestroy_v2, (CUstream stream), (stream))
CUDA_FUNCTION(cuStreamQuery, (CUstream stream), (stream))
CUDA_FUNCTION(cuStreamSynchronize, (CUstream stream), (stream))
CUDA_FUNCTION(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags), (stream, event, flags))

CUDA_FUNCTION(cuEventCreate, (CUevent *event, unsigned int flags), (event, flags))
CUDA_FUNCTION(cuEventDestroy_v2, (CUevent event), (event))
CUDA_FUNCTION(cuEventRecord, (CUevent event, CUstream stream), (event, stream))
CUDA_FUNCTION(cuEventQuery, (CUevent event), (event))
CUDA_FUNCTION(cuEventSynchronize, (CUevent event), (event))

CUDA_FUNCTION(cuModuleLoad, (CUmodule *module, const char *file), (module, file))
CUDA_FUNCTION(cuModuleLoadData, (CUmodule *module, const void *image), (module, image))
CUDA_FUNCTION(cuModuleLoadDataEx, (CUmodule *module, const void *image, unsigned int count, CUjit_option *options, void **values),
              (module, image, count, options, values))
CUDA_FUNCTION(cuModuleUnload, (CUmodule module), (module))
CUDA_FUNCTION(cuModuleGetFunction, (CUfunction *function, CUmodule module, const char *name), (function, module, name))
CUDA_FUNCTION(cuFuncGetAttribute, (int *value, CUfunction_attribute attribute, CUfunction function), (value, attribute, function))
CUDA_FUNCTION(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value), (function, attribute, value))
CUDA_FUNCTION(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, CUfunction function, int threads, size_t shared),
              (blocks, function, threads, shared))
CUDA_FUNCTION(cuLaunchKernel, (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
                               unsigned int block_y, unsigned int block_z, unsigned int shared, CUstream stream, void **parameters, void **extra),
              (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters, extra))
