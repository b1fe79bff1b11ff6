package recursion

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"

	"github.com/frondml/frond/graph"
)

var valueType = reflect.TypeFor[graph.Value]()

// visit calls do for every graph.Value in v, in field order, with its path. It
// passes over parts of v that are neither a Value nor made of Values, and reports
// the first of them.
func visit(v reflect.Value, path string, do func(path string, v reflect.Value)) error {
	if v.Type() == valueType {
		do(path, v)
		return nil
	}
	join := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	switch v.Kind() {
	case reflect.Struct:
		var first error
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				first = cmp.Or(first, fmt.Errorf("%w: field %s of %v is not exported", graph.ErrInvalid, f.Name, v.Type()))
				continue
			}
			first = cmp.Or(first, visit(v.Field(i), join(f.Name), do))
		}
		return first
	case reflect.Array, reflect.Slice:
		var first error
		for i := range v.Len() {
			first = cmp.Or(first, visit(v.Index(i), join(strconv.Itoa(i)), do))
		}
		return first
	}
	if path == "" {
		path = "it"
	}
	return fmt.Errorf("%w: %s is a %v, want graph.Value or a struct, array or slice of them", graph.ErrInvalid, path, v.Type())
}

// Flatten returns the Values of t in field order, with their paths: "Left",
// "State.H", "Gates.2".
func Flatten[T any](t T) (values []graph.Value, paths []string, err error) {
	err = visit(reflect.ValueOf(&t).Elem(), "", func(path string, v reflect.Value) {
		values = append(values, v.Interface().(graph.Value))
		paths = append(paths, path)
	})
	return values, paths, err
}

// fill returns a copy of the template in which the Values are replaced, in
// order, by those of vs.
func fill[T any](template T, vs []graph.Value) T {
	v := reflect.New(reflect.TypeFor[T]()).Elem()
	v.Set(cloneSlices(reflect.ValueOf(&template).Elem()))
	i := 0
	visit(v, "", func(_ string, leaf reflect.Value) {
		leaf.Set(reflect.ValueOf(vs[i]))
		i++
	})
	return v.Interface().(T)
}

// cloneSlices copies v so that filling the copy leaves v's slices alone.
func cloneSlices(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	if v.Type() == valueType {
		return c
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if c.Field(i).CanSet() {
				c.Field(i).Set(cloneSlices(v.Field(i)))
			}
		}
	case reflect.Slice:
		c.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			c.Index(i).Set(cloneSlices(v.Index(i)))
		}
	}
	return c
}

// poisonAll returns the template with every Value poisoned.
func poisonAll[T any](template T) T {
	vs, _, _ := Flatten(template)
	for i := range vs {
		vs[i] = graph.Poisoned()
	}
	return fill(template, vs)
}
