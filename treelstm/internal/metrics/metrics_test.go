package metrics_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/treelstm/internal/metrics"
)

type record struct {
	Step int    `json:"step"`
	Note string `json:"note"`
}

func write(t *testing.T, f *metrics.File, records ...record) {
	t.Helper()
	for _, r := range records {
		require.NoError(t, f.Write(r))
	}
	require.NoError(t, f.Close())
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	f, err := metrics.Create(path)
	require.NoError(t, err)
	write(t, f, record{1, "a\nb"}, record{2, ""})
	assert.Equal(t, "{\"step\":1,\"note\":\"a\\nb\"}\n{\"step\":2,\"note\":\"\"}\n", content(t, path))
}

func TestContinue(t *testing.T) {
	one, two, three := `{"step":1}`+"\n", `{"step":2}`+"\n", `{"step":3}`+"\n"
	for name, c := range map[string]struct{ before, want string }{
		"nothing":        {"", ""},
		"all wanted":     {one + two, one + two},
		"one too many":   {one + two + three, one + two},
		"all too many":   {three + one, ""},
		"incomplete":     {one + `{"step":2`, one},
		"no end of line": {one + strings.TrimSpace(two), one},
		"broken":         {one + "{\n" + two, one},
		"no record":      {strings.Repeat("x", 2<<20) + "\n", ""},
	} {
		path := filepath.Join(t.TempDir(), "m.jsonl")
		if c.before != "" {
			require.NoError(t, os.WriteFile(path, []byte(c.before), 0o600))
		}
		f, err := metrics.Continue(path, func(record []byte) bool { return !bytes.Contains(record, []byte("3")) })
		require.NoError(t, err, name)
		write(t, f, record{9, "new"})
		assert.Equal(t, c.want+`{"step":9,"note":"new"}`+"\n", content(t, path), name)
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none", "m.jsonl")
	_, err := metrics.Create(none)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = metrics.Continue(none, nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, none)

	path := filepath.Join(dir, "m.jsonl")
	f, err := metrics.Create(path)
	require.NoError(t, err)
	assert.ErrorContains(t, f.Write(math.NaN()), path+": json: unsupported value")
	require.NoError(t, f.Close())
	require.ErrorIs(t, f.Write(1), os.ErrClosed)
	assert.Empty(t, content(t, path))
}
