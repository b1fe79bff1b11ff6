package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// full is a device without space, after so many writes.
type full struct{ writes int }

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	if f.writes--; f.writes < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// Results that nobody can read are a failure, whichever write fails.
func TestLostOutputIsAFailure(t *testing.T) {
	file, dir := trained(t)
	out := filepath.Join(t.TempDir(), "m.safetensors")
	for name, args := range map[string][]string{
		"predict": {"predict", "-model", file, "(3 (2 the) (2 film))", "(2 the)"},
		"eval":    {"eval", "-model", file},
		"train":   small("-data", dir, "-out", out, "-epochs=1"),
		"help":    {"help"},
		"flags":   {"train", "-h"},
	} {
		for writes := range 2 {
			if writes == 1 && (name == "help" || name == "flags") {
				continue // one write is all
			}
			var errs bytes.Buffer
			status := run(t.Context(), args, streams{strings.NewReader(""), &full{writes}, &errs})
			assert.Equal(t, exitFailure, status, "%s, %d writes", name, writes)
			assert.Equal(t, 1, strings.Count(errs.String(), errFull.Error()), "%s, %d writes: %s", name, writes, errs.String())
		}
	}
	assert.FileExists(t, out, "the model is kept though nobody saw how good it is")
}
