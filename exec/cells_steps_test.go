package exec

import (
	"fmt"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// step applies a few operators.
func (c *cells) step() {
	if c.steps == 0 {
		return
	}
	c.steps--
	kinds := []struct {
		weight int
		apply  func()
	}{
		{6, c.product}, {4, c.gates}, {7, c.combine}, {4, c.cut}, {3, c.rows}, {2, c.report},
		{2, c.branch}, {3, c.overLists}, {3, c.invoke}, {1, c.mapList},
		{5, func() { c.add(c.unary(c.vector())) }},
		{2, func() { c.add(ops.Add(ops.Mul(c.vector(), c.m.Float(0.5)), c.m.Float(0.1))) }},
	}
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	r := c.rng.IntN(total)
	for _, k := range kinds {
		if r -= k.weight; r < 0 {
			k.apply()
			return
		}
	}
}

func width(v graph.Value) int { s := v.Type().Shape; return s[len(s)-1] }

func (c *cells) add(vs ...graph.Value) { c.pool = append(c.pool, vs...) }

func (c *cells) heads() bool { return c.rng.IntN(2) == 0 }

// vector draws one, mostly a recent one.
func (c *cells) vector() graph.Value {
	k := len(c.pool)
	if c.heads() {
		return c.pool[k-1-c.rng.IntN(min(k, 3))]
	}
	return c.pool[c.rng.IntN(k)]
}

// variable draws one of the given extents, or makes it.
func (c *cells) variable(dims ...int) graph.Value {
	for _, v := range c.vars {
		if v.Type().Equal(graph.T(graph.Float32, dims...)) && c.rng.IntN(3) > 0 {
			return v
		}
	}
	v := c.m.Var(fmt.Sprintf("v%d", len(c.vars)), graph.F32(dims...), graph.Uniform(0.25))
	if c.rng.IntN(12) == 0 {
		c.m.Freeze(v)
	}
	c.vars = append(c.vars, v)
	return v
}

// like draws a vector as wide as x.
func (c *cells) like(x graph.Value) graph.Value {
	switch c.rng.IntN(12) {
	case 0:
		return c.variable(width(x))
	case 1:
		return c.m.Floats(c.floats(width(x)), width(x))
	}
	for range 6 {
		if y := c.vector(); width(y) == width(x) {
			return y
		}
	}
	return c.fit(c.vector(), width(x))
}

// fit makes a vector of width n of x.
func (c *cells) fit(x graph.Value, n int) graph.Value {
	switch k := width(x); {
	case k == n:
		return x
	case k > n && c.heads():
		return ops.Slice(x, 0, k-n, k)
	}
	return ops.MatVec(c.variable(n, width(x)), x)
}

func (c *cells) plus(x, y graph.Value) graph.Value {
	if c.heads() {
		x, y = y, x
	}
	return ops.Add(x, y)
}

func (c *cells) times(n int, x graph.Value) graph.Value {
	return ops.MatVec(c.variable(n, width(x)), x)
}

// product makes a product, with others, biases and vectors added.
func (c *cells) product() {
	n := c.unit * (1 + c.rng.IntN(4))
	y := c.times(n, c.vector())
	for range c.rng.IntN(3) {
		switch c.rng.IntN(4) {
		case 0, 1:
			y = c.plus(y, c.times(n, c.vector()))
		case 2:
			y = c.plus(y, c.variable(n))
		case 3:
			y = c.plus(y, c.like(y))
		}
	}
	c.add(y)
}

// gates makes sums of products of the same one or two operands.
func (c *cells) gates() {
	x, h := c.vector(), c.vector()
	n := c.unit * (1 + c.rng.IntN(2))
	two := c.heads()
	for range 2 + c.rng.IntN(3) {
		y := c.times(n, x)
		if two {
			y = c.plus(y, c.times(n, h))
		}
		if c.heads() {
			y = c.plus(y, c.variable(n))
		}
		if c.heads() {
			y = c.unary(y)
		}
		c.add(y)
	}
}

func (c *cells) unary(x graph.Value) graph.Value {
	switch c.rng.IntN(8) {
	case 0:
		return ops.Tanh(x)
	case 1:
		return ops.Relu(x)
	case 2:
		return ops.Square(ops.Tanh(x))
	case 3:
		return ops.Neg(x)
	case 4:
		return ops.AddScalar(ops.MulScalar(x, 0.5), 0.25)
	case 5:
		return ops.Sub(c.m.Float(1), x)
	}
	return ops.Sigmoid(x)
}

func (c *cells) binary(x, y graph.Value) graph.Value {
	switch c.rng.IntN(7) {
	case 0, 1, 2:
		return ops.Mul(x, y)
	case 3, 4:
		return ops.Add(x, y)
	case 5:
		return ops.Sub(x, y)
	}
	return ops.Maximum(x, y)
}

func (c *cells) combine() {
	x := c.vector()
	if y := c.vector(); c.rng.IntN(4) == 0 && width(x)+width(y) <= 6*c.unit {
		c.add(ops.Concat(x, y))
		return
	}
	c.add(c.binary(x, c.like(x)))
}

// cut takes parts of a vector that lie side by side, or may overlap.
func (c *cells) cut() {
	x := c.vector()
	n := width(x)
	var parts []graph.Value
	switch {
	case n <= c.unit:
		return
	case n%c.unit == 0 && c.heads():
		parts = ops.Split(x, n/c.unit)
	default:
		for range 2 {
			from := c.rng.IntN(n - c.unit)
			parts = append(parts, ops.Slice(x, 0, from, from+c.unit))
		}
	}
	for _, v := range parts {
		if c.heads() {
			v = c.unary(v)
		}
		c.add(v)
	}
}

// rows applies operators that are not element-wise, and some on matrices.
func (c *cells) rows() {
	x := c.vector()
	switch c.rng.IntN(5) {
	case 0:
		c.add(ops.LayerNorm(x, c.variable(width(x)), c.variable(width(x)), 1e-3))
	case 1:
		c.add(ops.Mul(ops.Tanh(ops.Mean(x)), c.vector()))
	case 2:
		c.add(ops.Dropout(x, 0.3))
	case 3:
		c.add(ops.Clip(ops.Div(x, ops.AddScalar(ops.Square(c.like(x)), 1)), -3, 3))
	case 4:
		x = ops.Stack(c.fit(x, c.unit), c.fit(c.vector(), c.unit))
		if c.heads() {
			x = ops.Add(ops.MatMulT(c.unary(x), c.variable(c.unit, c.unit)), c.variable(c.unit))
		}
		c.add(ops.At(x, ops.Mod(c.n, c.m.Int(2))), ops.Reshape(x, 2*c.unit), c.unary(ops.Sum(x, 0)))
	}
}

// report applies sinks.
func (c *cells) report() {
	x := c.vector()
	switch c.rng.IntN(3) {
	case 0:
		recursion.Loss(ops.MulScalar(ops.Sum(ops.Tanh(x)), 0.1))
	case 1:
		recursion.Loss(ops.MulScalar(ops.Dot(x, c.like(x)), 0.02))
	case 2:
		recursion.Collect("table", c.n, c.fit(x, c.unit))
	}
}

func (c *cells) branch() {
	if c.level > 2 {
		return
	}
	like := []graph.Value{graph.F32(c.unit * (1 + c.rng.IntN(2)))}
	side := func() []graph.Value { return c.body(c.rng.IntN(5), like) }
	c.add(recursion.If(ops.Less(ops.Mod(c.n, c.m.Int(3)), c.m.Int(1)), side, side)...)
}

func (c *cells) invoke() {
	if c.self == nil || c.calls == 0 {
		return
	}
	c.calls--
	h, x := ops.Tanh(c.fit(c.vector(), 2*c.unit)), ops.Tanh(c.fit(c.vector(), c.unit))
	c.add(c.self.Invoke([]graph.Value{ops.Sub(c.n, c.m.Int(1)), h, x})...)
}

func (c *cells) list() graph.Value { return c.lists[c.rng.IntN(len(c.lists))] }

// overLists applies operators to all elements of lists, or sums them.
func (c *cells) overLists() {
	x := c.list()
	switch c.rng.IntN(6) {
	case 0:
		c.lists = append(c.lists, c.unary(x))
	case 1:
		c.lists = append(c.lists, c.binary(x, c.fit(c.vector(), width(x))))
	case 2:
		c.add(ops.Tanh(ops.Sum(x, 0)))
	case 3:
		if width(x)%c.unit == 0 {
			c.lists = append(c.lists, ops.Split(x, width(x)/c.unit)...)
		}
	default:
		n := c.unit * (1 + c.rng.IntN(3))
		y := c.plus(ops.MatMulT(x, c.variable(n, width(x))), c.variable(n))
		if c.heads() {
			y = ops.Add(y, c.fit(c.vector(), n))
		}
		c.lists = append(c.lists, y)
	}
}

func (c *cells) mapList() {
	if c.level > 2 {
		return
	}
	c.lists = append(c.lists, recursion.Map(c.list(), func(x graph.Value) graph.Value {
		return c.body(c.rng.IntN(4), []graph.Value{graph.F32(c.unit)}, x)[0]
	}))
}
