package devicetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/frondml/frond/exec/device"
)

// verdict is a testing.TB that remembers failures instead of failing.
type verdict struct {
	testing.TB
	failures []string
	cleanups []func()
}

func (v *verdict) Helper()             {}
func (v *verdict) Logf(string, ...any) {}
func (v *verdict) Errorf(format string, args ...any) {
	v.failures = append(v.failures, fmt.Sprintf(format, args...))
}
func (v *verdict) Cleanup(f func()) { v.cleanups = append(v.cleanups, f) }

// FailNow ends the goroutine of the test, as that of testing.T does.
func (v *verdict) FailNow() { panic(v) }

// judge returns what a test of the suite says about a device.
func judge(t *testing.T, d device.Device, test func(*suite)) string {
	v := &verdict{TB: t}
	attempt := func(f func()) {
		defer func() {
			if x := recover(); x != nil && x != any(v) {
				panic(x)
			}
		}()
		f()
	}
	attempt(func() { test(newSuite(v, d, Options{Small: true})) })
	for _, f := range v.cleanups {
		attempt(f)
	}
	return strings.Join(v.failures, "\n")
}

// faulty is a device whose streams make a mistake.
type faulty struct {
	device.Device
	wrap func(device.Stream) device.Stream
	fuse func(device.Chain) device.Chain
	// compile changes operators.
	compile func(device.Operator) device.Operator
}

func (d faulty) NewStream() (device.Stream, error) {
	s, err := d.Device.NewStream()
	if err != nil || d.wrap == nil {
		return s, err
	}
	return d.wrap(s), nil
}

func (d faulty) Fuse(c device.Chain) (device.Kernel, error) {
	if d.fuse != nil {
		c = d.fuse(c)
	}
	return d.Device.Fuse(c)
}

func (d faulty) Compile(o device.Operator) (device.Kernel, error) {
	if d.compile != nil {
		o = d.compile(o)
	}
	return d.Device.Compile(o)
}

// mistaken is a stream of which some methods can be replaced.
type mistaken struct {
	device.Stream
	multiply   func(device.Product) error
	addOuter   func(device.OuterSum) error
	addGroups  func(device.Groups) error
	addColumns func(device.ColumnSum) error
	update     func(device.Update) error
	launch     func(device.Kernel, *device.Call) error
	copyMatrix func(to, from device.Matrix, transpose bool) error
	fetch      func(device.Buffer, int, int) (device.Fetch, error)
	free       func(device.Buffer) error
	copy       func(to device.Buffer, at int, from device.Buffer, fromAt, words int) error
	addSquares func(sum device.Buffer, at int, b device.Buffer, words int) error
}

func (m *mistaken) Multiply(p device.Product) error {
	if m.multiply != nil {
		return m.multiply(p)
	}
	return m.Stream.Multiply(p)
}

func (m *mistaken) AddOuter(o device.OuterSum) error {
	if m.addOuter != nil {
		return m.addOuter(o)
	}
	return m.Stream.AddOuter(o)
}

func (m *mistaken) AddGroups(g device.Groups) error {
	if m.addGroups != nil {
		return m.addGroups(g)
	}
	return m.Stream.AddGroups(g)
}

func (m *mistaken) AddColumns(c device.ColumnSum) error {
	if m.addColumns != nil {
		return m.addColumns(c)
	}
	return m.Stream.AddColumns(c)
}

func (m *mistaken) Update(u device.Update) error {
	if m.update != nil {
		return m.update(u)
	}
	return m.Stream.Update(u)
}

func (m *mistaken) Launch(k device.Kernel, c *device.Call) error {
	if m.launch != nil {
		return m.launch(k, c)
	}
	return m.Stream.Launch(k, c)
}

func (m *mistaken) CopyMatrix(to, from device.Matrix, transpose bool) error {
	if m.copyMatrix != nil {
		return m.copyMatrix(to, from, transpose)
	}
	return m.Stream.CopyMatrix(to, from, transpose)
}

func (m *mistaken) Fetch(b device.Buffer, at, words int) (device.Fetch, error) {
	if m.fetch != nil {
		return m.fetch(b, at, words)
	}
	return m.Stream.Fetch(b, at, words)
}

func (m *mistaken) Free(b device.Buffer) error {
	if m.free != nil {
		return m.free(b)
	}
	return m.Stream.Free(b)
}

func (m *mistaken) Copy(to device.Buffer, at int, from device.Buffer, fromAt, words int) error {
	if m.copy != nil {
		return m.copy(to, at, from, fromAt, words)
	}
	return m.Stream.Copy(to, at, from, fromAt, words)
}

func (m *mistaken) AddSquares(sum device.Buffer, at int, b device.Buffer, words int) error {
	if m.addSquares != nil {
		return m.addSquares(sum, at, b, words)
	}
	return m.Stream.AddSquares(sum, at, b, words)
}

// late is a copy that is made when it is asked for.
type late struct {
	stream    device.Stream
	b         device.Buffer
	at, words int
}

func (l *late) Done() bool            { return true }
func (l *late) Ints(to []int32) error { return l.stream.DownloadInts(to, l.b, l.at) }
func (l *late) Release()              {}
