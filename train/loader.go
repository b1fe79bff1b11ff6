package train

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/train/safetensors"
)

// loader collects what is read and what does not fit.
type loader struct {
	*File
	errs   []error
	values [][]float32 // by the index of the variable
	state  State
}

func (l *loader) need(ok bool, format string, args ...any) {
	if !ok {
		l.errs = append(l.errs, fmt.Errorf("%w: "+format, append([]any{ErrMismatch}, args...)...))
	}
}

// failed joins what does not fit.
func (l *loader) failed() error {
	if err := errors.Join(l.errs...); err != nil {
		return fmt.Errorf("train: %s: %w", l.path, err)
	}
	return nil
}

// compare notes what Compare reports.
func (l *loader) compare(p *graph.Program) {
	l.need(l.Program() == p.Name, "it is of program %q, want %q", l.Program(), p.Name)
	known := map[string]bool{}
	for _, v := range p.Variables {
		known[v.Name] = true
		l.fits(v.Name, v, "variable "+v.Name)
	}
	for _, name := range l.r.Names() {
		if !known[name] && !strings.HasPrefix(name, prefix) {
			info, _ := l.r.Info(name)
			l.need(false, "it has %s %s%v, the program has no such variable", name, info.DType, info.Shape)
		}
	}
}

func (l *loader) variables(p *graph.Program) {
	if l.compare(p); len(l.errs) > 0 {
		return
	}
	l.values = make([][]float32, len(p.Variables))
	for _, v := range p.Variables {
		l.values[v.Index] = l.read(v.Name)
	}
}

func (l *loader) optimizerState(o Optimizer, p *exec.Parameters) {
	if l.optimizer == nil {
		l.need(false, "it has no state of an optimiser: training cannot go on from it")
		return
	}
	if l.optimizer.Name != o.Name() {
		l.need(false, "its optimiser is %s, want %s", l.optimizer.Name, o.Name())
		return
	}
	// Which slots there are depends on the settings: those of the file count.
	saved := blank(o)
	if saved == nil {
		l.need(false, "%T is not a pointer to a struct with settings", o)
		return
	}
	if err := strict(string(l.optimizer.Settings), saved); err != nil {
		l.need(false, "settings of %s: %w", o.Name(), err)
		return
	}
	l.state = State{Steps: l.optimizer.Steps}
	blankState, err := saved.State(p)
	if err != nil {
		l.errs = append(l.errs, err)
		return
	}
	for _, s := range blankState.Slots {
		name := slotName(s.Name, s.Variable.Name)
		if l.fits(name, s.Variable, s.Name+" of variable "+s.Variable.Name) {
			l.state.Slots = append(l.state.Slots, Slot{s.Name, s.Variable, l.read(name)})
		}
	}
}

// blank returns a new optimiser of the type of o.
func blank(o Optimizer) Optimizer {
	t := reflect.TypeOf(o)
	if t.Kind() != reflect.Pointer {
		return nil
	}
	b, _ := reflect.New(t.Elem()).Interface().(Optimizer)
	return b
}

// fits reports whether there is an array of the shape of v, and notes why not.
func (l *loader) fits(name string, v *graph.Variable, what string) bool {
	info, ok := l.r.Info(name)
	if !ok {
		l.need(false, "it has no %s %v", what, v.Type)
		return false
	}
	if info.DType != safetensors.F32 || !slices.Equal(info.Shape, []int(v.Type.Shape)) {
		l.need(false, "%s is %s%v in it, want %s%v", what, info.DType, info.Shape, safetensors.F32, v.Type.Shape)
		return false
	}
	return true
}

func (l *loader) read(name string) []float32 {
	info, _ := l.r.Info(name)
	x := make([]float32, info.Len())
	if err := l.r.ReadF32(name, x); err != nil {
		l.errs = append(l.errs, err)
	}
	return x
}

// store changes c.
func (l *loader) store(c *Checkpoint) error {
	if c.Optimizer != nil {
		err := strict(string(l.optimizer.Settings), c.Optimizer)
		if err = errors.Join(err, c.Optimizer.Restore(c.Params, l.state)); err != nil {
			return fmt.Errorf("train: %s: %w", l.path, err)
		}
	}
	if c.Progress != nil {
		*c.Progress = *l.progress
	}
	if c.Params != nil {
		c.Params.Update(func(values [][]float32) {
			for i, v := range c.Params.Program().Variables {
				c.Params.Layout(v).Store(values[i], l.values[i])
			}
		})
	}
	return nil
}
