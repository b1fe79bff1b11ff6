package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// This file holds what a gemm kernel does at the two ends of its chains: it
// loads C or the bias, and stores C.

func (t *tile) loadC() {
	t.masked("c", func(mask []ymm) {
		t.eachRow(func(i int) {
			for j, v := range t.acc[i] {
				t.load(at(t.cRow, t.column(j)), mask[j], v)
			}
		})
	})
}

// loadBias starts all rows alike, and after the last span of a group moves the
// bias to the next group.
func (t *tile) loadBias(bias reg.GPVirtual) {
	t.masked("bias", func(mask []ymm) {
		for j, v := range t.acc[0] {
			t.load(at(bias, t.column(j)), mask[j], v)
			for i := 1; i < t.rows; i++ {
				t.VMOVAPS(v, t.acc[i][j])
			}
		}
	})
	if t.first+t.span == 2*t.panels {
		t.ADDQ(imm(panelBytes*t.panels), bias)
		t.MOVQ(bias, t.argMem("bias"))
	}
}

func (t *tile) storeC() {
	t.masked("store", func(mask []ymm) {
		t.eachRow(func(i int) {
			for j, v := range t.acc[i] {
				if mask[j] == nil {
					t.VMOVUPS(v, at(t.cRow, t.column(j)))
				} else {
					t.VMASKMOVPS(v, mask[j], at(t.cRow, t.column(j)))
				}
			}
		})
	})
}

// prefetchC fetches the lines of C that the span will overwrite.
func (t *tile) prefetchC() {
	t.eachRow(func(int) {
		for j := 0; j < t.span; j += 2 {
			t.PREFETCHT0(at(t.cRow, t.column(j)))
		}
		t.PREFETCHT0(at(t.cRow, t.column(t.span)-4))
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

// masked emits body without masks and, if the span reaches into the last panel
// of the group, again with masks for that panel.
func (t *tile) masked(name string, body func(mask []ymm)) {
	mask := make([]ymm, t.span)
	last := 2*t.panels - 2 - t.first // index in the span of the last panel
	if last >= t.span {
		body(mask)
		return
	}
	m := t.arg("mask")
	t.TESTQ(m, m)
	t.JNZ(t.ref(name + "Masked"))
	body(mask)
	t.JMP(t.ref(name + "Done"))
	t.Label(t.label(name + "Masked"))
	for j := max(0, last); j < t.span; j++ {
		mask[j] = t.YMM()
		t.VMOVDQU(at(m, 32*(j-last)), mask[j])
	}
	body(mask)
	t.Label(t.label(name + "Done"))
}

func (t *tile) load(src operand.Mem, mask, dst ymm) {
	if mask == nil {
		t.VMOVUPS(src, dst)
		return
	}
	t.VMASKMOVPS(src, mask, dst)
}
