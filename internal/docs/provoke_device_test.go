package docs

import (
	"context"
	"errors"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// weighted makes a model with a variable, a loss and a result, which is w·x.
func weighted() (*graph.Module, *recursion.SubGraph[graph.Value, graph.Value]) {
	m := graph.NewModule("model")
	w := m.Var("w", graph.F32(3), graph.Zeros())
	f := recursion.Declare(m, "weighted", graph.F32(3), graph.F32())
	f.Define(func(x graph.Value) graph.Value {
		y := ops.Dot(w, x)
		recursion.Loss(y)
		return y
	})
	return m, f
}

func provokeDeviceMemory() error {
	m, f := weighted()
	dev := host.New(host.Options{Limit: 100}) // words
	return runOnce(m, f, exec.Options{Device: dev, Workers: 1}, []float32{1, 2, 3})
}

func provokeDeviceLost() error {
	m, f := weighted()
	dev := host.New(host.Options{Failure: func(what string) error {
		if what == "DownloadFloats" {
			return errors.New("unplugged")
		}
		return nil
	}})
	return runOnce(m, f, exec.Options{Device: dev, Workers: 1}, []float32{1, 2, 3})
}

func provokeNoKernel() error {
	dev := host.New(host.Options{})
	length, err := ops.Registry()["len"](nil)
	if err != nil {
		return err
	}
	_, err = dev.Compile(device.Operator{Op: length, In: []graph.Type{graph.T(graph.Float32, graph.Any)}, Out: graph.T(graph.Int32)})
	return err
}

func provokeInconsistent() error {
	plugged := true
	dev := host.New(host.Options{Failure: func(string) error {
		if plugged {
			return nil
		}
		return errors.New("unplugged")
	}})
	m, f := weighted()
	session, err := start(m, exec.Options{Device: dev})
	if err != nil {
		return err
	}
	defer session.Close()
	r, err := session.Gradients(context.Background(), f.Graph(), [][]exec.Array{{{Shape: []int{3}, F: []float32{1, 2, 3}}}}, exec.GradOptions{OnDevice: true})
	if err != nil {
		return err
	}
	gradients := r.DeviceGradients
	if err := gradients.Step(&exec.DeviceState{}, exec.DeviceStep{Rule: device.SGD}); err != nil {
		return err
	}
	plugged = false
	return session.Parameters().Sync()
}
