package exec

import (
	"fmt"
	"slices"
	"sync"

	"github.com/frondml/frond/graph"
)

// Parameters are the values of a program's variables, row-major. Runs read them;
// Update is the only way to change them, and waits for runs in progress.
type Parameters struct {
	prog    *graph.Program
	mu      sync.RWMutex
	values  [][]float32
	version uint64 // grows with every update
}

// NewParameters returns the variables' initial values for a seed.
func NewParameters(prog *graph.Program, seed uint64) *Parameters {
	p := &Parameters{prog: prog, version: 1}
	for _, v := range prog.Variables {
		p.values = append(p.values, v.InitialValue(seed))
	}
	return p
}

// Program returns the program whose variables these are.
func (p *Parameters) Program() *graph.Program { return p.prog }

// Value returns a copy of a variable's value.
func (p *Parameters) Value(v *graph.Variable) []float32 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return slices.Clone(p.values[v.Index])
}

// Set replaces a variable's value.
func (p *Parameters) Set(v *graph.Variable, value []float32) error {
	if len(value) != v.Type.Size() {
		return fmt.Errorf("%w: %d elements for variable %s %v", ErrInput, len(value), v.Name, v.Type)
	}
	p.Update(func(values [][]float32) { copy(values[v.Index], value) })
	return nil
}

// Read calls f with the values, indexed by Variable.Index, which it must neither
// change nor keep.
func (p *Parameters) Read(f func(values [][]float32)) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	f(p.values)
}

// Update calls f with the values, indexed by Variable.Index, which it may change
// and must not keep. No run is in progress meanwhile.
func (p *Parameters) Update(f func(values [][]float32)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p.values)
	p.version++
}
