//go:build !noasm

package kernel

// forcePureGo switches the assembly off until the returned function is called.
func forcePureGo() (restore func()) {
	old := useAVX2
	useAVX2 = false
	return func() { useAVX2 = old }
}
