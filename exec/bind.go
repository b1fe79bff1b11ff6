package exec

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/recursion"
)

// Bind returns a typed Go function that runs f. In and Out are structs whose
// fields have the names of those of the subgraph's inputs and results, nested
// alike; further fields of In are ignored. A field may be
//
//	i32    int, int32, int64      f32      float32, float64
//	bool   bool                   tensors  slices of these, nested per axis or flat; Array; *tensor.Dense
//
// Where the subgraph takes or returns a single graph.Value, In or Out is such a
// type itself. What does not fit is reported here, not when the function runs.
// The function may be called concurrently.
func Bind[In, Out, I, O any](s *Session, f *recursion.SubGraph[I, O]) (func(context.Context, In) (Out, error), error) {
	many, err := BindBatch[In, Out](s, f)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, in In) (Out, error) {
		out, err := many(ctx, []In{in})
		if err != nil {
			var zero Out
			return zero, err
		}
		return out[0], nil
	}, nil
}

// BindBatch is Bind for many inputs at once, which are executed together.
func BindBatch[In, Out, I, O any](s *Session, f *recursion.SubGraph[I, O]) (func(context.Context, []In) ([]Out, error), error) {
	if s == nil || f == nil {
		return nil, fmt.Errorf("%w: Bind without session or subgraph", ErrInput)
	}
	if err := s.runnable(f.Graph()); err != nil {
		return nil, err
	}
	encode, errIn := Encoder[In](f)
	decode, errOut := Decoder[Out](f)
	if err := errors.Join(errIn, errOut); err != nil {
		return nil, err
	}
	return func(ctx context.Context, ins []In) ([]Out, error) {
		inputs := make([][]Array, len(ins))
		for i, in := range ins {
			var err error
			if inputs[i], err = encode(in); err != nil {
				return nil, fmt.Errorf("input %d: %w", i, err)
			}
		}
		r, err := s.RunWith(ctx, f.Graph(), inputs, RunOptions{})
		if err != nil {
			return nil, err
		}
		outs := make([]Out, len(ins))
		for i := range outs {
			outs[i] = decode(r.Outputs[i])
		}
		return outs, nil
	}, nil
}

// Encoder returns a function that makes the inputs of f from a value of type In,
// by the rules of Bind.
func Encoder[In, I, O any](f *recursion.SubGraph[I, O]) (func(In) ([]Array, error), error) {
	g := f.Graph()
	get := make([]func(reflect.Value) (Array, error), len(g.In))
	var errs []error
	for k, path := range f.InputPaths() {
		index, t, err := fieldPath(reflect.TypeFor[In](), path)
		if err == nil {
			get[k], err = reader(t, g.In[k], index)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%w: input %s of %s: %w", ErrInput, nameOr(path, "value"), g.Name, err))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	paths := f.InputPaths()
	return func(in In) ([]Array, error) {
		v := reflect.ValueOf(&in).Elem()
		arrays := make([]Array, len(get))
		for k, read := range get {
			a, err := read(v)
			if err != nil {
				return nil, fmt.Errorf("%w: %s: %w", ErrInput, nameOr(paths[k], "value"), err)
			}
			arrays[k] = a
		}
		return arrays, nil
	}, nil
}

// Decoder returns a function that makes a value of type Out from results of f,
// by the rules of Bind.
func Decoder[Out, I, O any](f *recursion.SubGraph[I, O]) (func([]Array) Out, error) {
	g := f.Graph()
	set := make([]func(reflect.Value, Array), len(g.Out))
	var errs []error
	for k, path := range f.ResultPaths() {
		index, t, err := fieldPath(reflect.TypeFor[Out](), path)
		if err == nil {
			set[k], err = writer(t, g.Out[k], index)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%w: result %s of %s: %w", ErrInput, nameOr(path, "value"), g.Name, err))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return func(arrays []Array) Out {
		var out Out
		v := reflect.ValueOf(&out).Elem()
		for k, write := range set {
			write(v, arrays[k])
		}
		return out
	}, nil
}

func nameOr(path, other string) string {
	if path == "" {
		return other
	}
	return path
}

// fieldPath finds the part of t that a path such as "Left.H" or "Gates.2" names.
func fieldPath(t reflect.Type, path string) ([]int, reflect.Type, error) {
	var index []int
	if path == "" {
		return nil, t, nil
	}
	for name := range strings.SplitSeq(path, ".") {
		switch t.Kind() {
		case reflect.Struct:
			f, ok := t.FieldByName(name)
			if !ok || len(f.Index) != 1 {
				return nil, nil, fmt.Errorf("%v has no field %s", t, name)
			}
			index, t = append(index, f.Index[0]), f.Type
		case reflect.Array:
			i, err := strconv.Atoi(name)
			if err != nil || i >= t.Len() {
				return nil, nil, fmt.Errorf("%v has no element %s", t, name)
			}
			index, t = append(index, i), t.Elem()
		default:
			return nil, nil, fmt.Errorf("%v has no part %s", t, name)
		}
	}
	return index, t, nil
}

func subValue(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Array {
			v = v.Index(i)
		} else {
			v = v.Field(i)
		}
	}
	return v
}

var arrayType = reflect.TypeFor[Array]()

// kindFits reports whether elements of kind k can hold a dtype.
func kindFits(k reflect.Kind, d graph.DType) bool {
	switch k {
	case reflect.Int, reflect.Int32, reflect.Int64:
		return d == graph.Int32
	case reflect.Float32, reflect.Float64:
		return d.IsFloat()
	case reflect.Bool:
		return d == graph.Boolean
	}
	return false
}

// elemKind returns the kind of the elements of nested slices and their depth.
func elemKind(t reflect.Type) (reflect.Kind, int) {
	depth := 0
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
		depth++
	}
	return t.Kind(), depth
}

// checkHost reports why a Go type cannot hold values of type want.
func checkHost(t reflect.Type, want graph.Type) error {
	if t == arrayType || t == denseType {
		return nil
	}
	k, depth := elemKind(t)
	flat := depth == 1 && want.Rank() > 1
	if !kindFits(k, want.DType) || depth != want.Rank() && !flat {
		return fmt.Errorf("%v cannot hold %v", t, want)
	}
	return nil
}
