// Package ndtext prints tensors of any rank for people: nested brackets, columns
// aligned, and of large tensors only the elements at both ends of each axis.
//
//	text, err := ndtext.Format([]int{2, 3}, func(i int) (string, error) { return strconv.Itoa(x[i]), nil })
//
//	[[ 1  2  3]
//	 [ 4  5 60]]
//
// It asks for the elements that it prints and no others, so that a tensor need not be in
// memory; however large that is, the text is short. It knows nothing of element types.
package ndtext
