package exec

import (
	"errors"
	"sync"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
)

// sessionDevice is what a session has on its device, beside its engines.
type sessionDevice struct {
	dev     device.Device
	plan    *plan
	params  *Parameters
	replica *replica
	code    map[*instr]*deviceCode // by the first instruction of a sequence
	kernels deviceKernels

	mu        sync.Mutex // guards the rest; taken before the replica's
	copies    map[int]device.Kernel
	adds      map[int]device.Kernel
	constants map[graph.Value]device.Buffer
	uploaded  bool // all constants are there
	weights   []deviceWeight
}

// newSessionDevice compiles the plan for a device.
func newSessionDevice(s *Session) (*sessionDevice, error) {
	t := &sessionDevice{dev: s.opts.Device, plan: s.plan, params: s.params, code: map[*instr]*deviceCode{},
		copies: map[int]device.Kernel{}, adds: map[int]device.Kernel{}, constants: map[graph.Value]device.Buffer{},
		weights: make([]deviceWeight, len(s.plan.weights))}
	err := t.compileOperators()
	if err == nil {
		err = t.eachSequence(func(c *stageCode, instrs []instr) (err error) {
			t.code[&instrs[0]], err = t.plan.compileFor(t.dev, &t.kernels, c, instrs, s.opts.CheckFinite)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	if t.replica, err = s.params.replica(t.dev); err != nil {
		return nil, t.failed(err)
	}
	return t, nil
}

// rowCopy returns the kernel that copies rows.
func (t *sessionDevice) rowCopy(size int) (device.Kernel, error) {
	return t.rowKernel(t.copies, size, false)
}

// rowAdd returns the kernel that adds rows to others, no two of which are the same.
func (t *sessionDevice) rowAdd(size int) (device.Kernel, error) {
	return t.rowKernel(t.adds, size, true)
}

func (t *sessionDevice) rowKernel(known map[int]device.Kernel, size int, add bool) (device.Kernel, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k := known[size]; k != nil {
		return k, nil
	}
	k, err := t.dev.Fuse(device.Chain{Operands: 2, Steps: []device.Step{{Kind: device.Copy, Add: add, Size: size, To: 0, From: [2]int{1}}}})
	if err == nil {
		known[size] = k
	}
	return k, err
}

// prepare brings everything that a run reads up to date. The caller holds the parameters'
// lock for reading, with the replica up to date.
func (t *sessionDevice) prepare() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.replica
	r.mu.Lock()
	defer r.mu.Unlock()
	stale := !t.uploaded
	for i := range t.plan.weights {
		if len(t.plan.weights[i].parts) > 0 && t.weights[i].version != t.params.version {
			stale = true
		}
	}
	if !stale {
		return nil
	}
	// Runs that read what is changed here have been awaited by who changed the parameters.
	return t.failed(r.add(func() error {
		if err := t.uploadConstants(); err != nil {
			return err
		}
		return t.joinWeights()
	}))
}

// uploadConstants puts the constants of the program on the device, once.
func (t *sessionDevice) uploadConstants() error {
	if t.uploaded {
		return nil
	}
	for v := range t.globals() {
		if v.Variable() != nil || !v.Type().DType.IsFloat() || t.constants[v] != nil {
			continue
		}
		if err := t.uploadConstant(v); err != nil {
			return err
		}
	}
	t.uploaded = true
	return nil
}

func (t *sessionDevice) uploadConstant(v graph.Value) error {
	f, _ := t.params.global(v)
	stream := t.replica.stream
	b, err := stream.Alloc(len(f))
	if err != nil {
		return err
	}
	if err := stream.UploadFloats(b, 0, f); err != nil {
		return errors.Join(err, stream.Free(b))
	}
	t.constants[v] = b
	return nil
}

// globals are the constants and variables that the plan reads.
func (t *sessionDevice) globals() map[graph.Value]bool {
	all := map[graph.Value]bool{}
	note := func(v graph.Value) {
		if !v.IsZero() && v.IsGlobal() {
			all[v] = true
		}
	}
	for _, st := range t.plan.stages {
		for _, c := range []*stageCode{st.infer, st.train} {
			for _, instrs := range [][]instr{c.instrs, c.back} {
				for i := range instrs {
					note(instrs[i].bias)
					for _, o := range instrs[i].in {
						note(o.global)
					}
				}
			}
		}
	}
	for _, s := range t.plan.stores {
		for _, v := range s.pins {
			note(v)
		}
	}
	for i := range t.plan.weights {
		w := &t.plan.weights[i]
		note(w.global)
		for _, b := range w.biases {
			note(b)
		}
	}
	for _, u := range t.plan.uses {
		note(u.x.global)
	}
	return all
}

// global returns the elements of a constant or variable of floats.
func (t *sessionDevice) global(v graph.Value) (device.Buffer, error) {
	if w := v.Variable(); w != nil {
		return t.replica.of(w), nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known(v)
}

// known is global for a caller that holds the lock.
func (t *sessionDevice) known(v graph.Value) (device.Buffer, error) {
	if w := v.Variable(); w != nil {
		return t.replica.of(w), nil
	}
	if b := t.constants[v]; b != nil {
		return b, nil
	}
	return nil, errUnknownConstant
}

var errUnknownConstant = errors.New("exec: a constant that the plan does not list")

// close gives everything back. Its errors name the device.
func (t *sessionDevice) close() error {
	t.mu.Lock()
	r := t.replica
	r.mu.Lock()
	err := r.awaitReaders()
	free := func(b device.Buffer) {
		if b != nil {
			err = errors.Join(err, r.stream.Free(b))
		}
	}
	for _, b := range t.constants {
		free(b)
	}
	for i := range t.weights {
		free(t.weights[i].matrix.Buffer)
		free(t.weights[i].bias)
	}
	r.mu.Unlock()
	t.mu.Unlock()
	return errors.Join(named(t.dev, err), r.release())
}
