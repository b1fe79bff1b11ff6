package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/frondml/frond/train"
)

// lastFile is where the last state is kept: beside the best model.
func lastFile(out string) string {
	ext := filepath.Ext(out)
	return strings.TrimSuffix(out, ext) + ".last" + ext
}

// saver knows when the state was saved.
type saver struct {
	first int64 // steps that were made before this run
	at    time.Time
}

func (s *saver) begin(steps int64) { s.first, s.at = steps, time.Now() }

// due says whether it is time to save after a step.
func (s *saver) due(every interval, step int64) bool {
	switch {
	case every.steps > 0:
		return step%every.steps == 0
	case every.time > 0:
		return time.Since(s.at) >= every.time
	}
	return false
}

// save writes the model, with what is needed to resume when there is an optimiser.
func (t *training) save(path string, o train.Optimizer) error {
	vocabulary, err := t.model.vocabulary.MarshalText()
	if err != nil {
		return err
	}
	if o != nil { // a file that could be ahead of what training goes back to when a device is lost
		if err := t.trainer.Snapshot(); err != nil {
			return err
		}
	}
	p := t.trainer.Progress()
	t.saver.at = time.Now()
	return train.Save(path, &train.Checkpoint{
		Params: t.model.session.Parameters(), Optimizer: o, Progress: &p, Vocabulary: vocabulary,
		Config: t.config, History: t.history,
	})
}

// lost saves the state that training went back to after a failure of the device.
func (t *training) lost(rolled *train.RollbackError, err error) error {
	if rolled.Step == t.saver.first {
		return fmt.Errorf("%w\nnothing was learnt before that; nothing was saved", err)
	}
	if e := t.save(lastFile(t.out), t.optimizer); e != nil {
		return errors.Join(err, e)
	}
	return fmt.Errorf("%w\nthat state is saved to %s, -resume goes on, also with -device cpu", err, lastFile(t.out))
}

// interrupted saves the state in the middle of an epoch. The best model stays what it
// was.
func (t *training) interrupted() error {
	p := t.trainer.Progress()
	if p.Steps == t.saver.first {
		return interruption{errors.New("interrupted before anything was learnt; nothing was saved")}
	}
	if err := t.save(lastFile(t.out), t.optimizer); err != nil {
		return err
	}
	return interruption{fmt.Errorf("interrupted in epoch %d after %d of %s; saved to %s, -resume goes on",
		p.Epoch+1, p.Position, count(len(t.train), "tree"), lastFile(t.out))}
}
