package golden

// Size returns the number of elements.
func (a Array) Size() int {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Values returns the elements of an array, row-major: numbers of float32 that
// look random. The formula is that of the program that made the files.
func (f *File) Values(a Array) []float64 {
	offset := (uint64(a.Index)+1)*40503*7919 + f.Seed*97
	values := make([]float64, a.Size())
	for i := range values {
		u := uint32(uint64(i)*2654435761 + offset)
		values[i] = float64(float32((float64(u)/(1<<32) - 0.5) * a.Scale))
	}
	return values
}
