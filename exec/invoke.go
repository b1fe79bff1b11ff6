package exec

import (
	"fmt"

	"github.com/frondml/frond/exec/internal/callkey"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// startCalls creates the frames that one call site invokes.
func (x *engine) startCalls(c *callCode, frames []int32) {
	if c.site.op.Mode() == recursion.Each {
		for j, f := range frames {
			x.startEach(c, j, f)
		}
		return
	}
	selects := c.site.op.Mode() == recursion.Select
	for j, f := range frames {
		callee := c.site.callees[0]
		if selects {
			var ok bool
			if callee, ok = x.selected(c, j, f); !ok {
				continue
			}
		}
		h, ok := x.invoke(callee, c.site, f, 0)
		if !ok {
			continue
		}
		args := x.mem[int(h)+headerWords:]
		for k, a := range c.args {
			args[k] = x.word(a, j, f)
		}
		x.push(callee.stages[0], h)
	}
}

// selected returns the callee that the selector names: 0 for true, 1 for false,
// or by number.
func (x *engine) selected(c *callCode, j int, f int32) (*subPlan, bool) {
	i := int(x.word(c.selector, j, f))
	if c.site.isBool {
		i = 1 - i
	}
	if i < 0 || i >= len(c.site.callees) {
		r := x.mem[f+hRoot]
		x.fail(r, &RunError{Path: x.path(f), Op: c.site.op.Name(), Pos: c.site.node.Pos, Root: x.roots[r].index,
			Err: fmt.Errorf("%w: case %d, %d cases", ops.ErrIndex, i, len(c.site.callees))})
		return nil, false
	}
	return c.site.callees[i], true
}

// invoke makes a frame for a callee of frame f. It reports false when the run of
// f's root has ended.
func (x *engine) invoke(callee *subPlan, site *callSite, f int32, elem int) (int32, bool) {
	r := x.mem[f+hRoot]
	if x.failed > 0 && x.roots[r].err != nil {
		return 0, false
	}
	depth := x.mem[f+hDepth]
	if !callee.branch {
		depth++
	}
	if int(depth) > x.opts.MaxDepth {
		x.fail(r, &RunError{Path: x.path(f), Root: x.roots[r].index, Err: fmt.Errorf("%w: more than %d calls on one path", ErrDepth, x.opts.MaxDepth)})
		return 0, false
	}
	h, err := x.newFrame(callee)
	if err != nil {
		x.fail(r, &RunError{Path: x.path(f), Root: x.roots[r].index, Err: err})
		return 0, false
	}
	from, m := x.mem[f:f+headerWords], x.mem[h:h+headerWords]
	if site.tail {
		m[hParent], m[hSlot], m[hElem] = from[hParent], from[hSlot], from[hElem]
	} else {
		m[hParent], m[hSlot], m[hElem] = f, int32(site.slot), int32(elem)
	}
	m[hRoot], m[hDepth] = r, depth
	x.roots[r].live++
	if x.plan.keyed {
		m[hKey] = int32(callkey.Child(uint32(from[hKey]), site.slot, elem))
	}
	if x.chains != nil {
		x.chains.child(f, h)
	}
	return h, true
}

// startEach invokes the callee once per element of the lists of frame f.
func (x *engine) startEach(c *callCode, j int, f int32) {
	site := c.site
	mapped := site.op.Mapped()
	n := len(x.lists.Get(x.word(c.args[0], j, f)))
	for k := 1; k < mapped; k++ {
		if m := len(x.lists.Get(x.word(c.args[k], j, f))); m != n {
			r := x.mem[f+hRoot]
			x.fail(r, &RunError{Path: x.path(f), Op: "map", Pos: site.node.Pos, Root: x.roots[r].index,
				Err: fmt.Errorf("%w: list 0 has %d elements, list %d has %d", ops.ErrLength, n, k, m)})
			return
		}
	}
	for k := range site.node.Out {
		h, _ := x.lists.New(n)
		x.mem[int(f)+site.results+k] = h
	}
	if err := x.lists.failure(); err != nil {
		r := x.mem[f+hRoot]
		x.fail(r, &RunError{Path: x.path(f), Op: "map", Pos: site.node.Pos, Root: x.roots[r].index, Err: err})
		return
	}
	x.mem[int(f)+site.pending] = int32(n)
	if n == 0 {
		x.answered(site, f)
		return
	}
	for e := range n {
		h, ok := x.invoke(site.callees[0], site, f, e)
		if !ok {
			return
		}
		args := x.mem[int(h)+headerWords:]
		for k, a := range c.args {
			w := x.word(a, j, f)
			if k < mapped {
				w = x.lists.Get(w)[e]
			}
			args[k] = w
		}
		x.push(site.callees[0].stages[0], h)
	}
}
