package ops

// maxFloats returns the largest of acc and the elements of x, NaN if one is NaN.
func maxFloats(acc float32, x []float32) float32 {
	for _, v := range x {
		acc = max(acc, v)
	}
	return acc
}
