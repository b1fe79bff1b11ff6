package exec

import "time"

// chains follows what depends on what. Per frame and stage it counts the longest
// chain of executions of that stage that led to the frame: the longest chain of a
// stage is the least number of batches in which the stage can be executed. Per frame
// it also knows the longest chain of executions of any stage, by number and by time;
// an execution takes an equal share of its batch.
type chains struct {
	x       *engine
	of      map[int32][]int32
	span    map[int32]chain // per frame
	longest []int32
	counted int64   // of the lower bound, by take
	spans   []chain // per root
	work    chain   // all executions, since take
}

// chain is a number of executions and the time that they took.
type chain struct {
	length int64
	time   time.Duration
}

// join makes c the longer of two chains, by each measure.
func (c *chain) join(o chain) {
	c.length = max(c.length, o.length)
	c.time = max(c.time, o.time)
}

func (c *chain) add(o chain) {
	c.length += o.length
	c.time += o.time
}

func newChains(x *engine) *chains {
	return &chains{x: x, of: map[int32][]int32{}, span: map[int32]chain{}, longest: make([]int32, len(x.plan.stages))}
}

func (c *chains) reset() {
	clear(c.of)
	clear(c.span)
	clear(c.longest)
	c.counted, c.spans = 0, c.spans[:0]
}

func (c *chains) frame(f int32) []int32 {
	v := c.of[f]
	if v == nil {
		v = make([]int32, len(c.longest))
		c.of[f] = v
	}
	return v
}

// stage notes that the batch in execution, of the stage, ran.
func (c *chains) stage(st *stage, frames []int32) {
	one := chain{1, time.Since(c.x.began) / time.Duration(len(frames))}
	for _, f := range frames {
		v := c.frame(f)
		v[st.id]++
		c.longest[st.id] = max(c.longest[st.id], v[st.id])
		s := c.span[f]
		s.add(one)
		c.span[f] = s
		c.work.add(one)
		r := int(c.x.mem[f+hRoot])
		for len(c.spans) <= r {
			c.spans = append(c.spans, chain{})
		}
		c.spans[r].join(s)
	}
}

// child starts the chains of an invoked frame with those of its caller.
func (c *chains) child(caller, f int32) {
	c.of[f] = append(c.of[f][:0], c.frame(caller)...)
	c.span[f] = c.span[caller]
}

// answer joins the chains of a frame into its caller's.
func (c *chains) answer(f, caller int32) {
	if caller == noFrame {
		return
	}
	v := c.frame(caller)
	for i, n := range c.frame(f) {
		v[i] = max(v[i], n)
	}
	s := c.span[caller]
	s.join(c.span[f])
	c.span[caller] = s
}

func (c *chains) drop(f int32) {
	delete(c.of, f)
	delete(c.span, f)
}

// take returns by how much the sum of the longest chains has grown, and the work done,
// since it was called last.
func (c *chains) take() (lowerBound int64, work chain) {
	for _, n := range c.longest {
		lowerBound += int64(n)
	}
	lowerBound, c.counted = lowerBound-c.counted, lowerBound
	work, c.work = c.work, chain{}
	return lowerBound, work
}

// takeSpan returns the longest chain of a root and forgets it: its number may be used
// again.
func (c *chains) takeSpan(root int32) (span chain) {
	if int(root) < len(c.spans) {
		span, c.spans[root] = c.spans[root], chain{}
	}
	return span
}
