package safetensors

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// python runs script with the reference implementation at hand, or skips the test.
// Put a Python that has the packages safetensors and numpy first in PATH to run it.
func python(t *testing.T, script string, args ...string) {
	t.Helper()
	if err := exec.Command("python3", "-c", "import safetensors.numpy").Run(); err != nil {
		t.Skipf("python3 with the packages safetensors and numpy is not at hand: %v", err)
	}
	out, err := exec.Command("python3", append([]string{"-c", script}, args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestReferenceReadsOurs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ours.safetensors")
	require.NoError(t, WriteFile(path, []Tensor{
		Of("f32", []int{2, 3}, []float32{0, 1, -2.5, float32(math.Inf(1)), math.SmallestNonzeroFloat32, 1e30}),
		Of("f64", nil, []float64{math.Pi}),
		Of("i32", []int{2}, []int32{math.MinInt32, math.MaxInt32}),
		Of("i64", []int{1, 1, 2}, []int64{math.MinInt64, math.MaxInt64}),
		Of("u8", []int{3}, []uint8{0, 127, 255}),
		Of("bool", []int{3}, []bool{true, false, true}),
		Of("empty", []int{0, 4}, []float32{}),
		Raw("c64", C64, []int{1}, bytes.NewReader(make([]byte, 8))),
		Raw("e8m0", F8E8M0, []int{1}, bytes.NewReader(make([]byte, 1))),
		Of("\"quoted\" <é>\n", []int{16}, make([]float32, 16)),
	}, map[string]string{"vocab": "ab\"c\u2028", "a": ""}))
	python(t, `
import sys, numpy as np
from safetensors import safe_open, deserialize
raw = dict(deserialize(open(sys.argv[1], "rb").read()))
assert len(raw) == 10, raw.keys()
assert raw["c64"]["shape"] == [1] and raw["e8m0"]["shape"] == [1], raw
with safe_open(sys.argv[1], framework="np") as f:
    assert f.metadata() == {"vocab": "ab\"c\u2028", "a": ""}, f.metadata()
    def check(name, want):
        got = f.get_tensor(name)
        assert got.dtype == want.dtype and got.shape == want.shape and (got == want).all(), (name, got, want)
    check("f32", np.array([[0, 1, -2.5], [np.inf, 1e-45, 1e30]], np.float32))
    check("f64", np.array(np.pi, np.float64))
    check("i32", np.array([-2**31, 2**31 - 1], np.int32))
    check("i64", np.array([[[-2**63, 2**63 - 1]]], np.int64))
    check("u8", np.array([0, 127, 255], np.uint8))
    check("bool", np.array([True, False, True]))
    check("empty", np.zeros((0, 4), np.float32))
    check("\"quoted\" <é>\n", np.zeros(16, np.float32))
`, path)
}

func TestWeReadReference(t *testing.T) {
	path := filepath.Join(t.TempDir(), "theirs.safetensors")
	python(t, `
import sys, numpy as np
from safetensors.numpy import save_file
save_file({
    "f32": np.array([[0, 1, -2.5], [np.inf, 1e-45, 1e30]], np.float32),
    "f64": np.array(np.pi), "f16": np.array([1.5, -65504, 6e-8], np.float16),
    "i32": np.array([-2**31, 2**31 - 1], np.int32), "i64": np.array([[[-2**63, 2**63 - 1]]]),
    "u8": np.array([0, 127, 255], np.uint8), "bool": np.array([True, False, True]),
    "u16": np.array([65535], np.uint16), "empty": np.zeros((0, 4), np.float32), "\"quoted\" <é>\n": np.array([7], np.int8),
}, sys.argv[1], metadata={"vocab": "ab\"c\u2028", "a": ""})
`, path)
	r, err := Open(path)
	require.NoError(t, err)
	defer func() { assert.NoError(t, r.Close()) }()
	assert.Len(t, r.Names(), 10)
	assert.Equal(t, map[string]string{"vocab": "ab\"c\u2028", "a": ""}, r.Metadata())
	checkRead(t, r, "f32", []int{2, 3}, r.ReadF32, []float32{0, 1, -2.5, float32(math.Inf(1)), math.SmallestNonzeroFloat32, 1e30})
	checkRead(t, r, "f64", []int{}, r.ReadF64, []float64{math.Pi})
	checkRead(t, r, "f16", []int{3}, r.ReadAsF32, []float32{1.5, -65504, 1.0 / (1 << 24)})
	checkRead(t, r, "i32", []int{2}, r.ReadI32, []int32{math.MinInt32, math.MaxInt32})
	checkRead(t, r, "i64", []int{1, 1, 2}, r.ReadI64, []int64{math.MinInt64, math.MaxInt64})
	checkRead(t, r, "u8", []int{3}, r.ReadU8, []uint8{0, 127, 255})
	checkRead(t, r, "bool", []int{3}, r.ReadBool, []bool{true, false, true})
	checkRead(t, r, "u16", []int{1}, r.ReadBytes, []byte{255, 255})
	checkRead(t, r, "empty", []int{0, 4}, r.ReadF32, []float32{})
	checkRead(t, r, "\"quoted\" <é>\n", []int{1}, r.ReadBytes, []byte{7})
}

func checkRead[T any](t *testing.T, r *Reader, name string, shape []int, read func(string, []T) error, want []T) {
	t.Helper()
	info, ok := r.Info(name)
	require.True(t, ok, name)
	assert.Equal(t, shape, info.Shape, name)
	got := make([]T, len(want))
	require.NoError(t, read(name, got))
	assert.Equal(t, want, got, name)
}

// TestReferenceRefusesHoles is why tensors are ordered and not padded to get
// alignment.
func TestReferenceRefusesHoles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hole.safetensors")
	hole := hostile["hole between"].file
	require.NoError(t, os.WriteFile(path, hole, 0o666))
	_, err := Open(path)
	require.ErrorIs(t, err, ErrFormat)
	python(t, `
import sys
from safetensors import deserialize, SafetensorError
try:
    deserialize(open(sys.argv[1], "rb").read())
except SafetensorError:
    sys.exit(0)
sys.exit("accepted a hole")
`, path)
}
