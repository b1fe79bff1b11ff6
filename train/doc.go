// Package train fits the variables of a program to examples: optimisers, gradient
// clipping, a trainer that makes mini-batches, and checkpoints.
//
//	session, err := exec.New(program, exec.Options{})
//	trainer, err := train.NewTrainer[Tree](session, model, train.NewAdam(0.001), train.Options{Batch: 25})
//	err = trainer.Fit(ctx, trainer.Shuffled(trees), train.Plan{Epochs: 10})
//	err = train.Save("model.safetensors", &train.Checkpoint{Params: session.Parameters(), Optimizer: adam})
//
// # Phases
//
// A step computes the gradient of the mean loss of a mini-batch, clips it and lets an
// [Optimizer] change the parameters. An epoch is a pass over the examples. [Trainer.Fit]
// runs epochs, evaluates after each and stops when the score no longer grows. Each layer
// can be used without the ones above: an optimiser works on any gradient that a session
// returned.
//
// # Sparse gradients
//
// The gradient of an embedding table has rows for the words of the batch only. [SGD]
// without momentum and [Adagrad] leave a row without gradient alone, so for them a
// sparse gradient gives, bit for bit, what the same gradient with all its zeros would.
// Momentum, [Adam] and L2 move such rows too. They visit every row of the table, and
// are as exact, unless LazyRows is set: then a step touches only the rows that have a
// gradient, which is faster with large tables and not the same: the moments of a row
// decay, and L2 shrinks it, only in the steps that use it.
//
// # Reproducibility
//
// The order of the examples and the choices of dropout are functions of a seed and of
// the counters in [Progress]; there is no other random state. A run that is saved,
// loaded and continued equals one that was never interrupted bit for bit, as long as
// the number of workers stays the same, or exec.Options.Deterministic is set, and the
// device is of the same kind.
//
// # Devices
//
// When the session computes on a device (exec.Options.Device), weights, gradients and what
// the optimiser remembers stay there: a step copies the norm of the gradient to the host,
// and no more. This takes a [DeviceOptimizer], as those of this package are. For any other,
// and for a type that embeds one of them, gradients and weights are copied in every step,
// so that its Step can be called. Steps mean the same on both sides, and
// files do not tell where they were made: a run may go on elsewhere.
//
// A device can be lost in the middle, with all that lies on it. Therefore the trainer
// copies everything to the host now and then, a snapshot: before the first step, every
// Options.SnapshotEvery steps, before Fit evaluates, and when [Trainer.Snapshot] is called,
// as one does before saving. After a loss parameters, optimiser and progress are those of
// the last snapshot, and a [RollbackError] says of which step. They can be saved, and
// training goes on with a new session, on another device or none:
//
//	next, err := exec.New(program, exec.Options{Parameters: session.Parameters()})
//	again, err := train.NewTrainer[Tree](next, model, optimizer, options)
//	err = again.Resume(trainer.Progress())
//
// A device without memory for a step has changed nothing: a smaller batch may do. Closing
// the session brings what the device has to the host; [Trainer.Release] does so before.
//
// # What it is not
//
// The package does not read data sets, schedule learning rates (LearningRate is a
// field that may be changed between steps) or train on several machines.
//
// # Ownership and concurrency
//
// Optimisers and trainers belong to one goroutine. Steps change the gradient that they
// are given, which is the session's. While a step changes the parameters, other runs of
// the session wait; parameters may be saved at any time, an optimiser only between
// steps.
//
// # Errors
//
// Settings out of range, and arguments that are nil, wrap [ErrSetting]; a graph without
// a loss wraps [ErrNoLoss], one that the session cannot run exec.ErrInput. Files that
// are not checkpoints, or damaged, wrap [ErrCheckpoint]; checkpoints of something else
// wrap [ErrMismatch], one for each difference. A step whose loss or gradient is not
// finite changes nothing and wraps exec.ErrNonFinite. Errors of a device wrap
// device.ErrLost, also of Save and of an optimiser's State, or exec.ErrMemory.
package train
