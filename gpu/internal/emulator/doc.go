// Package emulator builds and loads an emulated libcuda.so.1, so that everything
// above the driver can be tested on a machine without a GPU.
//
// # What it emulates
//
// The functions that package driver calls, with the rules that programs break:
// contexts are current per thread; handles, ranges and alignments are checked;
// device addresses are not host addresses and are never used twice; fresh memory
// is full of NaNs; copies of pinned memory read and write it when their stream
// gets there, copies of pageable memory at the call; errors of kernels come late
// and stick. Streams run on threads, or in an order drawn from a seed and not
// before the host waits, so that a missing synchronisation fails every time.
//
// Kernels are executed from the PTX that the module ships, by an interpreter that
// checks bounds, alignment, barriers that not all threads reach, and races on shared
// memory. With Check of gpu.Options it also checks that a kernel touches no buffer but
// those that its launch declares, and writes none that is declared to be read.
// The threads of a warp are ordered by the barriers of the warp only, except in code
// for compute capabilities below 7.0, where they do each instruction together.
// Instructions that it does not know are refused when a module is loaded.
//
// # What it does not
//
// Whether a real driver accepts the PTX; time; the device's caches and its weak
// memory model; the last bits of approximate instructions; the legacy default
// stream; more than one device.
//
// # Use
//
// [Open] gives a test a device of its own. The configuration is a list of
// key=value pairs: memory, pinned (bytes), version (13000), devices, capability
// (90), scheduler (adversarial or threads), seed, steps (of a launch before it is
// called a hang), fault=N:STATUS (the Nth operation on the device fails), and for
// any function cuName=N:STATUS (its Nth call fails). A program outside of tests can
// be pointed at the library by its path and configured by the environment variable
// FROND_EMULATOR.
//
// Tests that a real device must pass as well use [Library]. On a machine that has
// one, they run there:
//
//	FROND_GPU_LIBRARY=libcuda.so.1 go test ./gpu ./gpu/kernels
//
// The library is built from source by g++ when it is first needed, and kept in the
// user's cache directory until its source or the compiler changes. Tests are
// skipped where there is no g++.
package emulator
