package train

import (
	"errors"
	"fmt"
	"math"
)

// Kinds of errors, for errors.Is.
var (
	// ErrSetting means that a setting is out of range.
	ErrSetting = errors.New("setting out of range")
	// ErrNoExamples means that there was nothing to train on.
	ErrNoExamples = errors.New("no examples")
	// ErrCheckpoint means that a file is not a checkpoint, damaged, or of a version
	// that this package does not know.
	ErrCheckpoint = errors.New("not a valid checkpoint")
	// ErrMismatch means that a checkpoint does not fit what it is loaded into.
	ErrMismatch = errors.New("checkpoint does not fit")
)

// setting is a number with the range that it must be in.
type setting struct {
	name  string
	value float64
	ok    bool
	want  string
}

func notNegative(name string, x float64) setting {
	return setting{name, x, x >= 0 && !math.IsInf(x, 0), "at least 0"}
}

func positive(name string, x float64) setting {
	return setting{name, x, float32(x) > 0 && !math.IsInf(x, 0), "above 0 in single precision"}
}

// fraction is a setting from 0 to below 1.
func fraction(name string, x float64) setting {
	return setting{name, x, x >= 0 && x < 1, "at least 0 and below 1"}
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
