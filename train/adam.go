package train

import (
	"math"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/internal/kernel"
)

// Adam follows running means of the gradient and of its square (Kingma and Ba 2015,
// algorithm 1). In step t = 1, 2, ...
//
//	mean = Beta1*mean + (1-Beta1)*g
//	square = Beta2*square + (1-Beta2)*g²
//	w -= LearningRate * (mean/(1-Beta1^t)) / (sqrt(square/(1-Beta2^t))+Epsilon)
//
// where mean and square start with zeros and g includes L2*w. With LazyRows the means
// of a row do not decay in steps that do not use it, while t counts all steps.
type Adam struct {
	LearningRate float64 `json:"learning_rate"`
	Beta1        float64 `json:"beta1"` // 0 <= Beta1 < 1
	Beta2        float64 `json:"beta2"` // 0 <= Beta2 < 1
	Epsilon      float64 `json:"epsilon"`
	L2           float64 `json:"l2"` // the loss includes L2/2*w² for every weight
	LazyRows     bool    `json:"lazy_rows"`

	slots slots
}

var _ DeviceOptimizer = (*Adam)(nil)

var adamSlots = []string{"mean", "square"}

// NewAdam returns Adam with the settings that its authors recommend: Beta1 0.9, Beta2
// 0.999, Epsilon 1e-8.
func NewAdam(learningRate float64) *Adam {
	return &Adam{LearningRate: learningRate, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
}

// Name is adam.
func (o *Adam) Name() string { return "adam" }

func (o *Adam) check() error {
	return checkSettings("adam", notNegative("LearningRate", o.LearningRate), fraction("Beta1", o.Beta1), fraction("Beta2", o.Beta2),
		positive("Epsilon", o.Epsilon), notNegative("L2", o.L2))
}

// Step implements Optimizer.
func (o *Adam) Step(params *exec.Parameters, grads *exec.Gradients) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.slots.apply(params, grads, o.rule())
}

// StepOnDevice implements DeviceOptimizer.
func (o *Adam) StepOnDevice(grads *exec.DeviceGradients) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.slots.applyOnDevice(grads, o.rule())
}

func (o *Adam) rule() rule {
	step := kernel.AdamStep{
		Rate: float32(o.LearningRate), Beta1: float32(o.Beta1), Beta2: float32(o.Beta2), Eps: float32(o.Epsilon),
		Correct1: correction(o.Beta1, o.slots.steps+1), Correct2: correction(o.Beta2, o.slots.steps+1),
	}
	return rule{
		slots: len(adamSlots), l2: o.L2, everyRow: !o.LazyRows,
		update: func(w, g []float32, s slotArrays) { kernel.Adam(w, s[0], s[1], g, step) },
		device: device.Adam, coefficients: [6]float32{step.Rate, step.Beta1, step.Beta2, step.Eps, step.Correct1, step.Correct2},
	}
}

// correction undoes the bias of a mean that started with zero. It counts on the beta
// that the update uses, which is rounded: near 1 the difference shows.
func correction(beta float64, t int64) float32 {
	return float32(1 / (1 - math.Pow(float64(float32(beta)), float64(t))))
}

// Release implements DeviceOptimizer.
func (o *Adam) Release() error { return o.slots.release() }

// Self implements DeviceOptimizer.
func (o *Adam) Self() Optimizer { return o }

// State implements Optimizer.
func (o *Adam) State(p *exec.Parameters) (State, error) { return o.slots.state(p, adamSlots) }

// Restore implements Optimizer.
func (o *Adam) Restore(p *exec.Parameters, s State) error { return o.slots.restore(p, s, adamSlots) }
