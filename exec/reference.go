package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/frondml/frond/exec/internal/reference"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// runReference executes the inputs one after another with the reference
// interpreter.
func (s *Session) runReference(ctx context.Context, g *graph.Graph, inputs [][]Array, o GradOptions, grad bool) (*Result, error) {
	vars := map[*graph.Variable]*ops.Tensor{}
	for _, v := range s.prog.Variables {
		vars[v] = toTensor(&Array{Shape: v.Type.Shape, F: s.params.rowMajor(v)}, v.Type)
	}
	total := map[*graph.Variable]*ops.Tensor{}
	res := newResult(len(inputs))
	if grad {
		res.InputGrads = make([][]Array, len(inputs))
	}
	opts := reference.Options{Float32: !s.opts.Float64, MaxDepth: s.opts.MaxDepth, Seed: o.Seed}
	for i, in := range inputs {
		req := reference.Request{Graph: g, Vars: vars, Grad: grad, Key: o.Key + uint32(i)}
		for k := range in {
			req.Inputs = append(req.Inputs, toTensor(&in[k], g.In[k]))
		}
		if o.Cotangents != nil {
			for k := range o.Cotangents[i] {
				req.Cotangents = append(req.Cotangents, cotangent(&o.Cotangents[i][k], g.Out[k]))
			}
		}
		r, err := interpret(ctx, opts, req)
		if err != nil {
			res.errs[i] = referenceError(i, err)
			continue
		}
		s.takeReference(res, i, r)
		for v, t := range r.VarGrads {
			if total[v] == nil {
				total[v] = t.Clone()
				continue
			}
			for k, x := range t.F {
				total[v].F[k] += x
			}
		}
	}
	for _, l := range res.Losses {
		res.Loss += l
	}
	if err := errors.Join(res.errs...); err != nil || !grad {
		return res, err
	}
	res.Gradients = referenceGradients(s.params, total)
	return res, nil
}

// interpret runs the interpreter; a panic of an operator becomes an error.
func interpret(ctx context.Context, o reference.Options, r reference.Request) (res *reference.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrPanic, p)
		}
	}()
	return reference.Run(ctx, o, r)
}

// referenceError gives the interpreter's errors the form of the executor's.
func referenceError(i int, err error) error {
	if re, ok := errors.AsType[*reference.RunError](err); ok {
		return &RunError{Path: re.Path, Op: re.Op, Pos: re.Pos, Root: i, Err: re.Err}
	}
	return err
}

func (s *Session) takeReference(res *Result, i int, r *reference.Result) {
	res.Losses[i] = r.Loss
	for _, t := range r.Results {
		res.Outputs[i] = append(res.Outputs[i], fromTensor(t))
	}
	for _, t := range r.InputGrads {
		a := Array{}
		if t != nil {
			a = fromTensor(t)
		}
		res.InputGrads[i] = append(res.InputGrads[i], a)
	}
	if len(r.Tables) > 0 {
		res.Tables[i] = map[string]*Table{}
	}
	for name, rows := range r.Tables {
		t := &Table{}
		for _, row := range rows {
			a := fromTensor(row.Value)
			t.Keys = append(t.Keys, row.Key)
			t.Values, t.Ints = append(t.Values, a.F...), append(t.Ints, a.I...)
			t.Width = row.Value.Len()
		}
		res.Tables[i][name] = t
	}
}

func referenceGradients(p *Parameters, total map[*graph.Variable]*ops.Tensor) *Gradients {
	g := &Gradients{workers: 1}
	for _, v := range p.prog.Variables {
		q := Gradient{Variable: v, layout: p.Layout(v)}
		if t := total[v]; t != nil {
			q.Dense = q.layout.fromRowMajor(fromTensor(t).F)
		}
		g.vars = append(g.vars, q)
	}
	return g
}

func cotangent(a *Array, t graph.Type) *ops.Tensor {
	if len(a.F) == 0 {
		return nil
	}
	return toTensor(a, t)
}

func toTensor(a *Array, t graph.Type) *ops.Tensor {
	q := &ops.Tensor{DType: t.DType, Shape: slices.Clone(a.Shape), I: a.I}
	if t.DType.IsFloat() {
		q.F = make([]float64, len(a.F))
		for i, x := range a.F {
			q.F[i] = float64(x)
		}
	}
	return q
}

func fromTensor(t *ops.Tensor) Array {
	a := Array{Shape: slices.Clone(t.Shape)}
	if !t.DType.IsFloat() {
		a.I = append([]int32{}, t.I...)
		return a
	}
	a.F = make([]float32, len(t.F))
	for i, x := range t.F {
		a.F[i] = float32(x)
	}
	return a
}
