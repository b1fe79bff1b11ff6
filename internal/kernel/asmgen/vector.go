package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const vectorLanes = 8

// vectorKernel describes a kernel over equally long slices. The first slice
// gives the length. The body computes eight elements; it is emitted for whole
// vectors and again, with masked loads and stores, for what is left over, so
// that an element is computed by the same operations wherever it lies.
type vectorKernel struct {
	name    string
	slices  []string
	scalars []string
	loop    string // the equivalent Go statement for element i
	unroll  int    // vectors per iteration where the body is only a few instructions
	body    func(v *vector)

	// The fields of a reduction, which returns a float32.
	result string // the equivalent Go value before the loop
	start  float32
	join   func(b *builder, x, acc ymm) // acc = join(acc, x) for two accumulators
	merge  string                       // Go statement that joins partial results s and t
}

// vector is a kernel while its body is emitted.
type vector struct {
	*builder
	ptr    map[string]reg.GPVirtual
	scalar map[string]ymm
	acc    ymm // accumulator of a reduction
	index  reg.GPVirtual
	disp   int
	mask   ymm // nil for whole vectors
}

func (v *vector) load(name string) ymm {
	x := v.YMM()
	src := atIndex(v.ptr[name], v.index, 1, v.disp)
	if v.mask == nil {
		v.VMOVUPS(src, x)
	} else {
		v.VMASKMOVPS(src, v.mask, x)
	}
	return x
}

func (v *vector) store(name string, x ymm) {
	dst := atIndex(v.ptr[name], v.index, 1, v.disp)
	if v.mask == nil {
		v.VMOVUPS(x, dst)
	} else {
		v.VMASKMOVPS(x, v.mask, dst)
	}
}

func (k vectorKernel) reduces() bool { return k.result != "" }

// params is the parameter list as in Go source.
func (k vectorKernel) params() string {
	var p []string
	if len(k.slices) > 0 {
		p = append(p, strings.Join(k.slices, ", ")+" []float32")
	}
	if len(k.scalars) > 0 {
		p = append(p, strings.Join(k.scalars, ", ")+" float32")
	}
	return strings.Join(p, ", ")
}

func (k vectorKernel) doc() []string {
	doc := []string{k.name + "AVX2 is", ""}
	if k.reduces() {
		doc = append(doc, "\ts := float32("+k.result+")")
	}
	doc = append(doc, "\tfor i := range "+k.slices[0]+" {")
	for line := range strings.SplitSeq(k.loop, "\n") {
		doc = append(doc, "\t\t"+line)
	}
	doc = append(doc, "\t}")
	if k.reduces() {
		doc = append(doc, "\treturn s", "", "in another order.")
	}
	return doc
}

func (k vectorKernel) emit(b *builder) {
	signature := "func(" + k.params() + ")"
	if k.reduces() {
		signature += " (s float32)"
	}
	b.function(k.name+"AVX2", signature, k.doc()...)
	v := &vector{builder: b, ptr: map[string]reg.GPVirtual{}, scalar: map[string]ymm{}}
	for _, s := range k.slices {
		p := b.GP64()
		b.Load(b.Param(s).Base(), p)
		v.ptr[s] = p
	}
	for _, s := range k.scalars {
		x := b.YMM()
		b.VBROADCASTSS(b.argMem(s), x)
		v.scalar[s] = x
	}
	n := b.GP64()
	b.Load(b.Param(k.slices[0]).Len(), n)
	v.index = b.GP64()
	b.XORQ(v.index, v.index)
	unroll := max(1, k.unroll)
	var accs []ymm
	if k.reduces() {
		for range unroll {
			x := b.YMM()
			b.VMOVUPS(b.splat(k.start), x)
			accs = append(accs, x)
		}
	}
	if unroll > 1 {
		k.run(v, "wide", n, unroll, accs)
	}
	k.run(v, "one", n, 1, accs)
	k.tail(v, n, accs)
	if k.reduces() {
		k.reduce(v, accs)
		return
	}
	b.ret()
}

// run emits the loop over whole groups of unroll vectors and leaves in n what
// remains.
func (k vectorKernel) run(v *vector, label string, n reg.GPVirtual, unroll int, accs []ymm) {
	v.SUBQ(imm(vectorLanes*unroll), n)
	v.JLT(operand.LabelRef(label + "Done"))
	v.Label(label)
	for u := range unroll {
		v.disp = 32 * u
		if accs != nil {
			v.acc = accs[u]
		}
		k.body(v)
	}
	v.disp = 0
	v.ADDQ(imm(32*unroll), v.index)
	v.SUBQ(imm(vectorLanes*unroll), n)
	v.JGE(operand.LabelRef(label))
	v.Label(label + "Done")
	v.ADDQ(imm(vectorLanes*unroll), n)
}

// tail emits the body for the last n < 8 elements.
func (k vectorKernel) tail(v *vector, n reg.GPVirtual, accs []ymm) {
	v.TESTQ(n, n)
	v.JZ(operand.LabelRef("done"))
	v.NEGQ(n)
	table := v.GP64()
	v.LEAQ(v.maskTable(), table)
	v.mask = v.YMM()
	v.VMOVDQU(atIndex(table, n, 4, 4*vectorLanes), v.mask)
	if accs != nil {
		v.acc = accs[0]
	}
	k.body(v)
	v.mask = nil
	v.Label("done")
}

// reduce joins the accumulators, then the lanes, and returns the result.
func (k vectorKernel) reduce(v *vector, accs []ymm) {
	for len(accs) > 1 {
		half := len(accs) / 2
		for i := range half {
			k.join(v.builder, accs[i+half], accs[i])
		}
		accs = accs[:half]
	}
	x, other := accs[0], v.YMM()
	v.VPERM2F128(operand.Imm(1), x, x, other)
	k.join(v.builder, other, x)
	v.VPERMILPS(operand.Imm(0x4e), x, other)
	k.join(v.builder, other, x)
	v.VPERMILPS(operand.Imm(0xb1), x, other)
	k.join(v.builder, other, x)
	s, err := v.ReturnIndex(0).Resolve()
	if err != nil {
		panic(fmt.Sprintf("asmgen: %s: %v", k.name, err))
	}
	v.VMOVSS(x.AsX(), s.Addr)
	v.ret()
}

// splat is a constant in all lanes, in memory.
func (b *builder) splat(x float32) operand.Mem { return b.splatBits(math.Float32bits(x)) }

func (b *builder) splatBits(bits uint32) operand.Mem {
	if m, ok := b.consts[bits]; ok {
		return m
	}
	m := b.StaticGlobal(fmt.Sprintf("splat%08x", bits))
	b.DataAttributes(attr.RODATA | attr.NOPTR)
	for range vectorLanes {
		b.AppendDatum(operand.U32(bits))
	}
	b.consts[bits] = m
	return m
}

// maskTable holds eight set words, then eight clear ones.
func (b *builder) maskTable() operand.Mem {
	const key = "laneMasks"
	if b.masks == nil {
		m := b.StaticGlobal(key)
		b.DataAttributes(attr.RODATA | attr.NOPTR)
		for range vectorLanes {
			b.AppendDatum(operand.U32(math.MaxUint32))
		}
		for range vectorLanes {
			b.AppendDatum(operand.U32(0))
		}
		b.masks = &m
	}
	return *b.masks
}
