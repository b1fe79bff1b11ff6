package train

import (
	"errors"
	"fmt"
	"reflect"
)

// Kinds of errors, for errors.Is.
var (
	// ErrSetting means that a setting is out of range, or that something is nil which
	// must be given.
	ErrSetting = errors.New("bad setting")
	// ErrNoLoss means that the graph to train has no loss.
	ErrNoLoss = errors.New("nothing to minimise")
	// ErrNoExamples means that there was nothing to train on.
	ErrNoExamples = errors.New("no examples")
	// ErrCheckpoint means that a file is not a checkpoint, damaged, or of a version
	// that this package does not know.
	ErrCheckpoint = errors.New("not a valid checkpoint")
	// ErrMismatch means that a checkpoint does not fit what it is loaded into.
	ErrMismatch = errors.New("checkpoint does not fit")
)

// setting is a number with the range that it must be in, also when it is rounded to
// single precision, in which weights are updated.
type setting struct {
	name  string
	value float64
	ok    bool
	want  string
}

func notNegative(name string, x float64) setting {
	return setting{name, x, x >= 0 && finite(float64(float32(x))), "at least 0 and finite"}
}

func positive(name string, x float64) setting {
	return setting{name, x, float32(x) > 0 && finite(float64(float32(x))), "above 0 and finite"}
}

// fraction is a setting from 0 to below 1.
func fraction(name string, x float64) setting {
	return setting{name, x, x >= 0 && float32(x) < 1, "at least 0 and below 1"}
}

// checkSettings reports all settings that are out of range.
func checkSettings(of string, settings ...setting) error {
	var errs []error
	for _, s := range settings {
		if !s.ok {
			errs = append(errs, fmt.Errorf("%s: %w: %s is %v, want %s", of, ErrSetting, s.name, s.value, s.want))
		}
	}
	return errors.Join(errs...)
}

// given reports an argument that is nil, also when it is a nil pointer in an interface.
func given(what string, x any) error {
	v := reflect.ValueOf(x)
	switch v.Kind() {
	case reflect.Pointer, reflect.Func:
		if !v.IsNil() {
			return nil
		}
	case reflect.Invalid: // a nil interface
	default:
		return nil
	}
	return fmt.Errorf("%w: the %s is nil", ErrSetting, what)
}
