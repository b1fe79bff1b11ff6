package contender

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/benchmarks/peer"
)

const python = "/usr/bin/python3"

func TestTorchAgrees(t *testing.T) {
	if err := exec.Command(python, "-c", "import torch, numpy").Run(); err != nil {
		t.Skip("no PyTorch here: ", err)
	}
	s := Setting{Corpus: corpus.Generate("moderate", 24, 9, corpus.Moderate), Embed: 12, Hidden: 10, Workers: 1}
	level, err := NewLevel("level", s, 0)
	require.NoError(t, err)
	cs := []Contender{level}
	for _, kind := range []string{"natural", "level"} {
		c, library, err := NewPeer(kind, s, python, filepath.Join("..", "peers", "torch_treelstm.py"), kind)
		require.NoError(t, err)
		require.Contains(t, library, "PyTorch ")
		cs = append(cs, c)
	}
	require.NoError(t, Agree(cs, Batches(s.Corpus.Trees, 6)))
	for _, c := range cs[1:] {
		require.Positive(t, c.(interface{ CPU() time.Duration }).CPU())
		_, err := c.Infer(Batches(corpus.Generate("linear", 1, 2, corpus.Linear).Trees, 1)[0])
		require.ErrorContains(t, err, "not of the corpus")
	}
	for _, c := range cs {
		require.NoError(t, c.Close())
	}
}

func TestPeersThatDoNotStart(t *testing.T) {
	s := Setting{Corpus: corpus.Generate("linear", 2, 3, corpus.Linear), Embed: 4, Hidden: 3, Workers: 1}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	_, _, err := NewPeer("missing", s, filepath.Join(dir, "missing"))
	require.ErrorIs(t, err, peer.ErrPeer)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "nothing is left behind")
}
