package main

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/train/safetensors"
)

func TestInspect(t *testing.T) {
	file, dir := trained(t)
	r := treelstm(t, "inspect", file)
	require.Zero(t, r.status, r.err)
	for _, want := range []string{
		file + ": ", "its check sum is right", "a vocabulary of 8 words", `"data": "` + dir + `"`, `"hidden": 8`, `"best_epoch": `,
	} {
		assert.Contains(t, r.out, want)
	}
	// The statistics of a matrix, computed from what the model has in memory.
	m, err := loadModel(file, exec.Options{})
	require.NoError(t, err)
	defer m.session.Close()
	for _, v := range m.session.Program().Variables {
		row := regexp.MustCompile(`(?m)^ *F32 +([\dx]+) +(\S+) +(\S+) +\S+ +(\S+) +0 +0 +` + v.Name + `$`).FindStringSubmatch(r.out)
		require.NotNil(t, row, "%s in\n%s", v.Name, r.out)
		if v.Name != "U" {
			continue
		}
		smallest, largest, squares := math.Inf(1), math.Inf(-1), 0.0
		for _, x := range m.session.Parameters().Value(v) {
			smallest, largest = min(smallest, float64(x)), max(largest, float64(x))
			squares += float64(x) * float64(x)
		}
		assert.Equal(t, "40x16", row[1])
		for i, want := range []float64{smallest, largest, math.Sqrt(squares)} {
			assert.InEpsilon(t, want, number(t, row[2+i]), 1e-3)
		}
	}
}

func TestInspectVocabulary(t *testing.T) {
	file, _ := trained(t)
	r := treelstm(t, "inspect", "-vocabulary", file)
	require.Zero(t, r.status, r.err)
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	assert.Len(t, lines, 8)
	assert.Equal(t, "0\t<unk>", lines[0])
	assert.Contains(t, r.out, "\tfilm\n")
}

func TestInspectTensor(t *testing.T) {
	file, _ := trained(t)
	r := treelstm(t, "inspect", "-tensor", "Ws", file)
	require.Zero(t, r.status, r.err)
	assert.True(t, strings.HasPrefix(r.out, "Ws F32[5 8]\n[["), r.out)
	assert.Len(t, regexp.MustCompile(`-?\d[\d.e-]*`).FindAllString(strings.TrimPrefix(r.out, "Ws F32[5 8]"), -1), 40)

	r = treelstm(t, "inspect", "-tensor", "Wz", file)
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, `-tensor "Wz": no such tensor; there are: E U W Ws`)
}

// Files of other programs are files, too.
func TestInspectForeignFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "foreign.safetensors")
	tensors := []safetensors.Tensor{
		safetensors.Of("layer.0.weight", []int{2, 2}, []float32{1, -2, float32(math.NaN()), float32(math.Inf(1))}),
		safetensors.Of("count", nil, []int64{7}),
		safetensors.Of("none", []int{0, 3}, []float64{}),
		safetensors.Of("evil\x1b[2J", []int{1}, []bool{true}),
		safetensors.Raw("z", safetensors.C64, []int{1}, strings.NewReader("\x00\x00\x80\x3f\x00\x00\x00\x40")),
	}
	require.NoError(t, safetensors.WriteFile(file, tensors, map[string]string{"format": "pt", "evil": "\x1b[2J", "long": strings.Repeat("x", 10000)}))
	r := treelstm(t, "inspect", file)
	require.Zero(t, r.status, r.err)
	for _, want := range []string{
		"5 tensors, 7 elements, 33 bytes", "not a checkpoint of this program", "format: pt\n", `evil: \x1b[2J`, "(10000 bytes)", `evil\x1b[2J`,
	} {
		assert.Contains(t, r.out, want)
	}
	assert.Regexp(t, `(?m)^ *F32 +2x2 +-2 +\+?Inf +\+?Inf +\+?Inf +1 +1 +layer\.0\.weight$`, r.out)
	assert.Regexp(t, `(?m)^ *I64 +7 +7 +7 +7 +0 +0 +count$`, r.out)
	assert.Regexp(t, `(?m)^ *F64 +0x3 +none$`, r.out)
	assert.Regexp(t, `(?m)^ *C64 +1 +z$`, r.out)
	assert.NotContains(t, r.out, "\x1b")
	assert.Less(t, len(r.out), 2000)

	r = treelstm(t, "inspect", "-tensor", "z", file)
	assert.Equal(t, "z C64[1]\n[(1+2i)]\n", r.out)
	r = treelstm(t, "inspect", "-vocabulary", file)
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, "a safetensors file of another program")
}

// Whatever is wrong with a file is said, and what can be read of it is shown.
func TestInspectDamagedFiles(t *testing.T) {
	file, _ := trained(t)
	good, err := os.ReadFile(file)
	require.NoError(t, err)
	at := int(binary.LittleEndian.Uint64(good)) + 8 // of the data
	flipped := append([]byte{}, good...)
	flipped[at+100] ^= 1
	huge := append([]byte{}, good...)
	binary.LittleEndian.PutUint64(huge, 1<<62)
	for name, c := range map[string]struct {
		content []byte
		want    string
		shown   bool
	}{
		"empty":     {nil, "has 0 bytes", false},
		"text":      {[]byte("this is not a model at all"), "header length is", false},
		"truncated": {good[:len(good)-10], "but the data section has", false},
		"no header": {good[:5], "has 5 bytes", false},
		"forged":    {huge, "header length is 4611686018427387904", false},
		"flipped":   {flipped, "damaged: the SHA-256", true},
	} {
		damaged := filepath.Join(t.TempDir(), "m.safetensors")
		require.NoError(t, os.WriteFile(damaged, c.content, 0o600))
		r := treelstm(t, "inspect", damaged)
		assert.Equal(t, exitFailure, r.status, name)
		assert.Contains(t, r.err, c.want, name)
		assert.Contains(t, r.err, damaged, name)
		assert.Equal(t, c.shown, strings.Contains(r.out, "hidden"), name)
	}
	r := treelstm(t, "inspect", t.TempDir())
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, "is not a regular file")
}

func TestInspectRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		`unexpected argument "-vocabulary"; flags come before the file`: {"m.safetensors", "-vocabulary"},
		"want one of them": {"-vocabulary", "-tensor", "x", "m.safetensors"},
	} {
		r := treelstm(t, append([]string{"inspect"}, args...)...)
		assert.Equal(t, exitUsage, r.status)
		assert.Contains(t, r.err, want)
	}
}

func number(t testing.TB, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return x
}
