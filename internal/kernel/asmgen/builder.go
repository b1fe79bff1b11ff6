package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// command is how the generated files name their origin.
const command = "go run -C asmgen ."

type ymm = reg.VecVirtual

// builder collects the functions of one assembly file. It adds to avo's
// context what every kernel here needs: function headers, shared constants and
// small addressing helpers.
type builder struct {
	*build.Context
	consts map[uint32]operand.Mem
	masks  *operand.Mem
}

func newBuilder() *builder {
	b := &builder{Context: build.NewContext(), consts: map[uint32]operand.Mem{}}
	b.ConstraintExpr("!noasm")
	return b
}

// function starts a kernel. Every pointer argument is marked noescape: kernels
// keep nothing.
func (b *builder) function(name, signature string, doc ...string) {
	b.Function(name)
	b.Attributes(attr.NOSPLIT)
	b.SignatureExpr(signature)
	b.Doc(doc...)
	b.Pragma("noescape")
}

// ret leaves a kernel. Dirty upper halves would slow every SSE instruction of
// the Go code that follows, so they are always cleared.
func (b *builder) ret() {
	b.VZEROUPPER()
	b.RET()
}

// arg loads a word-sized parameter into a fresh register.
func (b *builder) arg(name string) reg.GPVirtual {
	r := b.GP64()
	b.Load(b.Param(name), r)
	return r
}

// argMem is the stack slot of a parameter, for values that are used too
// rarely to deserve a register.
func (b *builder) argMem(name string) operand.Mem {
	basic, err := b.Param(name).Resolve()
	if err != nil {
		panic(fmt.Sprintf("asmgen: parameter %s: %v", name, err))
	}
	return basic.Addr
}

func (b *builder) ymms(n int) []ymm {
	r := make([]ymm, n)
	for i := range r {
		r[i] = b.YMM()
	}
	return r
}

func at(base reg.Register, disp int) operand.Mem {
	return operand.Mem{Base: base, Disp: disp}
}

func atIndex(base, index reg.Register, scale uint8, disp int) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: scale, Disp: disp}
}

// imm is an immediate operand that may exceed one byte.
func imm(n int) operand.Constant {
	if n >= 0 && n < 128 {
		return operand.Imm(uint64(n))
	}
	return operand.U32(uint32(n))
}

// write compiles the file and stores NAME_amd64.s and NAME_stubs_amd64.go of
// package pkg.
func (b *builder) write(dir, pkg, name string) error {
	file, err := b.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	cfg := printer.Config{Argv: []string{command}, Pkg: pkg}
	if err := print(printer.NewGoAsm(cfg), file, dir, name+"_amd64.s"); err != nil {
		return err
	}
	return print(printer.NewStubs(cfg), file, dir, name+"_stubs_amd64.go")
}

func print(p printer.Printer, file *ir.File, dir, name string) error {
	text, err := p.Print(file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	text = append(bytes.TrimRight(text, "\n"), '\n')
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), text, 0o644)
}
