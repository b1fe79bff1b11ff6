package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

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
	if err != nil {
		return nil, openError(err)
	}
	f := &File{path: path, r: r, meta: r.Metadata()}
	if err := f.check(); err != nil {
		return nil, errors.Join(fmt.Errorf("train: %s: %w", path, err), r.Close())
	}
	return f, nil
}

// openError says of what is not even a safetensors file that it should have been a
// checkpoint. Both kinds of error have the path.
func openError(err error) error {
	if errors.Is(err, safetensors.ErrFormat) {
		return fmt.Errorf("train: %w: %w", ErrCheckpoint, err)
	}
	if missing, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("train: checkpoint: %w", missing)
	}
	return fmt.Errorf("train: checkpoint: %w", err)
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

// Compare reports in what the saved variables differ from those of p: in the name of
// the program, and in names, shapes and element types, each difference wrapping
// ErrMismatch. It reads no values, so that a program whose sizes come from the file can
// be compared before a session takes memory for it.
func (f *File) Compare(p *graph.Program) error {
	if p == nil {
		return fmt.Errorf("train: comparing %s: %w: the program is nil", f.path, ErrSetting)
	}
	l := loader{File: f}
	l.compare(p)
	return l.failed()
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
	if err := l.failed(); err != nil {
		return err
	}
	return l.store(c)
}
