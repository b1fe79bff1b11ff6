//go:build !amd64 || noasm

package kernel

// Features names the implementation in use: "avx2+fma" or "go".
func Features() string { return "go" }
