package exec_test

import (
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/internal/golden"
	"github.com/frondml/frond/ops"
)

func inputsOf(examples []golden.Example) [][]exec.Array {
	inputs := make([][]exec.Array, len(examples))
	for i, e := range examples {
		for _, x := range e.Inputs {
			inputs[i] = append(inputs[i], arrayOf(x))
		}
	}
	return inputs
}

func arrayOf(x *ops.Tensor) exec.Array {
	if x.DType.IsFloat() {
		return exec.Array{Shape: x.Shape, F: float32s(x.F)}
	}
	return exec.Array{Shape: x.Shape, I: x.I}
}

// outcome is what a run with gradients gave for input i.
func outcome(r *exec.Result, i int) golden.Outcome {
	o := golden.Outcome{Loss: r.Losses[i], Output: float64s(r.Outputs[i][0].F), Tables: map[string][]golden.Row{}}
	o.InputGradient = float64s(r.InputGrads[i][0].F)
	for name, t := range r.Tables[i] {
		o.Tables[name] = rowsOf(t)
	}
	return o
}

func rowsOf(t *exec.Table) []golden.Row {
	rows := make([]golden.Row, len(t.Keys))
	for j, key := range t.Keys {
		rows[j].Key = key
		if t.Values != nil {
			rows[j].Value = float64s(t.Row(j))
			continue
		}
		for _, x := range t.Ints[j*t.Width : (j+1)*t.Width] {
			rows[j].Value = append(rows[j].Value, float64(x))
		}
	}
	return rows
}

func float32s(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

func float64s(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}
