package exec

import (
	"fmt"
	"math"
	"reflect"

	"gorgonia.org/tensor"

	"github.com/frondml/frond/graph"
)

var denseType = reflect.TypeFor[*tensor.Dense]()

// reader returns a function that makes an Array of type want from the part of a
// struct that index names.
func reader(t reflect.Type, want graph.Type, index []int) (func(reflect.Value) (Array, error), error) {
	if err := checkHost(t, want); err != nil {
		return nil, err
	}
	return func(v reflect.Value) (Array, error) {
		v = subValue(v, index)
		switch x := v.Interface().(type) {
		case Array:
			return x, x.fits(want)
		case *tensor.Dense:
			return fromDense(x, want)
		case []int32: // the usual forms, without reflection per element
			return checked(Array{Shape: flatShape(len(x), want), I: orEmpty(x)}, want)
		case []float32:
			return checked(Array{Shape: flatShape(len(x), want), F: orEmpty(x)}, want)
		}
		var a Array
		if err := appendValue(&a, v, want.DType); err != nil {
			return a, err
		}
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Slice {
			a.Shape = flatShape(v.Len(), want)
		} else {
			shape, err := nestedShape(v, want)
			if err != nil {
				return a, err
			}
			a.Shape = shape
		}
		if want.DType.IsFloat() {
			a.F = orEmpty(a.F)
		} else {
			a.I = orEmpty(a.I)
		}
		return checked(a, want)
	}, nil
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func checked(a Array, want graph.Type) (Array, error) { return a, a.fits(want) }

// flatShape is the shape of n elements given without nesting.
func flatShape(n int, want graph.Type) []int {
	if want.Rank() > 1 && want.IsList() && n%want.Size() == 0 {
		return append([]int{n / want.Size()}, want.Shape[1:]...)
	}
	if want.Rank() > 1 && want.Size() == n {
		return want.Shape
	}
	return []int{n}
}

// nestedShape is the shape of nested slices, which must not be ragged.
func nestedShape(v reflect.Value, want graph.Type) ([]int, error) {
	var shape []int
	for axis := 0; v.Kind() == reflect.Slice || v.Kind() == reflect.Array; axis++ {
		n := v.Len()
		shape = append(shape, n)
		if n == 0 {
			return append(shape, want.Shape[axis+1:]...), nil
		}
		first := v.Index(0)
		if k := first.Kind(); k == reflect.Slice || k == reflect.Array {
			for i := 1; i < n; i++ {
				if m := v.Index(i).Len(); m != first.Len() {
					return nil, fmt.Errorf("row %d has %d elements, row 0 has %d", i, m, first.Len())
				}
			}
		}
		v = first
	}
	return shape, nil
}

// appendValue appends the elements of scalars and nested slices.
func appendValue(a *Array, v reflect.Value, d graph.DType) error {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := appendValue(a, v.Index(i), d); err != nil {
				return err
			}
		}
	case reflect.Bool:
		b := int32(0)
		if v.Bool() {
			b = 1
		}
		a.I = append(a.I, b)
	case reflect.Int, reflect.Int32, reflect.Int64:
		i := v.Int()
		if i < math.MinInt32 || i > math.MaxInt32 {
			return fmt.Errorf("%d does not fit into an i32", i)
		}
		a.I = append(a.I, int32(i))
	default:
		x, ok := narrow(v.Float())
		if !ok {
			return fmt.Errorf("%g does not fit into an f32", v.Float())
		}
		a.F = append(a.F, x)
	}
	return nil
}

// narrow converts x and reports whether a finite number has become infinite.
func narrow(x float64) (float32, bool) {
	y := float32(x)
	return y, !math.IsInf(float64(y), 0) || math.IsInf(x, 0)
}

// fromDense takes a tensor's elements; those of a contiguous one are not copied.
func fromDense(x *tensor.Dense, want graph.Type) (Array, error) {
	if x == nil {
		return Array{}, fmt.Errorf("nil tensor, want %v", want)
	}
	if x.RequiresIterator() {
		x = x.Materialize().(*tensor.Dense)
	}
	a := Array{Shape: []int(x.Shape())}
	switch data := x.Data().(type) {
	case []float32:
		a.F = data
	case []float64:
		a.F = make([]float32, len(data))
		for i, v := range data {
			var ok bool
			if a.F[i], ok = narrow(v); !ok {
				return a, fmt.Errorf("%g does not fit into an f32", v)
			}
		}
	case []int32:
		a.I = data
	case []int:
		for _, v := range data {
			if v < math.MinInt32 || v > math.MaxInt32 {
				return a, fmt.Errorf("%d does not fit into an i32", v)
			}
			a.I = append(a.I, int32(v))
		}
	case []bool:
		for _, v := range data {
			i := int32(0)
			if v {
				i = 1
			}
			a.I = append(a.I, i)
		}
	case float32: // Data of a scalar is its element
		a.F = []float32{data}
	case int32:
		a.I = []int32{data}
	default:
		return a, fmt.Errorf("tensor of %v, want %v", x.Dtype(), want)
	}
	return checked(a, want)
}

// writer returns a function that puts an Array of type t into the part of a
// struct that index names.
func writer(host reflect.Type, t graph.Type, index []int) (func(reflect.Value, Array), error) {
	if err := checkHost(host, t); err != nil {
		return nil, err
	}
	_, depth := elemKind(host)
	return func(v reflect.Value, a Array) {
		v = subValue(v, index)
		switch host {
		case arrayType:
			v.Set(reflect.ValueOf(a))
		case denseType:
			v.Set(reflect.ValueOf(toDense(a, t)))
		default:
			shape := a.Shape
			if depth == 1 {
				shape = []int{max(len(a.F), len(a.I))}
			}
			at := 0
			fillValue(v, &a, shape, &at)
		}
	}, nil
}

// fillValue sets nested slices and scalars from consecutive elements.
func fillValue(v reflect.Value, a *Array, shape []int, at *int) {
	switch v.Kind() {
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), shape[0], shape[0]))
		fallthrough
	case reflect.Array:
		for i := range min(v.Len(), shape[0]) {
			fillValue(v.Index(i), a, shape[1:], at)
		}
		return
	case reflect.Bool:
		v.SetBool(a.I[*at] != 0)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(a.I[*at]))
	default:
		v.SetFloat(float64(a.F[*at]))
	}
	*at++
}

func toDense(a Array, t graph.Type) *tensor.Dense {
	if len(a.Shape) == 0 {
		if a.F != nil {
			return tensor.New(tensor.FromScalar(a.F[0]))
		}
		return tensor.New(tensor.FromScalar(a.I[0]))
	}
	if a.F != nil {
		return tensor.New(tensor.WithShape(a.Shape...), tensor.WithBacking(a.F))
	}
	if t.DType == graph.Boolean {
		b := make([]bool, len(a.I))
		for i, v := range a.I {
			b[i] = v != 0
		}
		return tensor.New(tensor.WithShape(a.Shape...), tensor.WithBacking(b))
	}
	return tensor.New(tensor.WithShape(a.Shape...), tensor.WithBacking(a.I))
}
