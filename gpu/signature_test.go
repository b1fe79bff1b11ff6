package gpu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSignatures(t *testing.T) {
	kernels, err := signatures(`
// .entry comment(.param .u64 x)
.visible .entry none()
{ ret; }
.visible .entry some(
	.param .u64 some_param_0, // a pointer
	.param .u64 .ptr .global .align 4 some_param_1,
	.param .f32 some_param_2,
	.param .align 4 .b8 some_param_3[24]
)
.maxntid 256, 1, 1
{ ret; }
`)
	require.NoError(t, err)
	require.Equal(t, map[string][]parameter{"none": nil, "some": {{8, false}, {8, false}, {4, true}, {24, false}}}, kernels)
}

func TestSignatureErrors(t *testing.T) {
	for _, text := range []string{
		".entry", ".entry k", ".entry k(", ".entry (.param .u64 x)", ".entry k(.u64 x)", ".entry k(.param .q64 x)",
		".entry k(.param .u64 x[0])", ".entry k(.param .u64 x[99999999999])", ".entry k(,)",
	} {
		_, err := signatures(text)
		require.ErrorIs(t, err, ErrArgument, text)
	}
}

func FuzzSignatures(f *testing.F) {
	f.Add(".visible .entry k(.param .u64 x, .param .align 4 .b8 y[64]) { ret; }")
	f.Add(".entry // (\n k(.param .f32 z)")
	f.Fuzz(func(t *testing.T, text string) {
		kernels, err := signatures(text)
		if err != nil {
			return
		}
		if len(kernels) > strings.Count(text, ".entry") {
			t.Fatalf("%d kernels in %q", len(kernels), text)
		}
		for name, parameters := range kernels {
			for _, p := range parameters {
				if p.size < 1 || p.size > 8*maxParameterBytes {
					t.Fatalf("kernel %q has a parameter of %d bytes", name, p.size)
				}
			}
		}
	})
}
