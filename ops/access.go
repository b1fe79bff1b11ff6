package ops

// offset returns where the element at a position is.
func (t *Tensor) offset(at []int) int {
	i := 0
	for k, d := range t.Shape {
		i = i*d + at[k]
	}
	return i
}

// set copies element j of x, which has the same element type, to element i.
func (t *Tensor) set(i int, x *Tensor, j int) {
	if t.DType.IsFloat() {
		t.F[i] = x.F[j]
	} else {
		t.I[i] = x.I[j]
	}
}

// firstAxis returns a copy of the elements from, ..., to-1 along axis 0.
func (t *Tensor) firstAxis(from, to int) *Tensor {
	shape := append([]int{to - from}, t.Shape[1:]...)
	part, n := NewTensor(t.DType, shape...), size(t.Shape[1:])
	for i := range part.Len() {
		part.set(i, t, from*n+i)
	}
	return part
}
