// Package tensorboard writes event files, from which TensorBoard draws curves while a
// training run goes on.
//
//	w, err := tensorboard.Create("runs/first")
//	err = w.Scalars(step, tensorboard.Scalar{Tag: "train/loss", Value: 1.25})
//	err = w.Close()
//
// An event file is a sequence of TFRecord frames: the length of an event, its check sum,
// the event, and the check sum of that. An event is a message of TensorFlow's
// event.proto. The package encodes the few fields that scalars and texts need; it needs
// neither TensorFlow nor a library for protocol buffers.
//
// # What it is not
//
// It does not read event files, and does not write histograms, images or graphs.
//
// # Ownership and concurrency
//
// A Writer owns its file until Close. It may be used by one goroutine at a time. Every
// call writes whole events and keeps nothing back, so a process that is killed leaves a
// file that TensorBoard can read.
//
// # Errors
//
// Errors of the file are wrapped with its name. A tag that TensorBoard would not show
// wraps [ErrTag], and then nothing is written.
package tensorboard
