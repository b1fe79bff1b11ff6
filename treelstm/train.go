package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/train"
	"github.com/frondml/frond/treelstm/internal/console"
)

// training is a run of the command train.
type training struct {
	trainFlags
	streams   streams
	model     *model
	optimizer train.Optimizer
	trainer   *train.Trainer[example]
	train     []example
	dev       []example
	begun     int64             // steps that were made before this run
	progress  *console.Progress // of the running epoch, nil between epochs
	measured  *accuracy         // on dev, after the last epoch
}

func trainCommand(ctx context.Context, args []string, s streams) error {
	f, err := parseTrain(args, nil, s.out)
	if err != nil {
		return err
	}
	t := &training{trainFlags: f, streams: s}
	if !f.resume {
		return t.run(ctx, nil)
	}
	last, err := train.Open(lastFile(f.out))
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w; there is nothing to resume", err)
	}
	if err != nil {
		return err
	}
	defer last.Close()
	var saved config
	if err := last.Config(&saved); err != nil {
		return err
	}
	if t.trainFlags, err = parseTrain(args, &saved, s.out); err != nil {
		return err
	}
	if err := sameModel(saved, t.config); err != nil {
		return fmt.Errorf("%s: %w", lastFile(f.out), err)
	}
	return t.run(ctx, last)
}

// lastFile is where the state of the last epoch is kept: beside the best model.
func lastFile(out string) string {
	ext := filepath.Ext(out)
	return strings.TrimSuffix(out, ext) + ".last" + ext
}

// sameModel reports flags that a model in the middle of its training cannot change.
func sameModel(saved, given config) error {
	var errs []error
	for _, x := range []struct {
		flag        string
		saved, want any
	}{
		{"classes", saved.Classes, given.Classes},
		{"embedding", saved.Embedding, given.Embedding},
		{"hidden", saved.Hidden, given.Hidden},
		{"optimizer", saved.Optimizer, given.Optimizer},
		{"seed", saved.Seed, given.Seed},
		{"min-count", saved.MinCount, given.MinCount},
		{"lower", saved.Lower, given.Lower},
		{"examples", saved.Examples, given.Examples},
	} {
		if x.saved != x.want {
			errs = append(errs, fmt.Errorf("it was trained with -%s=%v, not %v", x.flag, x.saved, x.want))
		}
	}
	if (saved.Data == "") != (given.Data == "") {
		errs = append(errs, fmt.Errorf("it was trained with -data=%q, not %q", saved.Data, given.Data))
	}
	if len(errs) > 0 {
		return fmt.Errorf("-resume cannot change the model:\n%w", errors.Join(errs...))
	}
	return nil
}

// run trains, from the beginning or from what is in last.
func (t *training) run(ctx context.Context, last *train.File) error {
	return t.observe(exec.Options{Workers: t.workers}, func(o exec.Options) error { return t.fit(ctx, last, o) })
}

func (t *training) fit(ctx context.Context, last *train.File, o exec.Options) error {
	if err := t.prepare(o); err != nil {
		return err
	}
	defer t.model.session.Close()
	if last != nil {
		if err := t.restore(last); err != nil {
			return err
		}
	}
	fmt.Fprintf(t.streams.out, "%v; %s, learning rate %v, %s\n", t.model, t.Optimizer, t.LearningRate, count(t.model.session.Options().Workers, "worker"))
	err := t.trainer.Fit(ctx, t.trainer.Shuffled(t.train), train.Plan{
		Epochs: t.Epochs, Patience: t.Patience,
		OnStep: t.onStep, Evaluate: t.evaluate, OnEpoch: t.onEpoch,
	})
	t.endProgress()
	if err != nil && ctx.Err() != nil {
		return t.interrupted()
	}
	if err != nil {
		return err
	}
	p := t.trainer.Progress()
	fmt.Fprintf(t.streams.out, "best: %.2f%% at the roots in epoch %d of %d, kept in %s\n", 100*p.Best, p.BestEpoch, p.Epoch, t.out)
	return nil
}

// prepare reads the data and makes model, optimiser and trainer.
func (t *training) prepare(o exec.Options) error {
	if err := t.checkOut(); err != nil {
		return err
	}
	sets, err := t.trainingSets(t.streams.err)
	if err != nil {
		return err
	}
	v := t.config.vocabulary(sets.train.trees)
	for _, c := range []corpus{sets.train, sets.dev} {
		fmt.Fprintln(t.streams.out, c.describe(v))
	}
	t.train, t.dev = examples(sets.train.trees, v), examples(sets.dev.trees, v)
	if t.optimizer, err = newOptimizer(t.config); err != nil {
		return err
	}
	if t.model, err = newModel(t.config, v, o); err != nil {
		return err
	}
	t.trainer, err = train.NewTrainer[example](t.model.session, t.model.classify, t.optimizer,
		train.Options{Batch: t.Batch, ClipNorm: t.Clip, Seed: t.Seed})
	return err
}

// checkOut reports what would make saving fail: better now than after the first epoch.
func (t *training) checkOut() error {
	if info, err := os.Stat(filepath.Dir(t.out)); err != nil || !info.IsDir() {
		return fmt.Errorf("-out %s: its directory: %w", t.out, cmp.Or(err, fs.ErrInvalid))
	}
	for _, path := range []string{t.out, lastFile(t.out)} {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return fmt.Errorf("-out %s: %s is a directory, want a file", t.out, path)
		}
	}
	return nil
}

// restore goes back to the state in a file, except for the optimiser's settings: flags
// may have changed them.
func (t *training) restore(last *train.File) error {
	saved, err := newOptimizer(t.config)
	if err != nil {
		return err
	}
	vocabulary, err := t.model.vocabulary.MarshalText()
	if err != nil {
		return err
	}
	var p train.Progress
	params := t.model.session.Parameters()
	if err := last.Load(&train.Checkpoint{Params: params, Optimizer: saved, Progress: &p, Vocabulary: vocabulary}); err != nil {
		return fmt.Errorf("%w\n(a vocabulary differs when the training set is not the same)", err)
	}
	if err := t.optimizer.Restore(params, saved.State(params)); err != nil {
		return err
	}
	t.begun = p.Steps
	return t.trainer.Resume(p)
}

// onStep shows how far the epoch is.
func (t *training) onStep(s train.StepStats) error {
	if t.progress == nil {
		p := t.trainer.Progress()
		label := fmt.Sprintf("epoch %d/%d", p.Epoch+1, t.Epochs)
		left := len(t.train) - p.Position + s.Examples // Position counts this step already
		t.progress = console.New(t.streams.err, left, label)
	}
	t.progress.Add(s.Examples, fmt.Sprintf("loss %.3f", s.Loss/float64(s.Examples)))
	return nil
}

func (t *training) endProgress() {
	if t.progress != nil {
		t.progress.Done()
		t.progress = nil
	}
}

// evaluate returns the accuracy at the roots of the development set.
func (t *training) evaluate(ctx context.Context) (float64, error) {
	t.endProgress()
	var err error
	t.measured, err = t.model.measure(ctx, t.dev)
	return t.measured.roots.share(), err
}

// onEpoch reports an epoch and saves the model.
func (t *training) onEpoch(e train.EpochStats) error {
	best := ""
	if e.Best {
		best = "  best"
	}
	fmt.Fprintf(t.streams.out, "epoch %d/%d  loss %.3f  %.0f trees/s  %.0f rows/batch  dev: loss %.3f  %v%s\n",
		e.Epoch, t.Epochs, e.Loss, e.Rate(), e.Exec.RowsPerBatch(), t.measured.loss, t.measured, best)
	if e.Best {
		if err := t.save(t.out, nil); err != nil {
			return err
		}
	}
	return t.save(lastFile(t.out), t.optimizer)
}

// save writes the model, with what is needed to resume when there is an optimiser.
func (t *training) save(path string, o train.Optimizer) error {
	vocabulary, err := t.model.vocabulary.MarshalText()
	if err != nil {
		return err
	}
	p := t.trainer.Progress()
	return train.Save(path, &train.Checkpoint{
		Params: t.model.session.Parameters(), Optimizer: o, Progress: &p, Vocabulary: vocabulary, Config: t.config,
	})
}

// interrupted saves the state in the middle of an epoch. The best model stays what it
// was.
func (t *training) interrupted() error {
	p := t.trainer.Progress()
	if p.Steps == t.begun {
		return interruption{errors.New("interrupted before anything was learnt; nothing was saved")}
	}
	if err := t.save(lastFile(t.out), t.optimizer); err != nil {
		return err
	}
	return interruption{fmt.Errorf("interrupted in epoch %d after %d of %s; saved to %s, -resume goes on",
		p.Epoch+1, p.Position, count(len(t.train), "tree"), lastFile(t.out))}
}
