package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	panelBytes = 64 // one row of a packed panel: 16 float32
	unroll     = 4  // steps of k per iteration of the main loop

	// prefetchAhead is how far before its use a panel row is fetched, in
	// bytes. The panels stream from the second level cache in one pass, and
	// the hardware prefetcher alone leaves 2..10 % on the table.
	prefetchAhead = 1024
)

// gemmShape is a kernel of rows by panels. It computes span half panels at a
// time: rows*span accumulators live in registers during one pass over k.
type gemmShape struct{ rows, panels, span int }

// gemmShapes keep up to twelve independent chains in flight, more than the
// latency of the multiply-add asks for, because scheduling is not perfect. Few
// rows take several panels at once for that, instead of splitting k into
// partial sums, so that an element of C is the same chain of operations
// whatever shape computes it. Narrow shapes serve the last panels.
var gemmShapes = []gemmShape{
	{1, 4, 8}, {1, 3, 6}, {1, 2, 4}, {1, 1, 2},
	{2, 3, 6}, {2, 2, 4}, {2, 1, 2},
	{3, 2, 4}, {3, 1, 2},
	{4, 3, 3}, {4, 2, 2}, {4, 1, 2},
	{5, 1, 2},
	{6, 1, 2},
}

func gemmKernels(b *builder) {
	for _, s := range gemmShapes {
		gemmTile(b, s)
	}
}

// tile is the state of one gemm kernel while it is emitted.
type tile struct {
	*builder
	gemmShape
	acc           [][]ymm // [row][half panel of the span]
	row           []reg.GPVirtual
	panel         []reg.GPVirtual // of the span
	b             reg.GPVirtual   // first panel of the group
	c, cRow, ldc  reg.GPVirtual
	index, groups reg.GPVirtual
	first         int // first half panel of the span
}

func gemmTile(b *builder, s gemmShape) {
	t := &tile{builder: b, gemmShape: s}
	name := fmt.Sprintf("gemm%dx%d", s.rows, 16*s.panels)
	b.function(name,
		"func(k int, a *float32, offs *int, b *float32, stride int, c *float32, ldc int, groups int, bias *float32, acc int, mask *int32)",
		fmt.Sprintf("%s computes %d rows of groups·%d columns of C. It is, with byte offsets offs,", name, s.rows, 16*s.panels),
		"byte strides stride (between panels) and ldc, and only where mask (if not nil) is set in the last panel of a group:",
		"",
		fmt.Sprintf("\tfor i := range %d {", s.rows),
		fmt.Sprintf("\t\tfor j := range groups * %d {", 16*s.panels),
		"\t\t\ts := 0 // or bias[j], or c[i][j] if acc != 0",
		"\t\t\tfor l := range k {",
		"\t\t\t\ts = fma(a[offs[i]+l], b[j/16][l][j%16], s)",
		"\t\t\t}",
		"\t\t\tc[i][j] = s",
		"\t\t}",
		"\t}",
	)
	t.prologue()
	b.Label("group")
	for t.first = 0; t.first < 2*t.panels; t.first += t.span {
		t.begin()
		t.multiply()
		t.storeC()
	}
	t.nextGroup()
	b.DECQ(t.groups)
	b.JNZ(operand.LabelRef("group"))
	b.ret()
}

// label makes a label of the current span.
func (t *tile) label(name string) string {
	if t.span == 2*t.panels {
		return name
	}
	return fmt.Sprintf("%s%d", name, t.first/t.span)
}

func (t *tile) ref(name string) operand.LabelRef { return operand.LabelRef(t.label(name)) }

// half returns the operand of the j-th half panel of the span, u rows after
// the current one.
func (t *tile) half(j, u int) operand.Mem {
	h := t.first + j
	return at(t.panel[h/2-t.first/2], u*panelBytes+32*(h%2))
}

// column is the byte offset of the j-th half panel of the span in a row of C.
func (t *tile) column(j int) int { return 32 * (t.first + j) }

// prologue leaves in row[i] the end of the unrolled part of row i, so that the
// main loop can count a negative index up to zero.
func (t *tile) prologue() {
	a, offs, k := t.arg("a"), t.arg("offs"), t.arg("k")
	t.ANDQ(operand.I8(-unroll), k)
	t.LEAQ(atIndex(a, k, 4, 0), a)
	for i := range t.rows {
		r := t.GP64()
		t.MOVQ(at(offs, 8*i), r)
		t.ADDQ(a, r)
		t.row = append(t.row, r)
	}
	t.b = t.arg("b")
	for range (t.span + 1) / 2 {
		t.panel = append(t.panel, t.GP64())
	}
	t.c, t.ldc, t.groups = t.arg("c"), t.arg("ldc"), t.arg("groups")
	t.cRow, t.index = t.GP64(), t.GP64()
	for range t.rows {
		t.acc = append(t.acc, t.ymms(t.span))
	}
}

// begin points the panel registers at the span and starts every chain from C,
// from the bias or from zero.
func (t *tile) begin() {
	t.MOVQ(t.b, t.panel[0])
	for range t.first / 2 {
		t.ADDQ(t.argMem("stride"), t.panel[0])
	}
	for p := 1; p < len(t.panel); p++ {
		t.MOVQ(t.panel[p-1], t.panel[p])
		t.ADDQ(t.argMem("stride"), t.panel[p])
	}
	tmp := t.GP64()
	t.MOVQ(t.argMem("acc"), tmp)
	t.TESTQ(tmp, tmp)
	t.JNZ(t.ref("fromC"))
	t.prefetchC()
	bias := t.arg("bias")
	t.TESTQ(bias, bias)
	t.JNZ(t.ref("fromBias"))
	for _, row := range t.acc {
		for _, v := range row {
			t.VXORPS(v, v, v)
		}
	}
	t.JMP(t.ref("multiply"))

	t.Label(t.label("fromBias"))
	t.loadBias(bias)
	t.JMP(t.ref("multiply"))

	t.Label(t.label("fromC"))
	t.loadC()
}

// multiply runs the k loop: unroll steps an iteration, then one by one.
func (t *tile) multiply() {
	t.Label(t.label("multiply"))
	t.MOVQ(t.argMem("k"), t.index)
	t.ANDQ(operand.I8(-unroll), t.index)
	t.JZ(t.ref("rest"))
	t.NEGQ(t.index)
	t.Label(t.label("steps"))
	for u := range unroll {
		t.step(u)
	}
	for _, p := range t.panel {
		t.ADDQ(imm(unroll*panelBytes), p)
	}
	t.ADDQ(imm(unroll), t.index)
	t.JNZ(t.ref("steps"))

	t.Label(t.label("rest"))
	left := t.GP64()
	t.MOVQ(t.argMem("k"), left)
	t.ANDQ(imm(unroll-1), left)
	t.JZ(t.ref("store"))
	t.Label(t.label("step"))
	t.step(0)
	for _, p := range t.panel {
		t.ADDQ(imm(panelBytes), p)
	}
	t.INCQ(t.index)
	t.CMPQ(t.index, left)
	t.JNE(t.ref("step"))
	t.Label(t.label("store"))
}

func (t *tile) nextGroup() {
	for range t.panels {
		t.ADDQ(t.argMem("stride"), t.b)
	}
	t.ADDQ(imm(panelBytes*t.panels), t.c)
}

// step multiplies the u-th row of each panel after the current one. What there
// is more of, half panels or rows, is loaded one at a time beside the others.
func (t *tile) step(u int) {
	a := func(i int) operand.Mem { return atIndex(t.row[i], t.index, 4, 4*u) }
	for _, p := range t.panel {
		t.PREFETCHT0(at(p, u*panelBytes+prefetchAhead))
	}
	switch {
	case t.rows == 1:
		v := t.YMM()
		t.VBROADCASTSS(a(0), v)
		for j, acc := range t.acc[0] {
			t.VFMADD231PS(t.half(j, u), v, acc)
		}
	case t.rows < t.span:
		v := t.ymms(t.rows)
		for i := range v {
			t.VBROADCASTSS(a(i), v[i])
		}
		for j := range t.span {
			w := t.YMM()
			t.VMOVUPS(t.half(j, u), w)
			for i := range v {
				t.VFMADD231PS(w, v[i], t.acc[i][j])
			}
		}
	default:
		w := t.ymms(t.span)
		for j := range w {
			t.VMOVUPS(t.half(j, u), w[j])
		}
		for i := range t.rows {
			v := t.YMM()
			t.VBROADCASTSS(a(i), v)
			for j := range w {
				t.VFMADD231PS(w[j], v, t.acc[i][j])
			}
		}
	}
}
