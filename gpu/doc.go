// Package gpu runs kernels on a CUDA device: streams of work, events between
// them, memory, copies and launches.
//
// It is not a tensor library and knows no operators; package kernels has those.
// It is a thin layer over package driver that adds what every program on a GPU
// needs: memory that is handed out without asking the driver, staging for copies,
// completion without a waiting thread, and a check that concurrent work is
// ordered.
//
// # Order
//
// The work of one [Stream] happens in the order in which it was issued. Between
// streams nothing is ordered except by an [Event]: one stream records it, another
// waits for it, and so does the host. Every call returns as soon as the work is
// queued; those that may wait for the device take a context.
//
// # Ownership
//
// A [Buffer] is device memory and belongs to the program until it is freed. It is
// freed on a stream, at a point of that stream's order: work issued before may
// still be running. The allocator hands the memory to another stream only if that
// stream is ordered behind this point. Streams, events, modules and pinned memory
// are released by their methods; [Device.Close] releases everything. The garbage
// collector releases nothing.
//
// # Concurrency
//
// A Stream is for one goroutine at a time, one stream per worker; a call while
// another is in progress fails with [ErrBusy]. Everything else is safe for
// concurrent use, and [Device.Close] may be called at any time. No goroutine is
// tied to an operating system thread between calls. One goroutine per device looks
// after events that somebody waits for, and exists only while there are any.
//
// # Errors
//
// A kernel fails after its launch has returned. The first failure is kept with the
// work that all streams had issued last; from then on every call on the device
// returns it, as [ErrDeviceLost]. Running out of memory ([ErrMemory]) and refused
// arguments ([ErrArgument]) leave the device usable.
//
// # Checking
//
// With [Options] Check, every access to a buffer is compared with the accesses
// before it by vector clocks. Two streams that touch the same bytes without an
// event between them get [ErrRace], whether or not the device would have run them
// at the same time.
//
//	device, err := gpu.Open(gpu.Options{})
//	module, err := device.Load(ptx)
//	scale, err := module.Kernel("scale")
//	stream, err := device.NewStream()
//	x, err := stream.Alloc(4 * n)
//	err = stream.Upload(ctx, x, bytes)
//	err = stream.Launch(scale, gpu.Cover(n, 256), gpu.InOut(x), gpu.F32(2), gpu.U32(n))
//	err = stream.Download(ctx, bytes, x)
package gpu
