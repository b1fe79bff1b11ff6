package train

import (
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/internal/kernel"
)

// Adagrad divides the rate of each weight by the root of the sum of its squared
// gradients (Duchi, Hazan, Singer 2011):
//
//	sum += g²
//	w -= LearningRate*g / (sqrt(sum)+Epsilon)
//
// where sum starts with zeros and g includes L2*w.
type Adagrad struct {
	LearningRate float64 `json:"learning_rate"`
	Epsilon      float64 `json:"epsilon"`
	L2           float64 `json:"l2"` // the loss includes L2/2*w² for every weight
	LazyRows     bool    `json:"lazy_rows"`

	slots slots
}

var _ DeviceOptimizer = (*Adagrad)(nil)

var adagradSlots = []string{"sum"}

// NewAdagrad returns Adagrad with Epsilon 1e-8.
func NewAdagrad(learningRate float64) *Adagrad {
	return &Adagrad{LearningRate: learningRate, Epsilon: 1e-8}
}

// Name is adagrad.
func (o *Adagrad) Name() string { return "adagrad" }

func (o *Adagrad) check() error {
	return checkSettings("adagrad", notNegative("LearningRate", o.LearningRate), positive("Epsilon", o.Epsilon), notNegative("L2", o.L2))
}

// Step implements Optimizer.
func (o *Adagrad) Step(params *exec.Parameters, grads *exec.Gradients) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.slots.apply(params, grads, o.rule())
}

// StepOnDevice implements DeviceOptimizer.
func (o *Adagrad) StepOnDevice(grads *exec.DeviceGradients) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.slots.applyOnDevice(grads, o.rule())
}

func (o *Adagrad) rule() rule {
	rate, epsilon := float32(o.LearningRate), float32(o.Epsilon)
	return rule{
		slots: len(adagradSlots), l2: o.L2, everyRow: o.L2 != 0 && !o.LazyRows,
		update: func(w, g []float32, s slotArrays) { kernel.Adagrad(w, s[0], g, rate, epsilon) },
		device: device.Adagrad, coefficients: [6]float32{rate, epsilon},
	}
}

// Release implements DeviceOptimizer.
func (o *Adagrad) Release() error { return o.slots.release() }

// Self implements DeviceOptimizer.
func (o *Adagrad) Self() Optimizer { return o }

// State implements Optimizer.
func (o *Adagrad) State(p *exec.Parameters) (State, error) { return o.slots.state(p, adagradSlots) }

// Restore implements Optimizer.
func (o *Adagrad) Restore(p *exec.Parameters, s State) error {
	return o.slots.restore(p, s, adagradSlots)
}
