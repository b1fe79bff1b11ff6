package kernel

// need panics unless x has n elements. A slice expression would not do: it
// accepts what lies between the length and the capacity.
func need(x []float32, n int) {
	if n > len(x) {
		panic("kernel: slice too short")
	}
}

// sameLen panics unless x is as long as dst.
func sameLen(dst, x []float32) {
	if len(dst) != len(x) {
		panic("kernel: slices differ in length")
	}
}
