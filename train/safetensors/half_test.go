package safetensors

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFloat16ToFloat32 checks every binary16 against the formula of the standard.
func TestFloat16ToFloat32(t *testing.T) {
	for h := range 1 << 16 {
		sign := 1 - 2*float64(h>>15)
		exponent, fraction := h>>10&0x1f, float64(h&0x3ff)
		got := float16ToFloat32(uint16(h))
		var want float64
		switch {
		case exponent == 0x1f && fraction != 0:
			require.True(t, math.IsNaN(float64(got)), "%#04x: got %v", h, got)
			require.Equal(t, uint32(h&0x3ff), math.Float32bits(got)>>13&0x3ff, "%#04x: payload", h)
			continue
		case exponent == 0x1f:
			want = sign * math.Inf(1)
		case exponent == 0:
			want = sign * math.Ldexp(fraction/1024, -14)
		default:
			want = sign * math.Ldexp(1+fraction/1024, exponent-15)
		}
		require.Equal(t, math.Float64bits(want), math.Float64bits(float64(got)), "%#04x: got %v, want %v", h, got, want)
	}
}

func TestBfloat16ToFloat32(t *testing.T) {
	for h, want := range map[uint16]float32{
		0x3f80: 1, 0xc000: -2, 0x4049: 3.140625, 0x7f80: float32(math.Inf(1)), 0x0001: math.Float32frombits(1 << 16),
	} {
		require.Equal(t, want, bfloat16ToFloat32(h), "%#04x", h)
	}
	require.Equal(t, uint32(1<<31), math.Float32bits(bfloat16ToFloat32(0x8000)), "negative zero")
}
