package driver_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu/driver"
	"github.com/frondml/frond/gpu/internal/emulator"
)

// counting is a binding that finds nothing and counts how often it was asked.
type counting struct{ loads *int }

func (b counting) Load(path string) (driver.LoadedLibrary, error) {
	*b.loads++
	return nil, errors.New("cannot find " + path)
}

// each is a binding that cannot be told from another of its type.
type each struct {
	counting
	_ []string
}

func TestOpenWithBinding(t *testing.T) {
	b := counting{new(int)}
	_, err := driver.OpenWith(b, "")
	require.ErrorIs(t, err, driver.ErrNoDriver)
	require.ErrorContains(t, err, "cannot find "+driver.Library)
	require.Equal(t, 1, *b.loads)

	_, err = driver.OpenWith(each{counting: b}, "")
	require.ErrorIs(t, err, driver.ErrNoDriver)
	require.ErrorContains(t, err, "driver_test.each, is not comparable")
	require.Equal(t, 1, *b.loads)
}

// An opened driver is that of its binding, and of nil the package's own.
func TestDriversOfBindingsAreDistinct(t *testing.T) {
	e := emulator.Open(t, "")
	own, err := driver.Open(e.Library)
	require.NoError(t, err)
	same, err := driver.OpenWith(nil, e.Library)
	require.NoError(t, err)
	require.Same(t, own, same)
	_, err = driver.OpenWith(counting{new(int)}, e.Library)
	require.ErrorContains(t, err, "cannot find "+e.Library)
}
