package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/train/safetensors"
)

// File is an open checkpoint, whose content was found undamaged.
type File struct {
	path       string
	r          *safetensors.Reader
	meta       map[string]string
	progress   *Progress        // nil when the file has none
	optimizer  *optimizerRecord // likewise
	vocabulary []byte
}

// Open reads a checkpoint and checks it: version, metadata and the check sum over the
// whole content. The caller closes the file.
func Open(path string) (*File, error) {
	r, err := safetensors.Open(path)
	if errors.Is(err, safetensors.ErrFormat) {
		return nil, fmt.Errorf("train: %s: %w: %w", path, ErrCheckpoint, err)
	}
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	f := &File{path: path, r: r, meta: r.Metadata()}
	if err := f.check(); err != nil {
		return nil, errors.Join(fmt.Errorf("train: %s: %w", path, err), r.Close())
	}
	return f, nil
}

// Close closes the file.
func (f *File) Close() error { return f.r.Close() }

// check reads everything except the arrays of floats.
func (f *File) check() error {
	switch v := f.meta[metaVersion]; {
	case v == "":
		return fmt.Errorf("%w: a safetensors file of another program: its metadata has no %s", ErrCheckpoint, metaVersion)
	case v != strconv.Itoa(formatVersion):
		return fmt.Errorf("%w: it has version %q, this program reads version %d", ErrCheckpoint, v, formatVersion)
	}
	var d digest
	for _, name := range f.r.Names() {
		data, err := f.r.Section(name)
		if err == nil {
			err = d.addReader(name, data)
		}
		if err != nil {
			return err
		}
	}
	if got, want := d.sum(f.meta), f.meta[metaDigest]; got != want {
		return fmt.Errorf("%w: damaged: the SHA-256 of its content is %s, want %s", ErrCheckpoint, got, want)
	}
	var err error
	if f.progress, err = record[Progress](f, metaProgress); err != nil {
		return err
	}
	if f.optimizer, err = record[optimizerRecord](f, metaOptimizer); err != nil {
		return err
	}
	return f.readVocabulary()
}

// record decodes an entry of the metadata, nil when there is none.
func record[T any](f *File, key string) (*T, error) {
	text, ok := f.meta[key]
	if !ok {
		return nil, nil
	}
	var x T
	if err := strict(text, &x); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCheckpoint, key, err)
	}
	return &x, nil
}

// strict decodes JSON and refuses fields that dst does not have: they are settings
// that this program would ignore.
func strict(text string, dst any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(dst)
}

func (f *File) readVocabulary() error {
	info, ok := f.r.Info(vocabularyName)
	if !ok {
		return nil
	}
	if info.DType != safetensors.U8 {
		return fmt.Errorf("%w: %s is %s%v, want U8", ErrCheckpoint, vocabularyName, info.DType, info.Shape)
	}
	f.vocabulary = make([]byte, info.Len())
	return f.r.ReadU8(vocabularyName, f.vocabulary)
}

// Program returns the name of the program that the checkpoint is of.
func (f *File) Program() string { return f.meta[metaProgram] }

// Config stores in what dst points to the configuration that was saved. A field that
// dst does not have is an error that wraps ErrCheckpoint, and so is a file without one.
func (f *File) Config(dst any) error {
	return f.decode(metaConfig, "configuration", dst)
}

// History does the same for the history that was saved.
func (f *File) History(dst any) error { return f.decode(metaHistory, "history", dst) }

func (f *File) decode(key, what string, dst any) error {
	text, ok := f.meta[key]
	if !ok {
		return fmt.Errorf("train: %s: %w: it has no %s", f.path, ErrCheckpoint, what)
	}
	if err := strict(text, dst); err != nil {
		return fmt.Errorf("train: %s: %w: %s: %w", f.path, ErrCheckpoint, key, err)
	}
	return nil
}

// Vocabulary returns the vocabulary that was saved, nil when there is none.
func (f *File) Vocabulary() []byte { return bytes.Clone(f.vocabulary) }

// Progress returns how far training had come, nil when that was not saved.
func (f *File) Progress() *Progress {
	if f.progress == nil {
		return nil
	}
	p := *f.progress
	return &p
}

// Load puts the saved state into the parts of c that are not nil: the values of the
// variables, the optimiser's settings and state, the progress. The name of the program
// must be that of c, names, shapes and element types of the variables too, and
// c.Vocabulary, if it is not nil, what was saved. All differences are reported at once,
// each wrapping ErrMismatch; then nothing has changed. The optimiser's state is about
// variables: an Optimizer without Params wraps ErrSetting.
func (f *File) Load(c *Checkpoint) error {
	if err := c.check(false); err != nil {
		return fmt.Errorf("train: loading %s: %w", f.path, err)
	}
	l := loader{File: f}
	if c.Params != nil {
		l.variables(c.Params.Program())
	}
	if c.Optimizer != nil {
		l.optimizerState(c.Optimizer, c.Params)
	}
	if c.Progress != nil {
		l.need(f.progress != nil, "it has no progress: training cannot go on from it")
	}
	if c.Vocabulary != nil {
		l.need(bytes.Equal(c.Vocabulary, f.vocabulary), "its vocabulary (%d bytes, SHA-256 %.12s) is not the expected one (%d bytes, SHA-256 %.12s)",
			len(f.vocabulary), hash(f.vocabulary), len(c.Vocabulary), hash(c.Vocabulary))
	}
	if err := errors.Join(l.errs...); err != nil {
		return fmt.Errorf("train: %s: %w", f.path, err)
	}
	return l.store(c)
}

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

func (l *loader) variables(p *graph.Program) {
	l.need(l.Program() == p.Name, "it is of program %q, want %q", l.Program(), p.Name)
	known := map[string]bool{}
	l.values = make([][]float32, len(p.Variables))
	for _, v := range p.Variables {
		known[v.Name] = true
		l.values[v.Index] = l.array(v.Name, v, "variable "+v.Name)
	}
	for _, name := range l.r.Names() {
		if !known[name] && !strings.HasPrefix(name, prefix) {
			info, _ := l.r.Info(name)
			l.need(false, "it has %s %s%v, the program has no such variable", name, info.DType, info.Shape)
		}
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
	for _, s := range saved.State(p).Slots {
		values := l.array(slotName(s.Name, s.Variable.Name), s.Variable, s.Name+" of variable "+s.Variable.Name)
		l.state.Slots = append(l.state.Slots, Slot{s.Name, s.Variable, values})
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

// array reads an array of the shape of v.
func (l *loader) array(name string, v *graph.Variable, what string) []float32 {
	info, ok := l.r.Info(name)
	if !ok {
		l.need(false, "it has no %s %v", what, v.Type)
		return nil
	}
	if info.DType != safetensors.F32 || !slices.Equal(info.Shape, []int(v.Type.Shape)) {
		l.need(false, "%s is %s%v in it, want %s%v", what, info.DType, info.Shape, safetensors.F32, v.Type.Shape)
		return nil
	}
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
