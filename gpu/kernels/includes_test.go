package kernels_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The PTX is tied to its source by a hash. A source that includes more than the dialect
// has the hashes of that, so that PTX of an older header is found where there is no
// compiler.
func TestIncludesAreThoseOfTheSources(t *testing.T) {
	include := regexp.MustCompile(`(?m)^#include "(\w+\.cuh)"(.*)$`)
	sources, err := filepath.Glob("cuda/*.cu*")
	require.NoError(t, err)
	for _, source := range sources {
		text, err := os.ReadFile(source)
		require.NoError(t, err)
		for _, match := range include.FindAllStringSubmatch(string(text), -1) {
			if match[1] == "dialect.cuh" {
				continue
			}
			header, err := os.ReadFile(filepath.Join("cuda", match[1]))
			require.NoError(t, err)
			hash := sha256.Sum256(header)
			require.Equal(t, "  // sha256 "+hex.EncodeToString(hash[:6]), match[2], "%s includes %s", source, match[1])
		}
	}
}
