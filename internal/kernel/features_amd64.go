//go:build !noasm

package kernel

import "golang.org/x/sys/cpu"

// useAVX2 says that the processor and the operating system support the
// assembly. It is a variable so that tests can compare both implementations.
var useAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// Features names the implementation in use: "avx2+fma" or "go".
func Features() string {
	if useAVX2 {
		return "avx2+fma"
	}
	return "go"
}
