package main

import (
	"errors"
	"fmt"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/train/safetensors"
)

// matrix is a tensor of a state_dict, row-major; a vector is a single column.
type matrix struct {
	rows, cols int
	data       []float32
}

// load sets the variables of models.NewTreeLSTM from the state_dict of the class
// TreeLSTM in treelstm.py. The equations are the same; four things are written down
// in another way:
//
//   - LSTMCell computes the gates i f g o of a leaf. At a leaf nothing is there to be
//     forgotten, so f and weight_hh have no effect; g is called u.
//   - LSTMCell has two biases, which are added.
//   - weight_left and weight_right are used as h @ w, that is, they are transposed;
//     U is both side by side.
//   - The gates of an inner node are i fl fr g o there and i fl fr o u here.
func load(r *safetensors.Reader, p *exec.Parameters) error {
	f := file{r: r}
	leafGates, innerGates := []int{0, 3, 2}, []int{0, 1, 2, 4, 3}
	values := map[string]matrix{
		"E":  f.read("embedding.weight"),
		"W":  f.read("leaf.weight_ih").blocks(4, leafGates),
		"bW": f.read("leaf.bias_ih").plus(f.read("leaf.bias_hh")).blocks(4, leafGates),
		"U":  f.read("weight_left").transposed().beside(f.read("weight_right").transposed()).blocks(5, innerGates),
		"bU": f.read("bias").blocks(5, innerGates),
		"Ws": f.read("classifier.weight"),
		"bs": f.read("classifier.bias"),
	}
	if err := errors.Join(f.errs...); err != nil {
		return err
	}
	for _, v := range p.Program().Variables {
		value, ok := values[v.Name]
		if !ok {
			return fmt.Errorf("variable %s: nothing in the file is meant for it", v.Name)
		}
		if err := p.Set(v, value.data); err != nil {
			return err
		}
	}
	return nil
}

// file reads tensors and keeps the errors.
type file struct {
	r    *safetensors.Reader
	errs []error
}

func (f *file) read(name string) matrix {
	info, _ := f.r.Info(name)
	m := matrix{rows: 1, cols: 1, data: make([]float32, info.Len())}
	if len(info.Shape) > 0 {
		m.rows = info.Shape[0]
	}
	if len(info.Shape) > 1 {
		m.cols = info.Shape[1]
	}
	if err := f.r.ReadAsF32(name, m.data); err != nil {
		f.errs = append(f.errs, err)
		return matrix{}
	}
	return m
}

// blocks cuts the rows into n blocks of equal height and returns some of them, one
// below the other, in the given order.
func (m matrix) blocks(n int, order []int) matrix {
	size := len(m.data) / n
	out := matrix{rows: m.rows / n * len(order), cols: m.cols}
	for _, b := range order {
		out.data = append(out.data, m.data[b*size:(b+1)*size]...)
	}
	return out
}

// plus adds two tensors of one shape.
func (m matrix) plus(o matrix) matrix {
	out := matrix{m.rows, m.cols, make([]float32, len(m.data))}
	for i := range out.data {
		out.data[i] = m.data[i] + o.data[i]
	}
	return out
}

func (m matrix) transposed() matrix {
	out := matrix{m.cols, m.rows, make([]float32, len(m.data))}
	for i := range m.rows {
		for j := range m.cols {
			out.data[j*m.rows+i] = m.data[i*m.cols+j]
		}
	}
	return out
}

// beside puts o to the right of m.
func (m matrix) beside(o matrix) matrix {
	out := matrix{rows: m.rows, cols: m.cols + o.cols}
	for i := range m.rows {
		out.data = append(out.data, m.data[i*m.cols:(i+1)*m.cols]...)
		out.data = append(out.data, o.data[i*o.cols:(i+1)*o.cols]...)
	}
	return out
}
