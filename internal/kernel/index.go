package kernel

// GatherRows copies rows of src: row i of dst, n floats from dst[i*ldd], becomes
// the n floats from src[rows[i]*lds]. dst must not overlap src.
func GatherRows(dst []float32, ldd int, src []float32, lds int, rows []int32, n int) {
	for i, r := range rows {
		to, from := i*ldd, int(r)*lds
		copy(dst[to:to+n], src[from:from+n])
	}
}

// ScatterAddRows adds rows of src, in their order: the n floats from src[i*lds]
// are added to those from dst[rows[i]*ldd]. A row that is named twice receives
// both. dst must not overlap src.
func ScatterAddRows(dst []float32, ldd int, src []float32, lds int, rows []int32, n int) {
	for i, r := range rows {
		to, from := int(r)*ldd, i*lds
		vecAddTo(dst[to:to+n], src[from:from+n])
	}
}
