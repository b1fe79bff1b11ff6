// Package mumax calls the CUDA driver through github.com/mumax/3/cuda/cu, the cgo
// binding of the micromagnetic simulator mumax3. It is for programs that use that
// binding anyway and want one way to the driver. All others do better with package
// driver's own binding, gpu.Options without a Binding, which needs no C compiler and
// has no such licence.
//
// # Licence
//
// The files of this package are under the Apache License 2.0, as all of Frond. But
// package cu is under the GNU General Public License, version 3 or later, with an
// additional permission to combine it with NVIDIA's CUDA libraries. A program that is
// built with this package contains package cu, and whoever conveys that program must
// do so under the GPL. This is why the package is a module of its own, behind a build
// tag: neither Frond nor a program that imports Frond contains any of it.
//
// # Building
//
// With the build tag mumax, on Linux, with cgo and a C compiler:
//
//	device, err := gpu.Open(gpu.Options{Binding: mumax.Binding{}})
//
//	CGO_CFLAGS="-O2 -g -I$(go list -m -f '{{.Dir}}' github.com/frondml/frond/gpu/mumax)/include" go build -tags mumax
//
// No CUDA toolkit is needed. Package cu includes cuda.h, of which the folder include
// has what it refers to, and links against libcuda, whose functions are in this
// package: they call the library that was loaded when the device was opened. So the
// program starts without a driver, too, and says what is missing. With a toolkit
// older than CUDA 13, in which package cu does not compile, CGO_CFLAGS can be left
// out.
//
// # What is added
//
// Package cu has no events, no streams but those that are ordered against the default
// one, no primary contexts, and no log of the compiler; its launches allocate, and
// some of its calls keep the C strings that they make. These calls are made by this
// package itself. Failures, which package cu reports by panics, are errors.
package mumax
