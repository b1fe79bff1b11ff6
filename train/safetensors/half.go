package safetensors

import "math"

// float16ToFloat32 widens an IEEE 754 binary16: 1 sign, 5 exponent (bias 15) and 10
// fraction bits. NaN payloads are kept.
func float16ToFloat32(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exponent := uint32(h>>10) & 0x1f
	fraction := uint32(h) & 0x3ff
	switch exponent {
	case 0: // zero or subnormal: fraction * 2^-24, a normal float32
		magnitude := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(sign | math.Float32bits(magnitude))
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	default:
		return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
	}
}

// bfloat16ToFloat32 widens a bfloat16, the upper half of a float32.
func bfloat16ToFloat32(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }
