package peer

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/benchmarks/corpus"
)

// TestMain makes the test binary a peer when it is started as one.
func TestMain(m *testing.M) {
	switch os.Getenv("FROND_TEST_PEER") {
	case "":
		os.Exit(m.Run())
	case "silent":
		fmt.Fprintln(os.Stderr, "no such library")
		os.Exit(3)
	case "babbling":
		fmt.Println("hello")
		os.Exit(0)
	}
	calls := 0
	err := Serve(os.Stdin, os.Stdout, "adder 1.0", func() time.Duration { return time.Duration(calls) * time.Second },
		func(r Request) (float64, error) {
			calls++
			sum := 0
			for _, i := range r.Batch {
				sum += i
			}
			if r.Do == Product {
				time.Sleep(time.Minute)
			}
			if r.Do != Infer {
				return math.NaN(), fmt.Errorf("cannot %s", r.Do)
			}
			return float64(sum), nil
		})
	if err != nil {
		os.Exit(1)
	}
}

func start(kind string) (*Process, error) {
	return Start("test", []string{"FROND_TEST_PEER=" + kind}, os.Args[0])
}

func TestProcess(t *testing.T) {
	p, err := start("adder")
	require.NoError(t, err)
	require.Equal(t, "adder 1.0", p.Library())
	for i := range 3 {
		r, err := p.Call(Request{Do: Infer, Batch: []int{i, 40}})
		require.NoError(t, err)
		require.Equal(t, float64(40+i), r.Loss)
		require.Equal(t, time.Duration(i+1)*time.Second, p.CPU())
	}
	_, err = p.Call(Request{Do: Train})
	require.ErrorIs(t, err, ErrPeer)
	require.ErrorContains(t, err, "test: cannot train")
	_, err = p.Call(Request{Do: Infer})
	require.NoError(t, err, "it goes on")
	require.NoError(t, p.Close())
	_, err = p.Call(Request{Do: Infer})
	require.ErrorIs(t, err, ErrPeer)
}

func TestProcessesThatFail(t *testing.T) {
	_, err := start("silent")
	require.ErrorIs(t, err, ErrPeer)
	require.ErrorContains(t, err, "exit status 3")
	require.ErrorContains(t, err, "no such library")
	_, err = start("babbling")
	require.ErrorIs(t, err, ErrPeer)
	require.ErrorContains(t, err, `"hello"`)
	_, err = Start("test", nil, filepath.Join(t.TempDir(), "missing"))
	require.ErrorIs(t, err, ErrPeer)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestProcessThatHangs(t *testing.T) {
	p, err := start("adder")
	require.NoError(t, err)
	p.limit = 50 * time.Millisecond
	_, err = p.Call(Request{Do: Product})
	require.ErrorIs(t, err, ErrPeer)
	require.ErrorContains(t, err, "no answer in 50ms")
	require.ErrorIs(t, p.Close(), ErrPeer, "it was killed")
}

func TestServeRefusesNonsense(t *testing.T) {
	err := Serve(strings.NewReader("nonsense"), new(strings.Builder), "", func() time.Duration { return 0 }, nil)
	require.Error(t, err)
	err = Serve(strings.NewReader(""), broken{}, "", func() time.Duration { return 0 }, nil)
	require.ErrorIs(t, err, errBroken)
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestJob(t *testing.T) {
	dir := t.TempDir()
	want := &Job{
		Vocab: 4, Embed: 3, Hidden: 2, Classes: 5, Workers: 1, Rate: 0.01, Eps: 1e-8,
		Trees: corpus.Generate("linear", 2, 3, corpus.Linear).Trees,
		Parameters: []Parameter{
			{Name: "E", Shape: []int{2, 3}, Value: []float32{1, 2, 3, -4, 5e-20, 6}}, {Name: "b", Shape: []int{1}, Value: []float32{7}},
		},
	}
	require.NoError(t, WriteJob(dir, want))
	got, err := ReadJob(dir)
	require.NoError(t, err)
	require.Equal(t, want, got)

	parameters := filepath.Join(dir, parametersFile)
	data, err := os.ReadFile(parameters)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(parameters, append(data, 0), 0o600))
	_, err = ReadJob(dir)
	require.ErrorContains(t, err, "there is more")
	require.NoError(t, os.WriteFile(parameters, data[:25], 0o600))
	_, err = ReadJob(dir)
	require.ErrorContains(t, err, "b [1]")
	require.NoError(t, os.WriteFile(filepath.Join(dir, jobFile), []byte("{"), 0o600))
	_, err = ReadJob(dir)
	require.ErrorContains(t, err, jobFile)
	_, err = ReadJob(filepath.Join(dir, "missing"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorIs(t, WriteJob(filepath.Join(dir, "missing"), want), os.ErrNotExist)
}
