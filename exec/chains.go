package exec

// chains counts, per frame and stage, the longest chain of executions of that
// stage that led to the frame. The longest chain of a stage is the least number
// of batches in which the stage can be executed.
type chains struct {
	of      map[int32][]int32
	span    map[int32]int32 // executions of any stage, per frame
	longest []int32
	deepest int32
}

func newChains(stages int) *chains {
	return &chains{of: map[int32][]int32{}, span: map[int32]int32{}, longest: make([]int32, stages)}
}

func (c *chains) reset() {
	clear(c.of)
	clear(c.span)
	clear(c.longest)
	c.deepest = 0
}

func (c *chains) frame(f int32) []int32 {
	v := c.of[f]
	if v == nil {
		v = make([]int32, len(c.longest))
		c.of[f] = v
	}
	return v
}

// stage notes that a batch of the stage ran.
func (c *chains) stage(st *stage, frames []int32) {
	for _, f := range frames {
		v := c.frame(f)
		v[st.id]++
		c.longest[st.id] = max(c.longest[st.id], v[st.id])
		c.span[f]++
		c.deepest = max(c.deepest, c.span[f])
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
	c.span[caller] = max(c.span[caller], c.span[f])
}

func (c *chains) drop(f int32) {
	delete(c.of, f)
	delete(c.span, f)
}

// lowerBound is the sum of the longest chains.
func (c *chains) lowerBound() (sum int64) {
	for _, n := range c.longest {
		sum += int64(n)
	}
	return sum
}
