package driver

// function is an entry point of the driver, an index into dynamicLibrary.entries.
type function int

const (
	fnInit function = iota
	fnDriverGetVersion
	fnDeviceGetCount
	fnDeviceGet
	fnDeviceGetName
	fnDeviceGetAttribute
	fnDeviceTotalMem
	fnPrimaryCtxRetain
	fnPrimaryCtxRelease
	fnPrimaryCtxSetFlags
	fnCtxSetCurrent
	fnCtxSynchronize
	fnMemAlloc
	fnMemFree
	fnMemGetInfo
	fnMemHostAlloc
	fnMemFreeHost
	fnMemcpyHtoDAsync
	fnMemcpyDtoHAsync
	fnMemcpyDtoDAsync
	fnMemsetD32Async
	fnStreamCreateWithPriority
	fnStreamDestroy
	fnStreamSynchronize
	fnStreamQuery
	fnStreamWaitEvent
	fnEventCreate
	fnEventDestroy
	fnEventRecord
	fnEventQuery
	fnEventSynchronize
	fnModuleLoadDataEx
	fnModuleUnload
	fnModuleGetFunction
	fnFuncGetAttribute
	fnFuncSetAttribute
	fnOccupancyMaxActiveBlocks
	fnLaunchKernel
	functionCount
)

// symbols names the entry points. A suffix such as _v2 is the version of the
// function's binary interface: the driver keeps exporting a versioned name with
// the meaning it had, so these names need no negotiation with cuGetProcAddress,
// which older drivers lack. All of them exist in every driver since CUDA 11.
var symbols = [functionCount]string{
	fnInit:                     "cuInit",
	fnDriverGetVersion:         "cuDriverGetVersion",
	fnDeviceGetCount:           "cuDeviceGetCount",
	fnDeviceGet:                "cuDeviceGet",
	fnDeviceGetName:            "cuDeviceGetName",
	fnDeviceGetAttribute:       "cuDeviceGetAttribute",
	fnDeviceTotalMem:           "cuDeviceTotalMem_v2",
	fnPrimaryCtxRetain:         "cuDevicePrimaryCtxRetain",
	fnPrimaryCtxRelease:        "cuDevicePrimaryCtxRelease_v2",
	fnPrimaryCtxSetFlags:       "cuDevicePrimaryCtxSetFlags_v2",
	fnCtxSetCurrent:            "cuCtxSetCurrent",
	fnCtxSynchronize:           "cuCtxSynchronize",
	fnMemAlloc:                 "cuMemAlloc_v2",
	fnMemFree:                  "cuMemFree_v2",
	fnMemGetInfo:               "cuMemGetInfo_v2",
	fnMemHostAlloc:             "cuMemHostAlloc",
	fnMemFreeHost:              "cuMemFreeHost",
	fnMemcpyHtoDAsync:          "cuMemcpyHtoDAsync_v2",
	fnMemcpyDtoHAsync:          "cuMemcpyDtoHAsync_v2",
	fnMemcpyDtoDAsync:          "cuMemcpyDtoDAsync_v2",
	fnMemsetD32Async:           "cuMemsetD32Async",
	fnStreamCreateWithPriority: "cuStreamCreateWithPriority",
	fnStreamDestroy:            "cuStreamDestroy_v2",
	fnStreamSynchronize:        "cuStreamSynchronize",
	fnStreamQuery:              "cuStreamQuery",
	fnStreamWaitEvent:          "cuStreamWaitEvent",
	fnEventCreate:              "cuEventCreate",
	fnEventDestroy:             "cuEventDestroy_v2",
	fnEventRecord:              "cuEventRecord",
	fnEventQuery:               "cuEventQuery",
	fnEventSynchronize:         "cuEventSynchronize",
	fnModuleLoadDataEx:         "cuModuleLoadDataEx",
	fnModuleUnload:             "cuModuleUnload",
	fnModuleGetFunction:        "cuModuleGetFunction",
	fnFuncGetAttribute:         "cuFuncGetAttribute",
	fnFuncSetAttribute:         "cuFuncSetAttribute",
	fnOccupancyMaxActiveBlocks: "cuOccupancyMaxActiveBlocksPerMultiprocessor",
	fnLaunchKernel:             "cuLaunchKernel",
}
