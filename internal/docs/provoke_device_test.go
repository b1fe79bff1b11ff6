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

func provokeInconsistent() error {
	plugged := true
	dev := host.New(host.Options{Failure: func(string) error {
		if plugged {
			return nil
		}
		return errors.New("unplugged")
	}})
	m := graph.NewModule("model")
	w := m.Var("w", graph.F32(3), graph.Zeros())
	f := recursion.Declare(m, "line", graph.F32(3), graph.F32())
	f.Define(func(x graph.Value) graph.Value {
		y := ops.Dot(w, x)
		recursion.Loss(y)
		return y
	})
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
