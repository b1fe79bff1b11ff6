package main

import "github.com/mmcloughlin/avo/operand"

// transposeKernel emits the transpose of a 16x16 block as four 8x8 blocks,
// each in three rounds of shuffles: pairs, quads, halves.
func transposeKernel(b *builder) {
	b.function("transpose16", "func(dst *float32, ldd int, src *float32, lds int)",
		"transpose16 transposes a 16x16 block; row strides in bytes. It is",
		"",
		"\tfor i := range 16 {",
		"\t\tfor j := range 16 {",
		"\t\t\tdst[j*ldd+i] = src[i*lds+j]",
		"\t\t}",
		"\t}",
	)
	dst, ldd, src, lds := b.arg("dst"), b.arg("ldd"), b.arg("src"), b.arg("lds")
	from, to := b.GP64(), b.GP64()
	for i := range 2 {
		for j := range 2 {
			b.LEAQ(at(src, 32*j), from)
			rows := b.ymms(8)
			for r := range rows {
				b.VMOVUPS(at(from, 0), rows[r])
				b.ADDQ(lds, from)
			}
			b.LEAQ(at(dst, 32*i), to)
			if j == 1 {
				for range 8 {
					b.ADDQ(ldd, to)
				}
			}
			for _, v := range transpose8(b, rows) {
				b.VMOVUPS(v, at(to, 0))
				b.ADDQ(ldd, to)
			}
		}
		if i == 0 {
			b.LEAQ(atIndex(src, lds, 8, 0), src)
		}
	}
	b.ret()
}

// transpose8 returns the columns of an 8x8 block.
func transpose8(b *builder, rows []ymm) []ymm {
	pairs := make([]ymm, 8)
	for i := 0; i < 8; i += 2 {
		pairs[i], pairs[i+1] = b.YMM(), b.YMM()
		b.VUNPCKLPS(rows[i+1], rows[i], pairs[i])
		b.VUNPCKHPS(rows[i+1], rows[i], pairs[i+1])
	}
	quads := b.ymms(8)
	for i := 0; i < 8; i += 4 {
		for j := range 2 {
			b.VSHUFPS(operand.Imm(0x44), pairs[i+2+j], pairs[i+j], quads[i+2*j])
			b.VSHUFPS(operand.Imm(0xee), pairs[i+2+j], pairs[i+j], quads[i+2*j+1])
		}
	}
	cols := b.ymms(8)
	for j := range 4 {
		b.VPERM2F128(operand.Imm(0x20), quads[j+4], quads[j], cols[j])
		b.VPERM2F128(operand.Imm(0x31), quads[j+4], quads[j], cols[j+4])
	}
	return cols
}
