package weights

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/frondml/frond/train/safetensors"
)

// element is how an element of a type is read from its bytes, little-endian.
type element struct {
	number func([]byte) float64 // nil for what is not a real number
	text   func([]byte) string
}

var little = binary.LittleEndian

// elements has all types of the format. Numbers of the integers beyond 2^53 are rounded;
// their texts are exact.
var elements = map[safetensors.DType]element{
	safetensors.F32:    float(func(b []byte) float64 { return float64(math.Float32frombits(little.Uint32(b))) }),
	safetensors.F64:    float(func(b []byte) float64 { return math.Float64frombits(little.Uint64(b)) }),
	safetensors.F16:    float(func(b []byte) float64 { return small(uint32(little.Uint16(b)), 5, 10) }),
	safetensors.BF16:   float(func(b []byte) float64 { return small(uint32(little.Uint16(b)), 8, 7) }),
	safetensors.F8E5M2: float(func(b []byte) float64 { return small(uint32(b[0]), 5, 2) }),
	safetensors.F8E4M3: float(func(b []byte) float64 { return e4m3(b[0]) }),
	safetensors.F8E8M0: float(func(b []byte) float64 { return e8m0(b[0]) }),
	safetensors.I8:     signed(func(b []byte) int64 { return int64(int8(b[0])) }),
	safetensors.I16:    signed(func(b []byte) int64 { return int64(int16(little.Uint16(b))) }),
	safetensors.I32:    signed(func(b []byte) int64 { return int64(int32(little.Uint32(b))) }),
	safetensors.I64:    signed(func(b []byte) int64 { return int64(little.Uint64(b)) }),
	safetensors.U8:     unsigned(func(b []byte) uint64 { return uint64(b[0]) }),
	safetensors.U16:    unsigned(func(b []byte) uint64 { return uint64(little.Uint16(b)) }),
	safetensors.U32:    unsigned(func(b []byte) uint64 { return uint64(little.Uint32(b)) }),
	safetensors.U64:    unsigned(little.Uint64),
	safetensors.BOOL:   truth(),
	safetensors.C64:    {text: complexText},
}

func float(number func([]byte) float64) element {
	return element{number, func(b []byte) string { return digits(number(b)) }}
}

func signed(number func([]byte) int64) element {
	return element{func(b []byte) float64 { return float64(number(b)) }, func(b []byte) string { return strconv.FormatInt(number(b), 10) }}
}

func unsigned(number func([]byte) uint64) element {
	return element{func(b []byte) float64 { return float64(number(b)) }, func(b []byte) string { return strconv.FormatUint(number(b), 10) }}
}

// truth counts true as 1, so that the mean is the share of it.
func truth() element {
	number := func(b []byte) float64 { return float64(min(b[0], 1)) }
	return element{number, func(b []byte) string { return strconv.FormatBool(b[0] != 0) }}
}

func complexText(b []byte) string {
	re, im := math.Float32frombits(little.Uint32(b)), math.Float32frombits(little.Uint32(b[4:]))
	return strconv.FormatComplex(complex(float64(re), float64(im)), 'g', 4, 64)
}

// digits prints a number of a table or a tensor.
func digits(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// small decodes a number of the kinds of IEEE 754 with the given bits of exponent and
// fraction: the largest exponent is that of infinities and NaNs.
func small(bits uint32, exponent, fraction int) float64 {
	sign := 1.0
	if bits>>(exponent+fraction)&1 == 1 {
		sign = -1
	}
	bias := 1<<(exponent-1) - 1
	e := int(bits>>fraction) & (1<<exponent - 1)
	f := float64(bits&(1<<fraction-1)) / float64(int(1)<<fraction)
	switch {
	case e == 0:
		return sign * math.Ldexp(f, 1-bias)
	case e < 1<<exponent-1:
		return sign * math.Ldexp(1+f, e-bias)
	case f == 0:
		return sign * math.Inf(1)
	}
	return math.NaN()
}

// e4m3 decodes the 8-bit numbers with 4 bits of exponent, whose largest exponent is an
// ordinary one and which have no infinities (Micikevicius et al. 2022, table 1).
func e4m3(bits byte) float64 {
	switch {
	case bits&0x7f == 0x7f:
		return math.NaN()
	case bits&0x78 != 0x78:
		return small(uint32(bits), 4, 3)
	}
	x := math.Ldexp(1+float64(bits&7)/8, 8)
	if bits >= 0x80 {
		return -x
	}
	return x
}

// e8m0 decodes powers of two.
func e8m0(bits byte) float64 {
	if bits == 0xff {
		return math.NaN()
	}
	return math.Ldexp(1, int(bits)-127)
}
