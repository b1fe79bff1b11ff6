package cuda_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cuda"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train"
)

// tree is named as models.BinaryTree is.
type tree struct{ Word, Left, Right, Label []int32 }

type network = recursion.SubGraph[models.BinaryTree, models.Scores]

// build makes a network that will learn the class of a tree: that of its right half.
func build() (*graph.Program, *network, error) {
	m := graph.NewModule("example")
	model := models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: 2, Embed: 4, Hidden: 4, Classes: 2})
	program, err := m.Build()
	return program, model, err
}

func trees() []tree {
	pair := func(a, b int32) tree {
		return tree{Word: []int32{a, b, -1}, Left: []int32{-1, -1, 0}, Right: []int32{-1, -1, 1}, Label: []int32{-1, -1, b}}
	}
	return []tree{pair(0, 0), pair(0, 1), pair(1, 0), pair(1, 1)}
}

// learn trains a network on a device.
func learn(dev device.Device) error {
	program, model, err := build()
	if err != nil {
		return err
	}
	session, err := exec.New(program, exec.Options{Device: dev, Workers: 1, Seed: 1})
	if err != nil {
		return err
	}
	defer session.Close()
	trainer, err := train.NewTrainer[tree](session, model, train.NewAdam(0.05), train.Options{Batch: 4})
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := trainer.Fit(ctx, trainer.Shuffled(trees()), train.Plan{Epochs: 100}); err != nil {
		return err
	}
	return predict(ctx, session, model)
}

// predict prints the class of every tree.
func predict(ctx context.Context, session *exec.Session, model *network) error {
	_, err := train.Evaluate(ctx, session, model, slices.Values(trees()), 4, func(x tree, o train.Outcome) {
		scores := o.Outputs[0].F
		fmt.Println(x.Word[:2], "->", slices.Index(scores, slices.Max(scores)))
	})
	return err
}

// A session is told on what it computes; everything else is as on the processor.
func Example() {
	dev, err := cuda.Open(cuda.Options{})
	if err != nil {
		fmt.Println(err) // what is missing: the driver, a device, a newer driver
		return
	}
	defer dev.Close() // when the sessions that use it are closed
	if err := learn(dev); err != nil {
		fmt.Println(err)
	}
}

// The device of package host needs no GPU, and finds work that is not ordered.
func Example_withoutGPU() {
	dev := host.New(host.Options{Check: true, Poison: true})
	if err := learn(dev); err != nil {
		fmt.Println(err)
	}
	fmt.Println("held:", dev.Held().Words, "words")
	// Output:
	// [0 0] -> 0
	// [0 1] -> 1
	// [1 0] -> 0
	// [1 1] -> 1
	// held: 0 words
}

// A program may do without a GPU where there is none. A nil *Device in Options would be a
// device that is not there, so the field is set only if there is one.
func ExampleOpen() {
	options := exec.Options{Workers: 1}
	dev, err := cuda.Open(cuda.Options{GPU: gpu.Options{Library: "/no/such/driver"}})
	switch {
	case errors.Is(err, gpu.ErrNoDriver), errors.Is(err, gpu.ErrNoDevice):
		fmt.Println("on the processor")
	case err != nil: // such as gpu.ErrDriverTooOld: somebody should know
		fmt.Println(err)
		return
	default:
		defer dev.Close()
		options.Device = dev
	}
	program, _, err := build()
	if err != nil {
		fmt.Println(err)
		return
	}
	session, err := exec.New(program, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	fmt.Println(len(session.Program().Variables), "variables")
	// Output:
	// on the processor
	// 7 variables
}

// goOn continues a training whose device was lost, on another device or, if that is nil,
// on the processor.
func goOn(ctx context.Context, lost *exec.Session, trainer *train.Trainer[tree], model *network, optimizer train.Optimizer, other device.Device) error {
	session, err := exec.New(lost.Program(), exec.Options{Parameters: lost.Parameters(), Device: other, Workers: 1})
	if err != nil {
		return err
	}
	defer session.Close()
	again, err := train.NewTrainer[tree](session, model, optimizer, train.Options{Batch: 4})
	if err != nil {
		return err
	}
	if err := again.Resume(trainer.Progress()); err != nil {
		return err
	}
	if err := again.Fit(ctx, again.Shuffled(trees()), train.Plan{Epochs: 100}); err != nil {
		return err
	}
	return predict(ctx, session, model)
}

// A device is lost in the middle of a training, which goes on without it.
func Example_lost() {
	unplugged := false
	dev := host.New(host.Options{Failure: func(string) error {
		if unplugged {
			return errors.New("unplugged")
		}
		return nil
	}})
	program, model, err := build()
	if err != nil {
		fmt.Println(err)
		return
	}
	session, err := exec.New(program, exec.Options{Device: dev, Workers: 1, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	ctx, optimizer := context.Background(), train.NewAdam(0.05)
	trainer, err := train.NewTrainer[tree](session, model, optimizer, train.Options{Batch: 4, SnapshotEvery: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = trainer.Fit(ctx, trainer.Shuffled(trees()), train.Plan{Epochs: 100, OnStep: func(s train.StepStats) error {
		unplugged = s.Step == 27
		return nil
	}})
	if rollback, ok := errors.AsType[*train.RollbackError](err); ok {
		fmt.Println("lost:", errors.Is(err, device.ErrLost), "- back at step", rollback.Step)
		err = goOn(ctx, session, trainer, model, optimizer, nil)
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// lost: true - back at step 20
	// [0 0] -> 0
	// [0 1] -> 1
	// [1 0] -> 0
	// [1 1] -> 1
}

// A checkpoint does not tell where it was made: this one is of a device, and is loaded
// for the processor.
func Example_checkpoint() {
	dir, err := os.MkdirTemp("", "frond")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	if err := saved(path, host.New(host.Options{})); err != nil {
		fmt.Println(err)
		return
	}
	program, _, err := build()
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := train.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	session, err := exec.New(program, exec.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	optimizer, progress := train.NewAdam(0), train.Progress{}
	if err := file.Load(&train.Checkpoint{Params: session.Parameters(), Optimizer: optimizer, Progress: &progress}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(progress.Steps, "steps at rate", optimizer.LearningRate)
	// Output:
	// 3 steps at rate 0.05
}

// saved trains for some steps and saves what there is.
func saved(path string, dev device.Device) error {
	program, model, err := build()
	if err != nil {
		return err
	}
	session, err := exec.New(program, exec.Options{Device: dev, Workers: 1, Seed: 1})
	if err != nil {
		return err
	}
	defer session.Close()
	optimizer := train.NewAdam(0.05)
	trainer, err := train.NewTrainer[tree](session, model, optimizer, train.Options{Batch: 4})
	if err != nil {
		return err
	}
	if err := trainer.Fit(context.Background(), trainer.Shuffled(trees()), train.Plan{Epochs: 3}); err != nil {
		return err
	}
	if err := trainer.Snapshot(); err != nil { // so that training never goes back behind the file
		return err
	}
	progress := trainer.Progress()
	return train.Save(path, &train.Checkpoint{Params: session.Parameters(), Optimizer: optimizer, Progress: &progress})
}
