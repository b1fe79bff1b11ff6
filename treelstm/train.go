package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/train"
	"github.com/frondml/frond/treelstm/internal/console"
)

// training is a run of the command train.
type training struct {
	trainFlags
	streams   streams
	saved     *savedRun // that this run goes on from, nil if it begins
	model     *model
	optimizer train.Optimizer
	trainer   *train.Trainer[example]
	train     []example
	dev       []example
	recorder  *recorder
	history   []epochRecord
	saver     saver
	progress  *console.Progress // of the running epoch, nil between epochs
	measured  *accuracy         // on dev, after the last epoch
}

func trainCommand(ctx context.Context, args []string, s streams) error {
	named := trainFlags{out: defaultModel}
	if err := named.parse(args, s.out); err != nil {
		return err
	}
	t := &training{streams: s}
	var base *config
	if named.resume {
		var err error
		if t.saved, err = openSaved(lastFile(named.out)); err != nil {
			return err
		}
		defer t.saved.file.Close()
		base = &t.saved.config
	}
	var err error
	if t.trainFlags, err = parseTrain(args, base, s.out); err != nil {
		return err
	}
	if t.printConfig {
		return t.config.print(s.out)
	}
	return t.device.use(exec.Options{Workers: t.workers}, func(o exec.Options) error {
		return t.observe(o, func(o exec.Options) error { return t.run(ctx, o) })
	})
}

// run trains, from the beginning or from what was saved.
func (t *training) run(ctx context.Context, o exec.Options) error {
	if err := t.prepare(o); err != nil {
		return err
	}
	defer t.model.session.Close()
	if t.saved != nil {
		if err := t.restore(); err != nil {
			return err
		}
	}
	err := t.record(func() error { return t.fit(ctx) })
	if err != nil && ctx.Err() != nil {
		err = t.interrupted()
	}
	if rolled, ok := errors.AsType[*train.RollbackError](err); ok {
		return t.lost(rolled, err)
	}
	return err
}

// record calls f while the files of records are open.
func (t *training) record(f func() error) (err error) {
	var resumed *train.Progress
	p := t.trainer.Progress()
	if t.saved != nil {
		resumed = &p
	}
	if t.recorder, err = t.records.open(resumed); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.recorder.close()) }()
	if err := t.recorder.begin(t.config, t.model.String(), p); err != nil {
		return err
	}
	return f()
}

func (t *training) fit(ctx context.Context) error {
	fmt.Fprintf(t.streams.out, "%v; %s, learning rate %v, %s, %s\n", t.model, t.Optimizer, t.LearningRate,
		count(t.model.session.Options().Workers, "worker"), deviceName(t.model.session))
	t.saver.begin(t.trainer.Progress().Steps)
	err := t.trainer.Fit(ctx, t.trainer.Shuffled(t.train), train.Plan{
		Epochs: t.Epochs, Patience: t.Patience,
		OnStep: t.onStep, Evaluate: t.evaluate, OnEpoch: t.onEpoch,
	})
	t.endProgress()
	if err != nil {
		return err
	}
	return t.finish(ctx)
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
	v, vectors, err := t.words(sets.train)
	if err != nil {
		return err
	}
	if t.saved != nil {
		if err := t.saved.check(t.config, v); err != nil {
			return err
		}
	}
	for _, c := range []corpus{sets.train, sets.dev} {
		fmt.Fprintln(t.streams.out, c.describe(v))
	}
	if t.Grades > 0 {
		fmt.Fprintf(t.streams.out, "labels are grades from 0 to %d: those below %d are class 0, those above class 1\n", t.Grades-1, neutralGrade)
	}
	t.train, t.dev = examples(sets.train.trees, v), examples(sets.dev.trees, v)
	if vectors != nil {
		t.describeVectors(t.streams.out, vectors, sets)
	}
	if err := t.prepareModel(v, vectors, o); err != nil {
		return err
	}
	if t.optimizer, err = newOptimizer(t.config); err != nil {
		return err
	}
	t.trainer, err = train.NewTrainer[example](t.model.session, t.model.classify, t.optimizer,
		train.Options{Batch: t.Batch, ClipNorm: t.Clip, Seed: t.Seed})
	return err
}

// prepareModel makes the model with its initial weights.
func (t *training) prepareModel(v *data.Vocabulary, vectors *data.Embedding, o exec.Options) error {
	err := t.settleWidths(vectors)
	if err != nil {
		return err
	}
	if t.saved != nil {
		if err := t.describes(t.saved.file, t.saved.path, v.Len()); err != nil {
			return err
		}
	}
	if t.model, err = newModel(t.config, v, o); err != nil || vectors == nil {
		return err
	}
	return t.model.setVectors(vectors)
}

// checkOut reports what would make saving fail: better now than after the first epoch.
func (t *training) checkOut() error {
	if info, err := os.Stat(filepath.Dir(t.out)); err != nil || !info.IsDir() {
		return fmt.Errorf("-out %s: its directory: %w", t.out, cmp.Or(err, fs.ErrInvalid))
	}
	for _, path := range []string{t.out, lastFile(t.out)} {
		if err := writable(path); err != nil {
			return fmt.Errorf("-out %s: %w", t.out, err)
		}
	}
	for name, path := range map[string]string{"curves": t.curves, "report": t.report} {
		if err := writable(path); err != nil {
			return fmt.Errorf("-%s: %w", name, err)
		}
	}
	return nil
}

// onStep shows how far the epoch is, records the step, and saves when it is time to.
func (t *training) onStep(s train.StepStats) error {
	p := t.trainer.Progress() // counts this step already
	if t.progress == nil {
		label := fmt.Sprintf("epoch %d/%d", p.Epoch+1, t.Epochs)
		t.progress = console.New(t.streams.err, len(t.train)-p.Position+s.Examples, label)
	}
	t.progress.Add(s.Examples, fmt.Sprintf("loss %.3f", s.Loss/float64(s.Examples)))
	if err := t.recorder.step(s, p.Epoch+1, p.Position == len(t.train)); err != nil {
		return err
	}
	if t.saver.due(t.saveEvery, s.Step) {
		return t.save(lastFile(t.out), t.optimizer)
	}
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
	r := newEpochRecord(e, t.trainer.Progress().Steps, t.measured)
	t.history = append(t.history, r)
	if e.Best {
		if err := t.save(t.out, nil); err != nil {
			return err
		}
	}
	if err := t.recorder.epoch(r, e.Rate()); err != nil {
		return err
	}
	if err := t.save(lastFile(t.out), t.optimizer); err != nil {
		return err
	}
	return t.draw(nil)
}

// finish says how good the kept model is.
func (t *training) finish(ctx context.Context) error {
	p := t.trainer.Progress()
	fmt.Fprintf(t.streams.out, "best: %.2f%% at the roots in epoch %d of %d, kept in %s\n", 100*p.Best, p.BestEpoch, p.Epoch, t.out)
	kept, err := loadModel(t.out, exec.Options{Workers: t.workers, Device: t.model.session.Options().Device})
	if err != nil {
		return err
	}
	defer kept.session.Close()
	a, err := kept.measure(ctx, t.dev)
	if err != nil {
		return err
	}
	if err := a.confusion.WriteText(t.streams.out); err != nil {
		return err
	}
	return t.draw(&a.confusion)
}
