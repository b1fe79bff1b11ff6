package main

import "github.com/mmcloughlin/avo/operand"

// peakKernel emits a loop of independent fused multiply-adds on registers.
func peakKernel(b *builder) {
	b.function("fmaLoop", "func(loops int)",
		"fmaLoop runs loops times 24 fused multiply-adds on 12 independent accumulators.")
	loops := b.arg("loops")
	acc, x := b.ymms(12), b.ymms(2)
	for _, v := range append(acc, x...) {
		b.VXORPS(v, v, v)
	}
	b.Label("loop")
	for range 2 {
		for _, v := range acc {
			b.VFMADD231PS(x[0], x[1], v)
		}
	}
	b.DECQ(loops)
	b.JNZ(operand.LabelRef("loop"))
	b.ret()
}
