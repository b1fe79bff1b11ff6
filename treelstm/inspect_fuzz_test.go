package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/frondml/frond/train/safetensors"
)

// FuzzInspect shows files with any bytes. Nothing in them may reach the terminal as a
// control character, or be more than a screen for each of their own screens.
func FuzzInspect(f *testing.F) {
	var b bytes.Buffer
	err := safetensors.Write(&b, []safetensors.Tensor{
		safetensors.Of("a\x1b", []int{2, 3}, make([]float32, 6)),
		safetensors.Raw("b", safetensors.F8E4M3, []int{2}, strings.NewReader("\x7f\xff")),
		safetensors.Raw("c", safetensors.C64, nil, strings.NewReader("12345678")),
	}, map[string]string{"frond.version": "1", "frond.config": `{"a": "\u001b"}`, "k\n": "v\u0085"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes(), "a\x1b")
	f.Add([]byte{}, "")
	f.Add(binary.LittleEndian.AppendUint64(nil, 1<<40), "b")
	file := filepath.Join(f.TempDir(), "m.safetensors")
	f.Fuzz(func(t *testing.T, content []byte, tensor string) {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"inspect", file}, {"inspect", "-tensor", tensor, file}, {"inspect", "-vocabulary", file}} {
			r := treelstm(t, args...)
			if r.status != exitOK && r.status != exitFailure {
				t.Fatalf("%q: status %d: %s", args, r.status, r.err)
			}
			if len(r.out) > 1000+50*len(content) {
				t.Fatalf("%q: %d bytes about a file of %d", args, len(r.out), len(content))
			}
			if i := strings.IndexFunc(r.out, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }); i >= 0 {
				t.Fatalf("%q: control character at %d of %q", args, i, r.out)
			}
		}
	})
}
