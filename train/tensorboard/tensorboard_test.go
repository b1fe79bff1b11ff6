package tensorboard_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/train/tensorboard"
)

// crc32c is CRC-32C bit by bit, as RFC 3720, appendix B.4, defines it.
func crc32c(data []byte) uint32 {
	crc := ^uint32(0)
	for _, b := range data {
		crc ^= uint32(b)
		for range 8 {
			crc = crc>>1 ^ 0x82f63b78*(crc&1)
		}
	}
	return ^crc
}

// unmask undoes what TensorFlow does to check sums.
func unmask(masked uint32) uint32 {
	rot := masked - 0xa282ead8
	return rot>>17 | rot<<15
}

// records takes TFRecord frames apart.
func records(t *testing.T, content []byte) (all [][]byte) {
	t.Helper()
	for len(content) > 0 {
		require.GreaterOrEqual(t, len(content), 16)
		n := binary.LittleEndian.Uint64(content)
		require.Equal(t, crc32c(content[:8]), unmask(binary.LittleEndian.Uint32(content[8:])), "check sum of the length")
		data := content[12 : 12+n]
		require.Equal(t, crc32c(data), unmask(binary.LittleEndian.Uint32(content[12+n:])), "check sum of the data")
		all, content = append(all, data), content[16+n:]
	}
	return all
}

// fields takes a message apart: numbers as uint64, all else as bytes, by field number.
func fields(t *testing.T, m []byte) map[int][]any {
	t.Helper()
	all := map[int][]any{}
	for len(m) > 0 {
		key, n := binary.Uvarint(m)
		require.Positive(t, n)
		m = m[n:]
		var x any
		switch key & 7 {
		case 0:
			v, n := binary.Uvarint(m)
			require.Positive(t, n)
			x, m = v, m[n:]
		case 1:
			x, m = binary.LittleEndian.Uint64(m), m[8:]
		case 2:
			size, n := binary.Uvarint(m)
			require.Positive(t, n)
			x, m = m[n:n+int(size)], m[n+int(size):]
		case 5:
			x, m = uint64(binary.LittleEndian.Uint32(m)), m[4:]
		default:
			require.Fail(t, "wire type", key)
		}
		all[int(key>>3)] = append(all[int(key>>3)], x)
	}
	return all
}

// sub is a field that is a message.
func sub(t *testing.T, m map[int][]any, field, i int) map[int][]any {
	t.Helper()
	require.Greater(t, len(m[field]), i)
	return fields(t, m[field][i].([]byte))
}

func TestCRC(t *testing.T) {
	assert.Equal(t, uint32(0xe3069283), crc32c([]byte("123456789")), "the published check value")
}

func write(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "runs", "first")
	w, err := tensorboard.Create(dir)
	require.NoError(t, err)
	require.NoError(t, w.Text(0, "config", "hidden **150**, größer"))
	require.NoError(t, w.Scalars(1<<40, tensorboard.Scalar{Tag: "train/loss", Value: 1.1}, tensorboard.Scalar{Tag: "dev/root", Value: -0.25}))
	require.NoError(t, w.Scalars(7, tensorboard.Scalar{Tag: "train/loss", Value: math.Inf(1)}))
	require.NoError(t, w.Restart(7))
	require.NoError(t, w.Close())
	return dir
}

func theFile(t *testing.T, dir string) []byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "events.out.tfevents.*"))
	require.NoError(t, err)
	require.Len(t, names, 1)
	content, err := os.ReadFile(names[0])
	require.NoError(t, err)
	return content
}

func TestEventsDecoded(t *testing.T) {
	begun := time.Now()
	content := theFile(t, write(t))
	assert.Equal(t, "\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7f\x4b\x22", string(content[:12]), "how all files of TensorFlow begin")
	all := records(t, content)
	require.Len(t, all, 5)

	version := fields(t, all[0])
	assert.Equal(t, "brain.Event:2", string(version[3][0].([]byte)))
	wall := math.Float64frombits(version[1][0].(uint64))
	assert.InDelta(t, float64(begun.UnixNano())/1e9, wall, 60)

	text := sub(t, sub(t, fields(t, all[1]), 5, 0), 1, 0)
	assert.Equal(t, "config", string(text[1][0].([]byte)))
	tensor := sub(t, text, 8, 0)
	assert.Equal(t, uint64(7), tensor[1][0], "DT_STRING")
	assert.Equal(t, uint64(1), sub(t, sub(t, tensor, 2, 0), 2, 0)[1][0], "of one element")
	assert.Equal(t, "hidden **150**, größer", string(tensor[8][0].([]byte)))
	assert.Equal(t, "text", string(sub(t, sub(t, text, 9, 0), 1, 0)[1][0].([]byte)))

	scalars := fields(t, all[2])
	assert.Equal(t, uint64(1<<40), scalars[2][0])
	for i, want := range []tensorboard.Scalar{{Tag: "train/loss", Value: 1.1}, {Tag: "dev/root", Value: -0.25}} {
		value := sub(t, sub(t, scalars, 5, 0), 1, i)
		assert.Equal(t, want.Tag, string(value[1][0].([]byte)))
		assert.Equal(t, uint64(math.Float32bits(float32(want.Value))), value[2][0])
	}
	assert.Equal(t, uint64(math.Float32bits(float32(math.Inf(1)))), sub(t, sub(t, fields(t, all[3]), 5, 0), 1, 0)[2][0])

	restart := fields(t, all[4])
	assert.Equal(t, uint64(7), restart[2][0])
	assert.Equal(t, uint64(1), sub(t, restart, 7, 0)[1][0], "START")
}

// Two writers of the same second do not share a file.
func TestFilesAreNotShared(t *testing.T) {
	dir := t.TempDir()
	a, err := tensorboard.Create(dir)
	require.NoError(t, err)
	b, err := tensorboard.Create(dir)
	require.NoError(t, err)
	assert.NotEqual(t, a.Name(), b.Name())
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	w, err := tensorboard.Create(dir)
	require.NoError(t, err)
	before := theFile(t, dir)
	require.ErrorIs(t, w.Scalars(1, tensorboard.Scalar{Tag: "good"}, tensorboard.Scalar{}), tensorboard.ErrTag)
	require.ErrorIs(t, w.Text(1, "\xff", "text"), tensorboard.ErrTag)
	assert.Equal(t, before, theFile(t, dir), "nothing was written")
	require.NoError(t, w.Close())
	err = w.Restart(1)
	require.ErrorIs(t, err, os.ErrClosed)
	assert.ErrorContains(t, err, w.Name())

	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = tensorboard.Create(filepath.Join(file, "runs"))
	assert.ErrorContains(t, err, file)
}

// readBack prints what TensorBoard finds in a directory.
const readBack = `
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
a = EventAccumulator(sys.argv[1])
a.Reload()
print(json.dumps({
    "scalars": {tag: [[e.step, e.value] for e in a.Scalars(tag)] for tag in a.Tags()["scalars"]},
    "texts": {tag: a.Tensors(tag)[0].tensor_proto.string_val[0].decode() for tag in a.Tags()["tensors"]},
}))
`

// python returns an interpreter that has TensorBoard.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here to run TensorBoard's reader")
	}
	if err := exec.Command(path, "-c", "import tensorboard").Run(); err != nil {
		t.Skipf("%s cannot import tensorboard (pip install tensorboard)", path)
	}
	return path
}

func TestTensorBoardReadsThem(t *testing.T) {
	path := python(t)
	dir := t.TempDir()
	first, err := tensorboard.Create(dir)
	require.NoError(t, err)
	require.NoError(t, first.Text(0, "config", "hidden **150**, größer"))
	for step := range int64(5) {
		require.NoError(t, first.Scalars(step, tensorboard.Scalar{Tag: "train/loss", Value: float64(step) / 4}, tensorboard.Scalar{Tag: "dev/root", Value: -0.25}))
	}
	require.NoError(t, first.Close())
	again, err := tensorboard.Create(dir)
	require.NoError(t, err)
	require.NoError(t, again.Restart(3))
	require.NoError(t, again.Scalars(3, tensorboard.Scalar{Tag: "train/loss", Value: 9}))
	require.NoError(t, again.Close())

	out, err := exec.Command(path, "-c", readBack, dir).Output()
	require.NoError(t, err)
	var got struct {
		Scalars map[string][][2]float64
		Texts   map[string]string
	}
	require.NoError(t, json.Unmarshal(out, &got))
	assert.Equal(t, map[string]string{"config/text_summary": "hidden **150**, größer"}, withSuffix(got.Texts))
	assert.Equal(t, map[string][][2]float64{
		"train/loss": {{0, 0}, {1, 0.25}, {2, 0.5}, {3, 9}},
		"dev/root":   {{0, -0.25}, {1, -0.25}, {2, -0.25}},
	}, got.Scalars, "a restart makes it forget")
}

// withSuffix gives texts the names that some versions of TensorBoard give them.
func withSuffix(texts map[string]string) map[string]string {
	all := map[string]string{}
	for tag, text := range texts {
		all[strings.TrimSuffix(tag, "/text_summary")+"/text_summary"] = text
	}
	return all
}
