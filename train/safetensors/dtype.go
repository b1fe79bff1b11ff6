package safetensors

import (
	"fmt"
	"math"
	"math/bits"
)

// DType names the element type of a tensor as the format spells it.
type DType string

// The element types whose elements take whole bytes. The first six have a Go type
// in Element; F16 and BF16 can be widened by Reader.ReadAsF32; the rest are read
// and written as raw bytes.
const (
	F32  DType = "F32"
	F64  DType = "F64"
	I32  DType = "I32"
	I64  DType = "I64"
	U8   DType = "U8"
	BOOL DType = "BOOL" // one byte: 0 is false, anything else is read as true

	F16  DType = "F16"
	BF16 DType = "BF16"

	I8     DType = "I8"
	I16    DType = "I16"
	U16    DType = "U16"
	U32    DType = "U32"
	U64    DType = "U64"
	C64    DType = "C64" // two F32: real, imaginary
	F8E4M3 DType = "F8_E4M3"
	F8E5M2 DType = "F8_E5M2"
	F8E8M0 DType = "F8_E8M0"
)

// maxRank is the most axes that a tensor may have, as in the usual array libraries.
// It keeps a header of "0,0,0,..." from growing eightfold in memory.
const maxRank = 64

// Element lists the Go types that tensors are written from and read into.
type Element interface {
	float32 | float64 | int32 | int64 | uint8 | bool
}

// Size returns the number of bytes of one element, or 0 when the dtype is unknown.
func (d DType) Size() int {
	switch d {
	case BOOL, U8, I8, F8E4M3, F8E5M2, F8E8M0:
		return 1
	case F16, BF16, I16, U16:
		return 2
	case F32, I32, U32:
		return 4
	case F64, I64, U64, C64:
		return 8
	}
	return 0
}

// dtypeOf returns the dtype that stores T.
func dtypeOf[T Element]() DType {
	switch any(*new(T)).(type) {
	case float32:
		return F32
	case float64:
		return F64
	case int32:
		return I32
	case int64:
		return I64
	case uint8:
		return U8
	default:
		return BOOL
	}
}

// byteSize returns the number of bytes of a tensor. It fails for an unknown dtype,
// a rank over maxRank, a negative dimension, and dimensions whose product, zeros
// left out, does not fit an int: other readers multiply them one after the other
// and would overflow although a later zero makes the tensor empty.
func byteSize(dtype DType, shape []int) (int64, error) {
	size := uint64(dtype.Size())
	if size == 0 {
		return 0, fmt.Errorf("unknown dtype %s", quote(string(dtype)))
	}
	if len(shape) > maxRank {
		return 0, fmt.Errorf("rank is %d, the limit is %d", len(shape), maxRank)
	}
	empty := false
	for axis, dim := range shape {
		if dim < 0 {
			return 0, fmt.Errorf("dimension %d is negative: %d", axis, dim)
		}
		if dim == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul64(size, uint64(dim))
		if hi != 0 || lo > math.MaxInt {
			return 0, fmt.Errorf("%s%v takes more than %d bytes", dtype, shape, math.MaxInt)
		}
		size = lo
	}
	if empty {
		return 0, nil
	}
	return int64(size), nil
}
