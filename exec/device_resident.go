package exec

import (
	"errors"

	"github.com/frondml/frond/exec/device"
)

// Note [Masks]
//
// Truth values and integers that kernels compute only for other kernels, such as the mask
// of a maximum's gradient, stay on the device: nobody waits for them. They are those in
// temporary memory, or in rows that forward keeps for backward, that nothing on the host
// reads, and that address no memory.

// deviceKernels are the operators that have kernels of their own, and what follows for
// the stores of integers.
type deviceKernels struct {
	of    map[*instr]device.Kernel
	stays []bool // by store
}

// compileOperators compiles the operators of all sequences.
func (t *sessionDevice) compileOperators() error {
	t.kernels = deviceKernels{of: map[*instr]device.Kernel{}, stays: make([]bool, len(t.plan.stores))}
	err := t.eachSequence(func(code *stageCode, instrs []instr) error {
		for i := range instrs {
			if err := t.compileOperator(code, &instrs[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, s := range t.plan.stores {
		t.kernels.stays[i] = s.ints && !s.named
	}
	return t.eachSequence(func(code *stageCode, instrs []instr) error {
		for i := range instrs {
			t.kernels.readByHost(&instrs[i], func(o *operand) {
				if o.kind == inOwn || o.kind == inStore || o.kind == inStoreFlat {
					t.kernels.stays[o.store] = false
				}
			})
		}
		return nil
	})
}

func (t *sessionDevice) compileOperator(code *stageCode, in *instr) error {
	if in.kind != doRows && in.kind != doSegments || t.plan.touchesNoFloats(code, in) || in.elem != nil && !t.plan.isInts(code, &in.out) {
		return nil
	}
	k, err := t.dev.Compile(operatorOf(in))
	switch {
	case err == nil:
		t.kernels.of[in] = k
	case !errors.Is(err, device.ErrNoKernel):
		c := deviceCompiler{dev: t.dev}
		c.fail(in.node, err)
		return c.err
	}
	return nil
}

// eachSequence calls f for every sequence of instructions.
func (t *sessionDevice) eachSequence(f func(*stageCode, []instr) error) error {
	done := map[*instr]bool{}
	for _, st := range t.plan.stages {
		for _, c := range []*stageCode{st.infer, st.train} {
			for _, instrs := range c.sequences() {
				if len(instrs) == 0 || done[&instrs[0]] {
					continue
				}
				done[&instrs[0]] = true
				if err := f(c, instrs); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// sequences are what is executed of the code, one at a time.
func (c *stageCode) sequences() [][]instr {
	all := [][]instr{c.instrs, c.back}
	if c.share != nil {
		all = append(all, c.share.words, c.share.floats)
	}
	return all
}

// readByHost calls f for the operands whose integers, if they have any, the host reads or
// writes.
func (k *deviceKernels) readByHost(in *instr, f func(*operand)) {
	kernel := k.of[in] != nil
	if !kernel {
		f(&in.out)
	}
	for i := range in.in {
		if o := &in.in[i]; !kernel || o.expand || checksInput(in, i) {
			f(o)
		}
	}
}

// checksInput reports whether the host must see the integers of an input.
func checksInput(in *instr, k int) bool {
	input, _, ok := device.Bounds(operatorOf(in))
	return ok && input == k
}

// findStaying finds the temporary memory whose integers stay on the device.
func (c *deviceCompiler) findStaying(instrs []instr) {
	c.stays = map[int]bool{}
	for i := range instrs {
		if in := &instrs[i]; c.made.of[in] != nil && c.inIntBuffer(&in.out) {
			c.stays[in.out.index] = true
		}
	}
	for i := range instrs {
		in := &instrs[i]
		c.made.readByHost(in, func(o *operand) {
			if c.inIntBuffer(o) {
				delete(c.stays, o.index)
			}
		})
		for k := range in.in {
			if o := &in.in[k]; o.kind == inTableBuffer {
				delete(c.stays, o.index)
			}
		}
	}
}

func (c *deviceCompiler) inIntBuffer(o *operand) bool {
	return o.kind == inBuffer && c.code.buffers[o.index].ints
}

// staying reports whether an operand's integers stay on the device.
func (c *deviceCompiler) staying(o *operand) bool {
	if o.kind == inOwn {
		return c.made.stays[o.store]
	}
	return c.inIntBuffer(o) && c.stays[o.index]
}
