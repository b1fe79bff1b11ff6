package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/benchmarks/contender"
	"github.com/frondml/frond/benchmarks/measure"
	"github.com/frondml/frond/gpu/internal/emulator"
	"github.com/frondml/frond/gpu/internal/standin"
)

func TestOptions(t *testing.T) {
	o, err := parseOptions([]string{"-torch", "python3 torch_levels.py", "trees", "gemm"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, []string{"python3", "torch_levels.py"}, o.torch)
	require.Equal(t, "trees", o.parts[0].name)
	require.Equal(t, "gemm", o.parts[1].name)
	o, err = parseOptions([]string{"-collect", "results"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, "results", o.collect)
	for message, args := range map[string][]string{
		"which parts?":                  nil,
		`there is no part "everything"`: {"launch", "everything"},
		"-rounds 0":                     {"-rounds", "0", "launch"},
		"-collect takes no parts":       {"-collect", "results", "launch"},
		"-unknown":                      {"-unknown"},
	} {
		var messages strings.Builder
		_, err := parseOptions(args, &messages)
		require.ErrorContains(t, err, strings.TrimPrefix(message, "-unknown"))
		require.Contains(t, messages.String(), message)
	}
}

// setUp returns options for all parts on an emulated device, with a stand-in for cuBLAS.
func setUp(t *testing.T, names ...string) *options {
	t.Helper()
	driver := emulator.Open(t, "scheduler=threads capability=80").Library
	args := []string{
		"-small", "-rounds", "2", "-sample", "100us", "-library", driver, "-cublas", standin.Open(t, driver).Library,
		"-ptx", filepath.Join("..", "..", "kernels", "cuda"), "-json", filepath.Join(t.TempDir(), "report.json"),
	}
	o, err := parseOptions(append(args, names...), io.Discard)
	require.NoError(t, err)
	return o
}

func (o *options) read(t *testing.T) *report {
	t.Helper()
	text, err := os.ReadFile(o.json)
	require.NoError(t, err)
	r := &report{}
	require.NoError(t, json.Unmarshal(text, r))
	return r
}

// find returns the figures of a kind.
func (r *report) find(part, name, unit string) (found []measurement) {
	for _, m := range r.Measurements {
		if m.Part == part && m.Name == name && m.Unit == unit {
			found = append(found, m)
		}
	}
	return found
}

func TestAllParts(t *testing.T) {
	o := setUp(t, "launch", "copy", "load", "gemm", "trees")
	var text strings.Builder
	require.NoError(t, run(o, &text))
	r := o.read(t)
	require.Equal(t, "emulated device", r.Card.Name)
	require.Equal(t, "13.0", r.Card.Driver)
	require.Equal(t, []string{"launch", "copy", "load", "gemm", "trees"}, r.Parts)
	for _, m := range r.Measurements {
		require.Positive(t, m.Value.P10, "%v", m)
		require.LessOrEqual(t, m.Value.P10, m.Value.Median)
		require.Positive(t, m.Rounds)
		require.Contains(t, text.String(), m.Name)
	}
	require.Len(t, r.find("launch", "launch", "us"), 3, "one stream, and eight in two ways")
	require.Len(t, r.find("copy", "upload", "us"), len(smallCopySizes))
	files, err := filepath.Glob(filepath.Join(o.ptx, "*.ptx"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		require.Len(t, r.find("load", "load "+filepath.Base(file), "ms"), 2)
	}
	for name, most := range map[string]float64{
		"GEMM": 1e-6, "SplitGEMM": 1e-6, "TensorGEMM tf32": 1e-3, "TensorGEMM bf16": 1e-2,
		"cuBLAS fp32": 1e-6, "cuBLAS tf32": 1e-3, "cuBLAS bf16": 1e-2, "cuBLAS, bf16 in memory": 1e-2,
	} {
		require.Len(t, r.find("gemm", name, "TFLOP/s"), 3, name)
		for _, m := range r.find("gemm", name, "relative error") {
			require.Less(t, m.Value.Median, most, name)
		}
	}
	for _, name := range []string{"processor", "processor, unshared", "card", "card, unshared", "card, unshared, 4 workers", "card, unshared, cublas", "card, unshared, tf32"} {
		require.Len(t, r.find("trees", name, "sentences/s"), 2, name)
	}
	require.Contains(t, r.Notes, "gemm: cuBLAS 13.4.1")
}

// A part that fails does not keep the others from running, and what is missing is said.
func TestPartThatFails(t *testing.T) {
	o := setUp(t, "load", "gemm", "trees")
	dir := t.TempDir()
	o.ptx, o.cublasPath = dir, filepath.Join(dir, "libcublas.so.13")
	for name, ptx := range map[string]string{
		"good.ptx": emptyPTX, "bad.ptx": strings.Replace(emptyPTX, "ret;", "frobnicate;", 1),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(ptx), 0o600))
	}
	err := run(o, io.Discard)
	require.ErrorContains(t, err, "load: bad.ptx: ")
	require.ErrorContains(t, err, "unknown instruction frobnicate")
	r := o.read(t)
	require.Len(t, r.find("load", "load good.ptx", "ms"), 2)
	require.Empty(t, r.find("load", "load bad.ptx", "ms"))
	require.Len(t, r.find("gemm", "GEMM", "TFLOP/s"), 3)
	require.Empty(t, r.find("gemm", "cuBLAS fp32", "TFLOP/s"))
	notes := strings.Join(r.Notes, "\n")
	require.Contains(t, notes, "load: failed: bad.ptx")
	require.Contains(t, notes, "gemm: without cuBLAS: cublas: no cuBLAS library")
	require.Len(t, r.find("trees", "card", "sentences/s"), 2)
	require.Empty(t, r.find("trees", "card, unshared, cublas", "sentences/s"))
	require.Contains(t, notes, `trees: without "card, unshared, cublas": cuda: cublas: no cuBLAS library`)

	o.library = filepath.Join(dir, "libcuda.so.1")
	require.ErrorContains(t, run(o, io.Discard), "no CUDA driver")
}

// Wrong products are found: one that is out of its bound, and one that was not written.
func TestWrongProductsAreFound(t *testing.T) {
	p := product{"X W'", 2, 2, 3, false, true}
	a := &operand{rows: 2, columns: 3, host: []float32{1, 2, 3, 4, 5, 6}}
	b := &operand{rows: 2, columns: 3, host: []float32{1, 0, -1, 2, 1, 0}}
	result := func(x ...float32) (data []byte) {
		for _, v := range x {
			bits := math.Float32bits(v)
			data = append(data, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
		}
		return data
	}
	worst, err := p.wrong(a, b, result(-2, 4, -2, 13.001), 1e-3)
	require.NoError(t, err)
	require.InDelta(t, 0.001/13, worst, 1e-6, "the last is 4*2 + 5*1")
	_, err = p.wrong(a, b, result(-2, 4, -2, 13.1), 1e-3)
	require.ErrorContains(t, err, "element (1, 1) is 13.1")
	_, err = p.wrong(a, b, result(float32(math.NaN()), 4, -2, 13), 1e-3)
	require.ErrorContains(t, err, "element (0, 0) is NaN, want -2")
}

func TestBfloat16(t *testing.T) {
	for x, want := range map[float32]uint16{
		1: 0x3f80, -2: 0xc000, 1 + 0x1p-8: 0x3f80, 1 + 3*0x1p-8: 0x3f82, 1 + 0x1p-8 + 0x1p-20: 0x3f81, 0: 0,
	} {
		require.Equal(t, want, bfloat16(x), "%v", x)
	}
}

// loser is a contender with a loss of its own.
type loser struct {
	loss float64
	err  error
}

func (l *loser) Name() string                            { return fmt.Sprint("loser of ", l.loss) }
func (l *loser) Infer(*contender.Batch) (float64, error) { return l.loss, l.err }
func (l *loser) Train(*contender.Batch) (float64, error) { return l.loss / 2, nil }
func (l *loser) Close() error                            { return nil }

// Contenders whose losses are others do not take part.
func TestLossesMustAgree(t *testing.T) {
	broken := errors.New("broken")
	all := []contender.Contender{
		&loser{100, nil}, &loser{100.01, nil}, &loser{100.9, nil}, &loser{100, broken},
		&onCard{Contender: &loser{100.9, nil}, rounds: true}, &onCard{Contender: &loser{101.1, nil}, rounds: true},
		&onCard{Contender: &loser{100.9, nil}}, &loser{math.NaN(), nil},
	}
	fit, err := agree(all, make([]*contender.Batch, 3))
	require.Equal(t, []contender.Contender{all[0], all[1], all[4]}, fit)
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "loser of 100.9: the losses are [100.9 50.45 100.9 50.45], want [100 50 100 50]")
	require.Len(t, strings.Split(err.Error(), "\n"), 5)

	fit, err = agree([]contender.Contender{all[3], all[0]}, make([]*contender.Batch, 3))
	require.Empty(t, fit)
	require.ErrorContains(t, err, "loser of 100: there is nothing to compare the losses with")
}

// What fails while it is measured does not keep the rest from being measured.
func TestSubjectsThatFail(t *testing.T) {
	o, err := parseOptions([]string{"-rounds", "4", "-sample", "1ns", "launch"}, io.Discard)
	require.NoError(t, err)
	b := &bench{options: o, report: &report{}, part: "launch", deadline: time.Now().Add(time.Minute)}
	failing := func(after int) func(int) (time.Duration, error) {
		return func(int) (time.Duration, error) {
			if after--; after < 0 {
				return 0, errors.New("broken")
			}
			return time.Millisecond, nil
		}
	}
	err = b.measure([]subject{
		{name: "at once", run: failing(0)}, {name: "good", run: failing(1000)}, {name: "later", run: failing(3)},
		{name: "rate", run: failing(1000), unit: "things/s", amount: 5},
	})
	require.ErrorContains(t, err, "at once : broken")
	require.ErrorContains(t, err, "later : broken")
	require.Equal(t, []measurement{
		{"launch", "good", "", "us", measure.Spread{P10: 1000, Median: 1000, P90: 1000}, 4},
		{"launch", "rate", "", "things/s", measure.Spread{P10: 5000, Median: 5000, P90: 5000}, 4},
	}, b.report.Measurements)
}
