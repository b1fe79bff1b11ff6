package exec

import (
	"fmt"
	"slices"
	"sync"

	"github.com/frondml/frond/graph"
)

// Parameters are the values of a program's variables. Runs read them; Set and Update
// change them and wait for runs in progress. They may serve several sessions.
type Parameters struct {
	prog    *graph.Program
	layouts []Layout
	mu      sync.RWMutex
	values  [][]float32 // as the layouts say
	version uint64      // grows with every update

	// See Note [Parameters on a device]. Whoever holds mu for writing, or bringing and mu
	// for reading, may bring values from one place to another.
	bringing sync.Mutex
	replicas []*replica
	newest   *replica // that has newer values than the host; nil: the host has the newest
	lost     error    // why there are no newer values
}

// NewParameters returns the variables' initial values for a seed.
func NewParameters(prog *graph.Program, seed uint64) *Parameters {
	p := &Parameters{prog: prog, layouts: findLayouts(prog), version: 1}
	for i, v := range prog.Variables {
		p.values = append(p.values, p.layouts[i].fromRowMajor(v.InitialValue(seed)))
	}
	return p
}

// Program returns the program whose variables these are.
func (p *Parameters) Program() *graph.Program { return p.prog }

// Layout returns how a variable of the program lies in memory.
func (p *Parameters) Layout(v *graph.Variable) Layout { return p.layouts[v.Index] }

// check reports a variable of another program.
func (p *Parameters) check(v *graph.Variable) error {
	if v == nil || v.Index >= len(p.prog.Variables) || p.prog.Variables[v.Index] != v {
		return fmt.Errorf("%w: the variable is not one of program %q", ErrInput, p.prog.Name)
	}
	return nil
}

// Value returns a copy of a variable's value, row-major. It is nil for a variable of another program.
func (p *Parameters) Value(v *graph.Variable) []float32 {
	if p.check(v) != nil {
		return nil
	}
	p.readHost()
	defer p.mu.RUnlock()
	stored := p.values[v.Index]
	if l := p.Layout(v); l.packed {
		return l.RowMajor(stored)
	}
	return slices.Clone(stored)
}

// Set replaces a variable's value by a row-major one.
func (p *Parameters) Set(v *graph.Variable, value []float32) error {
	if err := p.check(v); err != nil {
		return err
	}
	if len(value) != v.Type.Size() {
		return fmt.Errorf("%w: %d elements for variable %s %v", ErrInput, len(value), v.Name, v.Type)
	}
	p.Update(func(values [][]float32) { p.Layout(v).Store(values[v.Index], value) })
	return nil
}

// Read calls f with the values, indexed by Variable.Index and each in its Layout,
// which f must neither change nor keep.
func (p *Parameters) Read(f func(values [][]float32)) {
	p.readHost()
	defer p.mu.RUnlock()
	f(p.values)
}

// Update calls f with the values, indexed by Variable.Index and each in its Layout.
// f may change the elements and must not keep the values. No run is in progress
// meanwhile.
func (p *Parameters) Update(f func(values [][]float32)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.bringAlone(nil) // an error is kept for Sync
	f(p.values)
	p.version++
}

// rowMajor returns a variable's elements in row-major order, which must not be
// changed; the caller holds the lock.
func (p *Parameters) rowMajor(v *graph.Variable) []float32 {
	return p.Layout(v).RowMajor(p.values[v.Index])
}
