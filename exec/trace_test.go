package exec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device/host"
)

func TestTraceHasOneEventPerBatch(t *testing.T) {
	p, g := treeProgram(t, 20, 4, 3, 3)
	rng := rand.New(rand.NewPCG(1, 2))
	in := [][]Array{randomTree(rng, 9, 20, 3), randomTree(rng, 5, 20, 3)}
	var buf bytes.Buffer
	s, err := New(p, Options{Trace: &buf, Workers: 2})
	require.NoError(t, err)
	_, err = s.Gradients(context.Background(), g, in, GradOptions{})
	require.NoError(t, err)
	forward := s.Stats().Batches
	require.NoError(t, s.Close())

	var events []struct {
		Name, Cat, Ph string
		Tid           int
		Ts, Dur       float64
		Args          struct {
			Rows, Idle int
			AtWork     int `json:"at work"`
		}
	}
	require.NoError(t, json.Unmarshal(buf.Bytes(), &events))
	count, engines := map[string]int{}, map[int]bool{}
	most, last := 0, -1
	for _, e := range events {
		count[e.Cat]++
		engines[e.Tid] = true
		if e.Ph == "C" {
			require.Equal(t, "workers", e.Name)
			require.GreaterOrEqual(t, e.Args.AtWork, 0)
			require.LessOrEqual(t, e.Args.AtWork+e.Args.Idle, 2)
			most, last = max(most, e.Args.AtWork), e.Args.AtWork+e.Args.Idle
		}
		if e.Cat == "forward" {
			require.Positive(t, e.Args.Rows)
			require.Contains(t, e.Name, "/")
			require.GreaterOrEqual(t, e.Dur, 0.0)
		}
	}
	require.EqualValues(t, forward, count["forward"])
	require.Positive(t, count["backward"])
	require.Equal(t, 1, count["step"])
	require.Len(t, engines, 2)
	require.Positive(t, most)
	require.Zero(t, last, "no one is idle when there is no run")
}

type brokenWriter struct{}

var errBroken = errors.New("disk is full")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestTraceErrorIsReportedByClose(t *testing.T) {
	p, g := fibProgram(t)
	s, err := New(p, Options{Trace: brokenWriter{}})
	require.NoError(t, err)
	_, err = s.Run(context.Background(), g, [][]Array{scalar(5)})
	require.NoError(t, err)
	require.ErrorIs(t, s.Close(), errBroken)
	require.ErrorIs(t, s.Close(), ErrClosed)
	_, err = s.Run(context.Background(), g, [][]Array{scalar(5)})
	require.ErrorIs(t, err, ErrClosed)
}

func TestOptionsThatAreNotForDevices(t *testing.T) {
	p, _ := fibProgram(t)
	_, err := New(p, Options{Device: host.New(host.Options{}), Reference: true})
	require.ErrorIs(t, err, ErrDevice)
}
