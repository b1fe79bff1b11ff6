package docs

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train"
	"github.com/frondml/frond/train/safetensors"
)

// line is the model y = w x of the given width, with or without a loss.
func line(width int, loss bool) (*exec.Session, *recursion.SubGraph[graph.Value, graph.Value], error) {
	m := graph.NewModule("line")
	w := m.Var("w", graph.F32(width), graph.Zeros())
	f := recursion.Declare(m, "line", graph.F32(width), graph.F32())
	f.Define(func(x graph.Value) graph.Value {
		y := ops.Dot(w, x)
		if loss {
			recursion.Loss(ops.Square(y))
		}
		return y
	})
	session, err := start(m, exec.Options{})
	return session, f, err
}

func provokeSetting() error {
	session, model, err := line(3, true)
	if err != nil {
		return err
	}
	defer session.Close()
	_, err = train.NewTrainer[[]float32](session, model, train.NewAdam(-0.001), train.Options{})
	return err
}

func provokeNoLoss() error {
	session, model, err := line(3, false)
	if err != nil {
		return err
	}
	defer session.Close()
	_, err = train.NewTrainer[[]float32](session, model, train.NewAdam(0.001), train.Options{})
	return err
}

func provokeNoExamples() error {
	session, model, err := line(3, true)
	if err != nil {
		return err
	}
	defer session.Close()
	trainer, err := train.NewTrainer[[]float32](session, model, train.NewAdam(0.001), train.Options{})
	if err != nil {
		return err
	}
	return trainer.Fit(context.Background(), trainer.Shuffled(nil), train.Plan{Epochs: 1})
}

// inTempDir calls f with a path in a directory that is removed afterwards.
func inTempDir(name string, f func(path string) error) error {
	dir, err := os.MkdirTemp("", "frond-docs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return f(filepath.Join(dir, name))
}

func provokeCheckpoint() error {
	return inTempDir("model.safetensors", func(path string) error {
		if err := safetensors.WriteFile(path, nil, nil); err != nil {
			return err
		}
		_, err := train.Open(path)
		return err
	})
}

func provokeMismatch() error {
	return inTempDir("model.safetensors", func(path string) error {
		small, _, err := line(3, true)
		if err != nil {
			return err
		}
		large, _, err := line(4, true)
		if err != nil {
			return err
		}
		defer errors.Join(small.Close(), large.Close())
		if err := train.Save(path, &train.Checkpoint{Params: small.Parameters()}); err != nil {
			return err
		}
		file, err := train.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		return file.Load(&train.Checkpoint{Params: large.Parameters()})
	})
}

func provokeFormat() error {
	_, err := safetensors.NewReader(bytes.NewReader([]byte("no tensors")), 10, safetensors.FileName("notes.txt"))
	return err
}

func provokeNotWritable() error {
	tensor := safetensors.Of("w", []int{2, 3}, make([]float32, 5))
	return safetensors.Write(new(bytes.Buffer), []safetensors.Tensor{tensor}, nil)
}

// vector is a file with the tensor "w" of three floats.
func vector() (*safetensors.Reader, error) {
	var b bytes.Buffer
	if err := safetensors.Write(&b, []safetensors.Tensor{safetensors.Of("w", []int{3}, []float32{1, 2, 3})}, nil); err != nil {
		return nil, err
	}
	return safetensors.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()), safetensors.FileName("model.safetensors"))
}

func provokeNotFound() error {
	r, err := vector()
	if err != nil {
		return err
	}
	return r.ReadF32("weight", make([]float32, 3))
}

func provokeTensorDType() error {
	r, err := vector()
	if err != nil {
		return err
	}
	return r.ReadI32("w", make([]int32, 3))
}

func provokeTensorLength() error {
	r, err := vector()
	if err != nil {
		return err
	}
	return r.ReadF32("w", make([]float32, 4))
}
