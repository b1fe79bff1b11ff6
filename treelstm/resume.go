package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/train"
)

// savedRun is the state of a run that is to go on.
type savedRun struct {
	path       string
	file       *train.File
	config     config
	history    []epochRecord
	vocabulary data.Vocabulary
}

// openSaved reads what is in the file of a state, except for the arrays. The caller
// closes the file.
func openSaved(path string) (_ *savedRun, err error) {
	s := &savedRun{path: path}
	s.file, err = train.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w; there is nothing to resume", err)
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.file.Close())
		}
	}()
	if err := s.file.Config(&s.config); err != nil {
		return nil, err
	}
	if err := s.file.History(&s.history); err != nil {
		return nil, err
	}
	if err := s.vocabulary.UnmarshalText(s.file.Vocabulary()); err != nil {
		return nil, fmt.Errorf("%s: vocabulary: %w", path, err)
	}
	return s, nil
}

// check reports everything in which the run that is to go on would differ from the one
// that was saved, but must not.
func (s *savedRun) check(c config, v *data.Vocabulary) error {
	errs := append(changedSettings(s.config, c), s.changedVocabulary(v)...)
	if len(errs) > 0 {
		return fmt.Errorf("%s: -resume cannot change the model:\n%w", s.path, errors.Join(errs...))
	}
	return nil
}

// changedSettings reports settings that a model in the middle of its training cannot
// change.
func changedSettings(saved, given config) []error {
	var errs []error
	for _, x := range []struct {
		flag        string
		saved, want any
	}{
		{"model", saved.Model, given.Model},
		{"classes", saved.Classes, given.Classes},
		{"embedding", saved.Embedding, given.Embedding},
		{"hidden", saved.Hidden, given.Hidden},
		{"optimizer", saved.Optimizer, given.Optimizer},
		{"seed", saved.Seed, given.Seed},
		{"min-count", saved.MinCount, given.MinCount},
		{"lower", saved.Lower, given.Lower},
		{"examples", saved.Examples, given.Examples},
		{"vectors", saved.Vectors, given.Vectors},
	} {
		if x.saved != x.want {
			errs = append(errs, fmt.Errorf("it was trained with -%s=%v, not %v", x.flag, x.saved, x.want))
		}
	}
	if (saved.Data == "") != (given.Data == "") {
		errs = append(errs, fmt.Errorf("it was trained with -data=%q, not %q", saved.Data, given.Data))
	}
	if saved.Grades != given.Grades {
		errs = append(errs, fmt.Errorf("it was trained on %s, the training set has %s", labelSet(saved), labelSet(given)))
	}
	return errs
}

// labelSet names the labels of the files.
func labelSet(c config) string {
	if c.Grades > 0 {
		return fmt.Sprintf("grades from 0 to %d", c.Grades-1)
	}
	return fmt.Sprintf("labels from 0 to %d", c.Classes-1)
}

// changedVocabulary reports words that are in one vocabulary only, or have another
// number there.
func (s *savedRun) changedVocabulary(v *data.Vocabulary) []error {
	if v.Hash() == s.vocabulary.Hash() {
		return nil
	}
	gone, added := missing(&s.vocabulary, v), missing(v, &s.vocabulary)
	err := fmt.Errorf("it was trained with %s, the training set gives %d: missing are %d%s, new are %d%s",
		count(s.vocabulary.Len(), "word"), v.Len(), len(gone), some(gone), len(added), some(added))
	if len(gone)+len(added) == 0 {
		err = fmt.Errorf("it was trained with the same %s in another order, by how often they occur", count(v.Len(), "word"))
	}
	return []error{err}
}

// missing returns the words of v that other does not hold.
func missing(v, other *data.Vocabulary) []string {
	var words []string
	for id := range int32(v.Len()) {
		if word := v.Word(id); other.Word(max(0, other.ID(word))) != word {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return words
}

// some shows the first words of a list.
func some(words []string) string {
	const most = 5
	switch {
	case len(words) == 0:
		return ""
	case len(words) > most:
		return fmt.Sprintf(" (%s, ...)", strings.Join(words[:most], ", "))
	}
	return fmt.Sprintf(" (%s)", strings.Join(words, ", "))
}

// restore goes back to the saved state, except for the optimiser's settings: flags may
// have changed them.
func (t *training) restore() error {
	saved, err := newOptimizer(t.config)
	if err != nil {
		return err
	}
	var p train.Progress
	params := t.model.session.Parameters()
	if err := t.saved.file.Load(&train.Checkpoint{Params: params, Optimizer: saved, Progress: &p}); err != nil {
		return err
	}
	state, err := saved.State(params)
	if err != nil {
		return err
	}
	if err := t.optimizer.Restore(params, state); err != nil {
		return err
	}
	t.history = t.saved.history
	return t.trainer.Resume(p)
}
