// Package exec plans programs and executes them: all live invocations together, in
// batches, on all processors, with gradients.
//
// # Phases
//
// [New] plans a program once: graphs are cut into stages, values are given places,
// gradient rules become code. A [Session] then runs graphs that the program
// declares at module level: [Session.Run] for results, [Session.Gradients] for
// gradients of the losses as well. [Bind] wraps a run as a typed Go function over
// plain structs, slices and tensors. docs/architecture.md describes the parts.
//
// # Ownership
//
// [Parameters] hold the variables' values and may be shared by sessions of one
// program. Inputs are copied when a run starts and results before it returns, so
// neither is shared with the executor. [Gradients] belong to the session and are
// valid until its next gradient run. A run returns when all its goroutines are
// gone and keeps memory only for the next runs; [Session.Close] releases it.
//
// # Devices
//
// With [Options] Device, integers and lists stay on the host, and floats lie on the
// device: rows, gradients and a copy of the variables. Work is issued in phases: one
// copy of index lists, then kernels. The host waits for integers that are computed from
// floats, for operators that the device has no kernel for, and at the end of a run for
// its results. Gradients stay on the device if [GradOptions] OnDevice says so, and
// [DeviceGradients.Step] changes the variables where they are. Whoever reads
// [Parameters] gets the newest values; [Parameters.Sync] reports that they cannot be had.
//
// The device is the caller's: it is opened before the session and closed after it. It
// may serve several sessions, and those that share Parameters share the copy of the
// variables. A device that is lost fails all runs with device.ErrLost; the variables are
// then those that came to the host last. docs/gpu.md describes all this.
//
// # Concurrency
//
// A session is safe for concurrent use. Inference runs of several goroutines are
// batched together; gradient runs follow one another. Updates of parameters wait
// for runs in progress. A context stops a run at the next batch.
//
// # Determinism
//
// Results have the same bits for any batching, any number of workers, and with or
// without sharing of equal rows. Gradients do too under [Options] Deterministic. Devices
// of another kind may give other last bits.
//
// # Errors
//
// What does not fit is reported before anything runs ([ErrInput]). A [RunError]
// names the input, the calls that led to it, the operator and the line that
// applied it; it ends the run of that input only. Panics of kernels become errors.
//
//	session, err := exec.New(program, exec.Options{})
//	classify, err := exec.Bind[Tree, []float32](session, model)
//	scores, err := classify(ctx, tree)
package exec
