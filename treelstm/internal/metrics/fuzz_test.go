package metrics_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/treelstm/internal/metrics"
)

// What is left of any file are its first lines, all of them records that are wanted.
func FuzzContinue(f *testing.F) {
	f.Add([]byte("{\"step\":1}\n{\"step\":2}\n{\"st"))
	f.Add([]byte("\n{}\nnull\n\xff\n"))
	f.Fuzz(func(t *testing.T, before []byte) {
		path := filepath.Join(t.TempDir(), "m.jsonl")
		require.NoError(t, os.WriteFile(path, before, 0o600))
		wanted := func(record []byte) bool { return len(record) < 20 }
		file, err := metrics.Continue(path, wanted)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(before, after))
		for line := range bytes.Lines(after) {
			record, whole := bytes.CutSuffix(line, []byte("\n"))
			require.True(t, whole && json.Valid(record) && wanted(record), "%q", line)
		}
		first, _, more := bytes.Cut(before[len(after):], []byte("\n"))
		require.False(t, more && json.Valid(first) && wanted(first), "%q was wanted", first)
	})
}
