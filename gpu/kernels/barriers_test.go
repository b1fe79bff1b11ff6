package kernels_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/internal/emulator"
	"github.com/frondml/frond/gpu/kernels"
)

// barrier matches a barrier of a block or a warp.
var barrier = regexp.MustCompile(`\tbar(rier)?\.[^;]*;`)

// unneeded lists the barriers whose absence cannot be seen, by kernel and number, with
// the reason.
var unneeded = map[string]map[int]string{
	"sum_squares": {8: lastSum},
	"add_squares": {8: lastSum},
}

const lastSum = "behind the last addition thread 0 alone reads, and only what it has written itself"

// Without any one of its barriers a kernel is a race or has another result: the other
// tests would not pass by luck.
func TestEveryBarrierIsNeeded(t *testing.T) {
	files, err := filepath.Glob("cuda/*.ptx")
	require.NoError(t, err)
	tried := 0
	for _, file := range files {
		for kernel, ptx := range kernelsOf(t, file) {
			places := barrier.FindAllStringIndex(ptx, -1)
			if len(places) == 0 {
				continue
			}
			runs := blockRuns(kernel)
			require.NotEmpty(t, runs, "%s: %s has barriers, and no run of it is known here", file, kernel)
			tried += len(places)
			want := runBlocks(t, kernel, ptx, runs)
			require.NotNil(t, want, "%s: %s fails as it is", file, kernel)
			for n, place := range places {
				without := ptx[:place[0]] + ptx[place[1]:]
				same := slices.Equal(want, runBlocks(t, kernel, without, runs))
				_, expected := unneeded[kernel][n]
				require.Equal(t, expected, same, "%s: %s: barrier %d: is it the same without?", file, kernel, n)
			}
		}
	}
	require.Greater(t, tried, 40)
}

// entry matches a kernel of a PTX text, with its name.
var entry = regexp.MustCompile(`(?ms)^\.visible \.entry (\w+)\(.*?^\}$`)

// kernelsOf returns a PTX file for each of its kernels, without the others.
func kernelsOf(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	texts := map[string]string{}
	for _, match := range entry.FindAllStringSubmatch(string(text), -1) {
		texts[match[1]] = entry.ReplaceAllStringFunc(string(text), func(other string) string {
			if other == match[0] {
				return other
			}
			return ""
		})
	}
	require.Len(t, texts, strings.Count(string(text), ".entry"))
	return texts
}

// blockRun is a launch of one block: its threads, 0 for as many as there can be in a
// line, and the arguments, the first of which is the result of so many numbers.
type blockRun struct {
	threads gpu.Dim3
	result  int
	args    func(r *rig, result gpu.Buffer) []gpu.Arg
}

// runBlocks launches a kernel and returns the bits of all results, or nil if it fails.
func runBlocks(t *testing.T, kernel, ptx string, runs []blockRun) []uint32 {
	t.Helper()
	var bits []uint32
	for _, run := range runs {
		e := emulator.Open(t, "")
		device, err := gpu.Open(gpu.Options{Binding: emulator.Binding, Library: e.Library})
		require.NoError(t, err)
		defer device.Close()
		module, err := device.Load(ptx)
		require.NoError(t, err)
		k, err := module.Kernel(kernel)
		require.NoError(t, err)
		if run.threads == (gpu.Dim3{}) {
			run.threads = gpu.Line(k.MaxThreads())
		}
		stream, err := device.NewStream()
		require.NoError(t, err)
		r := &rig{T: t, device: device, stream: stream}
		result := put(r, make([]float32, run.result))
		require.NoError(t, stream.Launch(k, gpu.Grid{Blocks: gpu.Line(1), Threads: run.threads}, run.args(r, result)...))
		data := make([]byte, result.Size())
		if err := stream.Download(ctx, data, result); err != nil {
			require.ErrorIs(t, err, gpu.ErrKernel)
			return nil
		}
		for i := range run.result {
			bits = append(bits, binary.LittleEndian.Uint32(data[4*i:]))
		}
	}
	return bits
}

// blockRuns returns launches of a kernel that has barriers, by its name.
func blockRuns(kernel string) []blockRun {
	name, transposed := kernel, ""
	if i := strings.LastIndexByte(kernel, '_'); strings.HasPrefix(kernel, "gemm") {
		name, transposed = kernel[:i], kernel[i+1:]
	}
	switch name {
	case "gemm", "gemm_small":
		return []blockRun{{result: productSize, args: func(r *rig, c gpu.Buffer) []gpu.Arg {
			return productBlockArgs(r, transposed, c, nil, gpu.Null(), gpu.I32(productM), gpu.I32(productN), gpu.I32(productK), gpu.I32(0))
		}}}
	case "gemm_split":
		sizes := []gpu.Arg{gpu.I32(productM), gpu.I32(productN), gpu.I32(productK), gpu.I32(productK)}
		return dividedRuns(transposed, sizes...)
	case "gemm_tf32", "gemm_bf16":
		sizes := []gpu.Arg{gpu.Null(), gpu.I32(productM), gpu.I32(productN), gpu.I32(productK), gpu.I32(productK), gpu.I32(0)}
		return dividedRuns(transposed, sizes...)
	case "sum_columns", "add_columns":
		return []blockRun{{threads: gpu.Plane(32, 8), result: 32, args: func(r *rig, out gpu.Buffer) []gpu.Arg {
			return []gpu.Arg{gpu.InOut(out), gpu.In(put(r, random(1, 64*32))), gpu.I32(32), gpu.Null(), gpu.I32(0), gpu.I32(64), gpu.I32(32)}
		}}}
	case "sum_squares":
		return []blockRun{{result: 1, args: func(r *rig, out gpu.Buffer) []gpu.Arg {
			return []gpu.Arg{gpu.Out(out), gpu.In(put(r, random(1, 600))), gpu.I64(600), gpu.I32(1)}
		}}}
	case "add_squares":
		return []blockRun{{result: 1, args: func(r *rig, out gpu.Buffer) []gpu.Arg {
			return []gpu.Arg{gpu.InOut(out), gpu.In(put(r, random(1, 600))), gpu.I32(600)}
		}}}
	case "fused":
		return []blockRun{{result: 2 * fusedBlockSize, args: fusedBlockArgs}}
	default:
		return nil
	}
}

// Extents of products that are one block with three slices of the inner dimension.
const (
	productM, productN, productK = 64, 64, 96

	productSize = productM * productN
)

// productBlockArgs returns the arguments of a product: a result, where it is written in parts
// instead, the operands and what follows. The letters say which is transposed.
func productBlockArgs(r *rig, transposed string, c gpu.Buffer, parts *gpu.Arg, more ...gpu.Arg) []gpu.Arg {
	strideA, strideB := int32(productK), int32(productN)
	if transposed[0] == 't' {
		strideA = productM
	}
	if transposed[1] == 't' {
		strideB = productK
	}
	args := []gpu.Arg{gpu.InOut(c), gpu.I32(productN)}
	if parts != nil {
		args = append(args, *parts)
	}
	a, b := put(r, random(1, productM*productK)), put(r, random(2, productK*productN))
	args = append(args, gpu.In(a), gpu.I32(strideA), gpu.Null(), gpu.I32(productM), gpu.In(b), gpu.I32(strideB))
	return append(args, more...)
}

// dividedRuns writes the result and a part. The compiler makes code of its own for each.
func dividedRuns(transposed string, more ...gpu.Arg) []blockRun {
	whole := func(r *rig, c gpu.Buffer) []gpu.Arg {
		parts := gpu.Null()
		return productBlockArgs(r, transposed, c, &parts, more...)
	}
	inParts := func(r *rig, c gpu.Buffer) []gpu.Arg {
		parts := gpu.InOut(c)
		args := productBlockArgs(r, transposed, c, &parts, more...)
		args[0] = gpu.Null()
		return args
	}
	return []blockRun{{result: productSize, args: whole}, {result: productSize, args: inParts}}
}

// fusedBlockSize is so large that a row is done by several warps.
const fusedBlockSize = 512

// fusedBlockArgs are two steps on a row: x += 1, and y[i] = x[i+32] + 1, which another warp
// has written.
func fusedBlockArgs(r *rig, result gpu.Buffer) []gpu.Arg {
	const operands, steps, stepBytes = 16, 32, 20
	x, y := result.Slice(0, 4*fusedBlockSize), result.Slice(4*fusedBlockSize, 8*fusedBlockSize)
	addOne := func(to, from byte) []byte {
		data := []byte{byte(kernels.Add), 0, to, from, 255, 0, 0, 0}
		data = binary.LittleEndian.AppendUint32(data, fusedBlockSize-32)
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(1))
		return binary.LittleEndian.AppendUint32(data, 0)
	}
	list := make([]byte, steps*stepBytes)
	copy(list, slices.Concat(addOne(0, 0), addOne(1, 2)))
	args := []gpu.Arg{gpu.InOut(x), gpu.Null(), gpu.Out(y), gpu.Null(), gpu.In(x.Slice(4*32, x.Size())), gpu.Null()}
	for len(args) < 2*operands {
		args = append(args, gpu.Null())
	}
	return append(args, gpu.Bytes(make([]byte, 4*operands)), gpu.Bytes(list), gpu.I32(3), gpu.I32(2), gpu.I32(1), gpu.I32(8))
}
