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

// gemmTiles are the register tiles, rows by panels. Few rows take several
// panels at once: that keeps at least six independent accumulators (the FMA
// latency) without splitting k into partial sums, so that an element of C is
// the same chain of operations whatever tile computes it.
var gemmTiles = [][2]int{
	{1, 4}, {1, 3}, {1, 2}, {1, 1},
	{2, 2}, {2, 1},
	{3, 2}, {3, 1},
	{4, 1}, {5, 1}, {6, 1},
}

func gemmKernels(b *builder) {
	for _, t := range gemmTiles {
		gemmTile(b, t[0], t[1])
	}
}

// tile is the state of one gemm kernel while it is emitted.
type tile struct {
	*builder
	name          string
	rows, panels  int
	acc           [][]ymm // [row][half panel]
	row           []reg.GPVirtual
	panel         []reg.GPVirtual
	c, cRow, ldc  reg.GPVirtual
	index, groups reg.GPVirtual
}

func gemmTile(b *builder, rows, panels int) {
	t := &tile{builder: b, name: fmt.Sprintf("gemm%dx%d", rows, 16*panels), rows: rows, panels: panels}
	b.function(t.name,
		"func(k int, a *float32, offs *int, b *float32, stride int, c *float32, ldc int, groups int, bias *float32, acc int, mask *int32)",
		fmt.Sprintf("%s computes %d rows of groups·%d columns of C. It is, with byte offsets offs,", t.name, rows, 16*panels),
		"byte strides stride (between panels) and ldc, and only where mask (if not nil) is set in the last panel of a group:",
		"",
		fmt.Sprintf("\tfor i := range %d {", rows),
		fmt.Sprintf("\t\tfor j := range groups * %d {", 16*panels),
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
	t.begin()
	t.multiply()
	t.storeC()
	b.ADDQ(imm(panelBytes*panels), t.c)
	b.DECQ(t.groups)
	b.JNZ(operand.LabelRef("group"))
	b.ret()
}

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
	t.panel = append(t.panel, t.arg("b"))
	for range t.panels - 1 {
		t.panel = append(t.panel, t.GP64())
	}
	t.c, t.ldc, t.groups = t.arg("c"), t.arg("ldc"), t.arg("groups")
	t.cRow, t.index = t.GP64(), t.GP64()
	for range t.rows {
		t.acc = append(t.acc, t.ymms(2*t.panels))
	}
}

// begin points the panel registers at the group and starts every chain from
// C, from the bias or from zero.
func (t *tile) begin() {
	for p := 1; p < t.panels; p++ {
		t.MOVQ(t.panel[p-1], t.panel[p])
		t.ADDQ(t.argMem("stride"), t.panel[p])
	}
	tmp := t.GP64()
	t.MOVQ(t.argMem("acc"), tmp)
	t.TESTQ(tmp, tmp)
	t.JNZ(operand.LabelRef("fromC"))
	t.prefetchC()
	bias := t.arg("bias")
	t.TESTQ(bias, bias)
	t.JNZ(operand.LabelRef("fromBias"))
	for _, row := range t.acc {
		for _, v := range row {
			t.VXORPS(v, v, v)
		}
	}
	t.JMP(operand.LabelRef("multiply"))

	t.Label("fromBias")
	t.masked("bias", func(mask []ymm) {
		for j, v := range t.acc[0] {
			t.load(at(bias, 32*j), mask[j], v)
			for i := 1; i < t.rows; i++ {
				t.VMOVAPS(v, t.acc[i][j])
			}
		}
	})
	t.ADDQ(imm(panelBytes*t.panels), bias)
	t.MOVQ(bias, t.argMem("bias"))
	t.JMP(operand.LabelRef("multiply"))

	t.Label("fromC")
	t.masked("c", func(mask []ymm) {
		t.eachRow(func(i int) {
			for j, v := range t.acc[i] {
				t.load(at(t.cRow, 32*j), mask[j], v)
			}
		})
	})
}

// multiply runs the k loop: unroll steps an iteration, then one by one.
func (t *tile) multiply() {
	t.Label("multiply")
	t.MOVQ(t.argMem("k"), t.index)
	t.ANDQ(operand.I8(-unroll), t.index)
	t.JZ(operand.LabelRef("rest"))
	t.NEGQ(t.index)
	t.Label("steps")
	for u := range unroll {
		t.step(u)
	}
	for _, p := range t.panel {
		t.ADDQ(imm(unroll*panelBytes), p)
	}
	t.ADDQ(imm(unroll), t.index)
	t.JNZ(operand.LabelRef("steps"))

	t.Label("rest")
	left := t.GP64()
	t.MOVQ(t.argMem("k"), left)
	t.ANDQ(imm(unroll-1), left)
	t.JZ(operand.LabelRef("store"))
	t.Label("step")
	t.step(0)
	for _, p := range t.panel {
		t.ADDQ(imm(panelBytes), p)
	}
	t.INCQ(t.index)
	t.CMPQ(t.index, left)
	t.JNE(operand.LabelRef("step"))
	t.Label("store")
	t.nextGroup()
}

// nextGroup moves panel[0] from the end of the k rows it has passed to the
// first panel of the next group.
func (t *tile) nextGroup() {
	passed := t.GP64()
	t.MOVQ(t.argMem("k"), passed)
	t.SHLQ(imm(6), passed)
	t.SUBQ(passed, t.panel[0])
	for range t.panels {
		t.ADDQ(t.argMem("stride"), t.panel[0])
	}
}

// step multiplies the u-th row of each panel after the current one.
func (t *tile) step(u int) {
	a := func(i int) operand.Mem { return atIndex(t.row[i], t.index, 4, 4*u) }
	for _, p := range t.panel {
		t.PREFETCHT0(at(p, u*panelBytes+prefetchAhead))
	}
	if t.rows == 1 {
		v := t.YMM()
		t.VBROADCASTSS(a(0), v)
		for j, acc := range t.acc[0] {
			t.VFMADD231PS(at(t.panel[j/2], u*panelBytes+32*(j%2)), v, acc)
		}
		return
	}
	if t.panels == 1 {
		t.stepTall(u, a)
		return
	}
	v := t.ymms(t.rows)
	for i := range v {
		t.VBROADCASTSS(a(i), v[i])
	}
	for j := range 2 * t.panels {
		w := t.YMM()
		t.VMOVUPS(at(t.panel[j/2], u*panelBytes+32*(j%2)), w)
		for i := range t.rows {
			t.VFMADD231PS(w, v[i], t.acc[i][j])
		}
	}
}

// stepTall keeps the panel row in two registers and broadcasts one element of
// A at a time, which is what a tile of six rows has registers for.
func (t *tile) stepTall(u int, a func(int) operand.Mem) {
	w := t.ymms(2)
	for j := range w {
		t.VMOVUPS(at(t.panel[0], u*panelBytes+32*j), w[j])
	}
	for i := range t.rows {
		v := t.YMM()
		t.VBROADCASTSS(a(i), v)
		for j := range w {
			t.VFMADD231PS(w[j], v, t.acc[i][j])
		}
	}
}

func (t *tile) storeC() {
	t.masked("store", func(mask []ymm) {
		t.eachRow(func(i int) {
			for j, v := range t.acc[i] {
				if mask[j] == nil {
					t.VMOVUPS(v, at(t.cRow, 32*j))
				} else {
					t.VMASKMOVPS(v, mask[j], at(t.cRow, 32*j))
				}
			}
		})
	})
}

// prefetchC fetches the lines of C that the tile will overwrite.
func (t *tile) prefetchC() {
	t.eachRow(func(int) {
		for p := range t.panels {
			t.PREFETCHT0(at(t.cRow, p*panelBytes))
		}
		t.PREFETCHT0(at(t.cRow, t.panels*panelBytes-4))
	})
}

// eachRow calls f with cRow at the start of each row of the tile.
func (t *tile) eachRow(f func(i int)) {
	t.MOVQ(t.c, t.cRow)
	for i := range t.rows {
		f(i)
		if i < t.rows-1 {
			t.ADDQ(t.ldc, t.cRow)
		}
	}
}

// masked emits body twice: without masks, and with masks for the last panel.
func (t *tile) masked(label string, body func(mask []ymm)) {
	mask := make([]ymm, 2*t.panels)
	m := t.arg("mask")
	t.TESTQ(m, m)
	t.JNZ(operand.LabelRef(label + "Masked"))
	body(mask)
	t.JMP(operand.LabelRef(label + "Done"))
	t.Label(label + "Masked")
	for j := range 2 {
		mask[2*t.panels-2+j] = t.YMM()
		t.VMOVDQU(at(m, 32*j), mask[2*t.panels-2+j])
	}
	body(mask)
	t.Label(label + "Done")
}

func (t *tile) load(src operand.Mem, mask, dst ymm) {
	if mask == nil {
		t.VMOVUPS(src, dst)
		return
	}
	t.VMASKMOVPS(src, mask, dst)
}
