package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"

	"github.com/frondml/frond/train"
	"github.com/frondml/frond/train/tensorboard"
	"github.com/frondml/frond/treelstm/internal/metrics"
)

// records says where train writes what it measures; "" for nowhere.
type records struct {
	metrics     string
	tensorboard string
	curves      string
	report      string
}

func (r *records) vars(fs *flag.FlagSet) {
	fs.StringVar(&r.metrics, "metrics", r.metrics, "`file` for what is measured, a JSON object per line; -resume goes on in it")
	fs.StringVar(&r.tensorboard, "tensorboard", r.tensorboard, "`directory` for the same as an event file of TensorBoard")
	fs.StringVar(&r.curves, "curves", r.curves, "`file` for learning curves as SVG, drawn anew after every epoch")
	fs.StringVar(&r.report, "report", r.report, "`file` for a page about the run: settings, curves, epochs, confusions; written anew after every epoch")
}

// recorder writes what is measured while a run goes on.
type recorder struct {
	metrics *metrics.File       // nil for none
	board   *tensorboard.Writer // likewise
	window  window
}

// metricsLine is what lines of -metrics have in common.
type metricsLine struct {
	Kind  string `json:"kind"` // "run", "steps" or "epoch"
	Step  int64  `json:"step"`
	Epoch int    `json:"epoch"`
}

// belongs says whether a line is about what a run had done that goes on from p.
func belongs(line []byte, p train.Progress) bool {
	var l metricsLine
	if json.Unmarshal(line, &l) != nil {
		return false
	}
	return l.Step <= p.Steps && (l.Kind != "epoch" || l.Epoch <= p.Epoch)
}

// open makes the files for a run that begins or, when resumed is not nil, goes on.
func (r records) open(resumed *train.Progress) (_ *recorder, err error) {
	var w recorder
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	if r.metrics != "" {
		if resumed == nil {
			w.metrics, err = metrics.Create(r.metrics)
		} else {
			w.metrics, err = metrics.Continue(r.metrics, func(line []byte) bool { return belongs(line, *resumed) })
		}
		if err != nil {
			return nil, fmt.Errorf("-metrics: %w", err)
		}
	}
	if r.tensorboard != "" {
		if w.board, err = tensorboard.Create(r.tensorboard); err != nil {
			return nil, fmt.Errorf("-tensorboard: %w", err)
		}
		if resumed != nil {
			err = w.board.Restart(resumed.Steps + 1)
		}
	}
	return &w, err
}

// begin records what is going to be trained.
func (w *recorder) begin(c config, description string, p train.Progress) error {
	settings, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(w.line(struct {
		metricsLine
		Program string `json:"program"`
		Config  config `json:"config"`
	}{metricsLine{"run", p.Steps, p.Epoch}, description, c}),
		w.text(p.Steps, "config", description+"\n\n```\n"+string(settings)+"\n```\n"))
}

func (w *recorder) line(x any) error {
	if w.metrics == nil {
		return nil
	}
	return w.metrics.Write(x)
}

func (w *recorder) scalars(step int64, s ...tensorboard.Scalar) error {
	if w.board == nil {
		return nil
	}
	return w.board.Scalars(step, s...)
}

func (w *recorder) text(step int64, tag, text string) error {
	if w.board == nil {
		return nil
	}
	return w.board.Text(step, tag, text)
}

// windowSteps is how many steps are recorded together: single mini-batches say little.
const windowSteps = 50

// window sums what happened since something was recorded.
type window struct {
	steps, examples int
	loss, norm      float64
}

// step records a step, as soon as its window is full or the epoch ends with it.
func (w *recorder) step(s train.StepStats, epoch int, last bool) error {
	w.window.steps++
	w.window.examples += s.Examples
	w.window.loss += s.Loss
	w.window.norm += s.Norm
	if s.Step%windowSteps != 0 && !last {
		return nil
	}
	sum := w.window
	w.window = window{}
	loss, norm := sum.loss/float64(sum.examples), sum.norm/float64(sum.steps)
	return errors.Join(w.line(struct {
		metricsLine
		Steps int     `json:"steps"`
		Loss  float64 `json:"loss"`
		Norm  float64 `json:"norm"`
	}{metricsLine{"steps", s.Step, epoch}, sum.steps, loss, norm}),
		w.scalars(s.Step, tensorboard.Scalar{Tag: "train/loss", Value: loss}, tensorboard.Scalar{Tag: "train/gradient_norm", Value: norm}))
}

// epoch records the end of an epoch.
func (w *recorder) epoch(e epochRecord, treesPerSecond float64) error {
	scalars := []tensorboard.Scalar{
		{Tag: "epoch/loss", Value: e.Loss}, {Tag: "epoch/trees_per_second", Value: treesPerSecond},
		{Tag: "dev/loss", Value: e.Dev.Loss}, {Tag: "dev/root", Value: e.Dev.Root}, {Tag: "dev/nodes", Value: e.Dev.Nodes},
	}
	if e.Dev.BinaryRoot != nil {
		scalars = append(scalars, tensorboard.Scalar{Tag: "dev/binary_root", Value: *e.Dev.BinaryRoot},
			tensorboard.Scalar{Tag: "dev/binary_nodes", Value: *e.Dev.BinaryNodes})
	}
	return errors.Join(w.line(struct {
		Kind string `json:"kind"`
		epochRecord
		Rate float64 `json:"trees_per_second"`
	}{"epoch", e, math.Round(10*treesPerSecond) / 10}), w.scalars(e.Step, scalars...))
}

// close closes the files.
func (w *recorder) close() error {
	var errs []error
	if w.metrics != nil {
		errs = append(errs, w.metrics.Close())
	}
	if w.board != nil {
		errs = append(errs, w.board.Close())
	}
	return errors.Join(errs...)
}
