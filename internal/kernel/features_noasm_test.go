//go:build !amd64 || noasm

package kernel

func forcePureGo() (restore func()) { return func() {} }
