package train

import (
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/internal/kernel"
)

// SGD is stochastic gradient descent, with heavy-ball momentum if Momentum is not 0:
//
//	v = Momentum*v + g
//	w -= LearningRate*v
//
// where v starts with zeros and g includes L2*w.
type SGD struct {
	LearningRate float64 `json:"learning_rate"`
	Momentum     float64 `json:"momentum"` // 0 <= Momentum < 1; fixed once training has begun
	L2           float64 `json:"l2"`       // the loss includes L2/2*w² for every weight
	LazyRows     bool    `json:"lazy_rows"`

	slots slots
}

var _ DeviceOptimizer = (*SGD)(nil)

// NewSGD returns gradient descent without momentum.
func NewSGD(learningRate float64) *SGD { return &SGD{LearningRate: learningRate} }

// Name is sgd.
func (o *SGD) Name() string { return "sgd" }

func (o *SGD) check() error {
	return checkSettings("sgd", notNegative("LearningRate", o.LearningRate), fraction("Momentum", o.Momentum), notNegative("L2", o.L2))
}

// Step implements Optimizer.
func (o *SGD) Step(params *exec.Parameters, grads *exec.Gradients) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.slots.apply(params, grads, o.rule())
}

// StepOnDevice implements DeviceOptimizer.
func (o *SGD) StepOnDevice(grads *exec.DeviceGradients) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.slots.applyOnDevice(grads, o.rule())
}

func (o *SGD) rule() rule {
	rate, decay := float32(o.LearningRate), float32(o.Momentum)
	if o.Momentum == 0 {
		return rule{
			l2: o.L2, everyRow: o.L2 != 0 && !o.LazyRows,
			update: func(w, g []float32, _ slotArrays) { kernel.SGD(w, g, rate) },
			device: device.SGD, coefficients: [6]float32{rate},
		}
	}
	return rule{
		slots: 1, l2: o.L2, everyRow: !o.LazyRows,
		update: func(w, g []float32, s slotArrays) { kernel.Momentum(w, s[0], g, rate, decay) },
		device: device.Momentum, coefficients: [6]float32{rate, decay},
	}
}

// Release implements DeviceOptimizer.
func (o *SGD) Release() error { return o.slots.release() }

// Self implements DeviceOptimizer.
func (o *SGD) Self() Optimizer { return o }

func (o *SGD) names() []string {
	if o.Momentum == 0 {
		return nil
	}
	return []string{"momentum"}
}

// State implements Optimizer.
func (o *SGD) State(p *exec.Parameters) (State, error) { return o.slots.state(p, o.names()) }

// Restore implements Optimizer.
func (o *SGD) Restore(p *exec.Parameters, s State) error { return o.slots.restore(p, s, o.names()) }
