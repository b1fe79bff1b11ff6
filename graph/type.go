package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// DType is the type of the elements of a value.
type DType uint8

// The element types. Float64 occurs only in the reference interpreter.
const (
	Float32 DType = iota + 1
	Int32
	Boolean
	Float64
)

var dtypeNames = [...]string{Float32: "f32", Int32: "i32", Boolean: "bool", Float64: "f64"}

// String returns f32, i32, bool or f64.
func (d DType) String() string {
	if int(d) < len(dtypeNames) && d != 0 {
		return dtypeNames[d]
	}
	return "invalid"
}

// IsFloat reports whether gradients can flow through values of the type.
func (d DType) IsFloat() bool { return d == Float32 || d == Float64 }

// Any is the extent of an axis that is known only when a program runs. Only
// the first axis of a value may be Any; such a value is called a list.
const Any = -1

// Shape holds the extent of every axis; nil is the shape of a scalar.
type Shape []int

// String prints the extents in brackets, an unknown one as ?: [? 150].
func (s Shape) String() string {
	var b strings.Builder
	b.WriteByte('[')
	for i, d := range s {
		if i > 0 {
			b.WriteByte(' ')
		}
		if d == Any {
			b.WriteByte('?')
		} else {
			b.WriteString(strconv.Itoa(d))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// Size returns the number of elements; a list counts those of one row.
func (s Shape) Size() int {
	n := 1
	for _, d := range s {
		if d != Any {
			n *= d
		}
	}
	return n
}

// Equal reports whether both shapes have the same extents.
func (s Shape) Equal(o Shape) bool { return slices.Equal(s, o) }

// Type is the element type and the shape of a value.
type Type struct {
	DType DType
	Shape Shape
}

// T makes a type.
func T(d DType, dims ...int) Type { return Type{d, dims} }

// String prints f32[25 150]; a scalar is f32.
func (t Type) String() string {
	if len(t.Shape) == 0 {
		return t.DType.String()
	}
	return t.DType.String() + t.Shape.String()
}

// Equal reports whether both types agree in element type and shape.
func (t Type) Equal(o Type) bool { return t.DType == o.DType && t.Shape.Equal(o.Shape) }

// Rank returns the number of axes.
func (t Type) Rank() int { return len(t.Shape) }

// Size is that of the shape.
func (t Type) Size() int { return t.Shape.Size() }

// IsList reports whether the extent of the first axis is known only at run time.
func (t Type) IsList() bool { return len(t.Shape) > 0 && t.Shape[0] == Any }

// IsScalar reports whether the value has no axes.
func (t Type) IsScalar() bool { return len(t.Shape) == 0 }

// Elem is the type of one element along the first axis. A scalar is its own element.
func (t Type) Elem() Type {
	if len(t.Shape) == 0 {
		return t
	}
	return Type{t.DType, t.Shape[1:]}
}

// ListOf is the type of a list of t.
func ListOf(t Type) Type {
	return Type{t.DType, append(Shape{Any}, t.Shape...)}
}

// MaxSize is the number of elements of the largest value, without the axis of a
// list: sizes and offsets fit into 32 bits.
const MaxSize = 1<<31 - 1

// MaxRank is the number of axes that a value may have.
const MaxRank = 32

// Check reports what is wrong with t as the type of a value.
func (t Type) Check() error {
	if t.DType < Float32 || t.DType > Float64 {
		return fmt.Errorf("%w: element type %d is not defined", ErrDType, t.DType)
	}
	if t.Rank() > MaxRank {
		return fmt.Errorf("%w: %d axes, want %d at most", ErrShape, t.Rank(), MaxRank)
	}
	for i, d := range t.Shape {
		if d == Any && i == 0 {
			continue
		}
		if d < 0 || d == 0 && i > 0 {
			return fmt.Errorf("%w: extent %d of axis %d in %v: only the first axis may be Any, and extents are positive", ErrShape, d, i, t)
		}
	}
	size := 1
	for _, d := range t.Shape {
		if d > 0 && size > MaxSize/d {
			return fmt.Errorf("%w: %v has too many elements, more than %d", ErrShape, t, MaxSize)
		}
		if d > 0 {
			size *= d
		}
	}
	return nil
}

// ParseType reads what Type.String prints.
func ParseType(s string) (Type, error) {
	name, dims, ok := strings.Cut(s, "[")
	var t Type
	for d, n := range dtypeNames {
		if n == name && n != "" {
			t.DType = DType(d)
		}
	}
	if t.DType == 0 {
		return t, fmt.Errorf("type %q: want f32, i32, bool or f64 before the extents", s)
	}
	if !ok {
		return t, nil
	}
	dims, ok = strings.CutSuffix(dims, "]")
	if !ok {
		return t, fmt.Errorf("type %q: missing ]", s)
	}
	for _, f := range strings.Fields(dims) {
		d := Any
		if f != "?" {
			var err error
			if d, err = strconv.Atoi(f); err != nil || d < 0 {
				return t, fmt.Errorf("type %q: extent %q is not a number", s, f)
			}
		}
		t.Shape = append(t.Shape, d)
	}
	return t, t.Check()
}
