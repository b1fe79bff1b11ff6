package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

func gemmTNKernels(b *builder) {
	for rows := 1; rows <= 6; rows++ {
		gemmTNTile(b, rows)
	}
}

// gemmTNTile emits a kernel that runs down a panel of G, rows of G at a time.
// The columns of A are adjacent floats of one row of A, so that a step of the
// inner loop needs one row offset only.
func gemmTNTile(b *builder, rows int) {
	name := fmt.Sprintf("gemmTN%d", rows)
	b.function(name,
		"func(m int, a *float32, offs *int, b *float32, dst *float32, tiles int, acc int, mask *int32)",
		fmt.Sprintf("%s computes tiles·%d rows of one panel of G = AᵀB. It is, with byte offsets offs,", name, rows),
		"and with the lanes of G cleared that mask (if not nil) excludes:",
		"",
		fmt.Sprintf("\tfor i := range tiles * %d {", rows),
		"\t\tfor j := range 16 {",
		"\t\t\ts := 0 // or dst[i][j] if acc != 0",
		"\t\t\tfor l := range m {",
		"\t\t\t\ts = fma(a[offs[l]+i], b[l][j], s)",
		"\t\t\t}",
		"\t\t\tdst[i][j] = s",
		"\t\t}",
		"\t}",
	)
	a, dst, tiles := b.arg("a"), b.arg("dst"), b.arg("tiles")
	offs, panel, left := b.GP64(), b.GP64(), b.GP64()
	acc := b.ymms(2 * rows)

	b.Label("tile")
	b.MOVQ(b.argMem("offs"), offs)
	b.MOVQ(b.argMem("b"), panel)
	b.MOVQ(b.argMem("m"), left)
	flag := b.GP64()
	b.MOVQ(b.argMem("acc"), flag)
	b.TESTQ(flag, flag)
	b.JNZ(operand.LabelRef("fromG"))
	for _, v := range acc {
		b.VXORPS(v, v, v)
	}
	b.JMP(operand.LabelRef("start"))
	b.Label("fromG")
	for i, v := range acc {
		b.VMOVUPS(at(dst, 32*i), v)
	}

	b.Label("start")
	step := func(u int) {
		row := b.GP64()
		b.MOVQ(at(offs, 8*u), row)
		w := b.ymms(2)
		for j := range w {
			b.VMOVUPS(at(panel, u*panelBytes+32*j), w[j])
		}
		for i := range rows {
			v := b.YMM()
			b.VBROADCASTSS(atIndex(a, row, 1, 4*i), v)
			for j := range w {
				b.VFMADD231PS(w[j], v, acc[2*i+j])
			}
		}
	}
	advance := func(n int) {
		b.ADDQ(imm(8*n), offs)
		b.ADDQ(imm(panelBytes*n), panel)
	}
	b.SUBQ(imm(unroll), left)
	b.JLT(operand.LabelRef("rest"))
	b.Label("steps")
	for u := range unroll {
		step(u)
	}
	advance(unroll)
	b.SUBQ(imm(unroll), left)
	b.JGE(operand.LabelRef("steps"))
	b.Label("rest")
	b.ADDQ(imm(unroll), left)
	b.JZ(operand.LabelRef("store"))
	b.Label("step")
	step(0)
	advance(1)
	b.DECQ(left)
	b.JNZ(operand.LabelRef("step"))

	b.Label("store")
	mask := b.arg("mask")
	b.TESTQ(mask, mask)
	b.JZ(operand.LabelRef("full"))
	lanes := b.ymms(2)
	for j := range lanes {
		b.VMOVUPS(at(mask, 32*j), lanes[j])
	}
	for i, v := range acc {
		b.VANDPS(lanes[i%2], v, v)
	}
	b.Label("full")
	for i, v := range acc {
		b.VMOVUPS(v, at(dst, 32*i))
	}
	b.ADDQ(imm(4*rows), a)
	b.ADDQ(imm(panelBytes*rows), dst)
	b.DECQ(tiles)
	b.JNZ(operand.LabelRef("tile"))
	b.ret()
}
