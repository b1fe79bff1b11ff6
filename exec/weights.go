package exec

import (
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/frondml/frond/internal/kernel"
)

// Note [Packed weights]
//
// Products read the matrices that all rows share in panels. A variable that lies in
// panels is read where it is; its transpose, other variables and constants are copied
// into panels of the session, again after every change of the parameters. Copies that
// only gradients read are made by gradient runs, so that inference neither pays for
// them nor holds them.
//
// No copy changes while someone reads it: whoever calls pack holds the parameters'
// lock for reading, so their version is the same for all runs in progress, and each
// copy is made by the first of them that needs it, before it begins.

// packing says how up to date a session's packed weights are.
type packing struct {
	mu       sync.Mutex
	inferred []bool   // products of inference read the weight
	versions []uint64 // of the parameters that the weight was packed from; 0 before
	stale    []int    // scratch
}

func (c *packing) init(p *plan) {
	c.inferred, c.versions = make([]bool, len(p.weights)), make([]uint64, len(p.weights))
	for _, st := range p.stages {
		for i := range st.infer.instrs {
			if in := &st.infer.instrs[i]; in.kind == doGemm {
				c.inferred[in.index] = true
				for _, part := range p.weights[in.index].parts {
					c.inferred[part] = true
				}
			}
		}
	}
}

// pack brings the weights up to date that inference reads, or also those of gradient
// runs. The caller holds the parameters' lock.
func (s *Session) pack(gradients bool) {
	c := &s.packing
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale = c.stale[:0]
	for i, version := range c.versions {
		if (gradients || c.inferred[i]) && version != s.params.version {
			c.stale = append(c.stale, i)
			c.versions[i] = s.params.version
		}
	}
	if len(c.stale) > 0 {
		s.packAll(c.stale, false)
		s.packAll(c.stale, true) // of weights that are up to date now
	}
}

// packAll brings weights up to date: those that are made of others, or the rest.
func (s *Session) packAll(stale []int, joined bool) {
	var tasks errgroup.Group
	tasks.SetLimit(s.opts.Workers)
	for _, i := range stale {
		switch w := &s.plan.weights[i]; {
		case joined != (len(w.parts) > 0):
		case s.opts.Workers == 1:
			s.packWeight(i)
		default:
			tasks.Go(func() error { s.packWeight(i); return nil })
		}
	}
	tasks.Wait() // the tasks do not fail
}

// packWeight brings weight i up to date.
func (s *Session) packWeight(i int) {
	w := &s.plan.weights[i]
	if len(w.parts) > 0 {
		s.joinWeights(i)
		return
	}
	var l Layout
	var values []float32
	if v := w.global.Variable(); v != nil {
		l, values = s.params.Layout(v), s.params.values[v.Index]
	} else if s.packed[i] != nil {
		return // constants do not change
	}
	switch {
	case l.packed && l.trans == w.trans:
		if s.packed[i] == nil {
			s.packed[i] = l.matrix(values)
		}
		s.packed[i].Data = values
	case l.packed:
		kernel.TransposePacked(s.ownWeight(i), l.matrix(values))
	default:
		f, _ := s.params.global(w.global)
		kernel.Pack(s.ownWeight(i), f, w.cols, w.trans)
	}
}

// ownWeight returns the session's memory for weight i.
func (s *Session) ownWeight(i int) *kernel.Packed {
	if s.packed[i] == nil {
		k, n := s.plan.weights[i].rows, s.plan.weights[i].cols
		if s.plan.weights[i].trans {
			k, n = n, k
		}
		s.packed[i] = kernel.NewPacked(k, n)
	}
	return s.packed[i]
}

// joinWeights brings weight i up to date, which is made of others.
func (s *Session) joinWeights(i int) {
	w := &s.plan.weights[i]
	parts := make([]*kernel.Packed, len(w.parts))
	for k, q := range w.parts {
		parts[k] = s.packed[q]
	}
	if w.stacked {
		kernel.StackRows(s.ownWeight(i), parts...)
		return
	}
	kernel.JoinColumns(s.ownWeight(i), parts...)
	if !w.hasBias() {
		return
	}
	if s.biases[i] == nil {
		s.biases[i] = make([]float32, w.cols)
	}
	at := s.biases[i]
	for k, b := range w.biases {
		if !b.IsZero() {
			f, _ := s.params.global(b)
			copy(at, f)
		}
		at = at[parts[k].N:]
	}
}
