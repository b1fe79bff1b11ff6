package kernel

// The products below round after the multiplication as well as after the
// addition. The conversions are what forbids the compiler to fuse the two in
// one loop and not in another, which would make a row depend on its batch.

// gemmBlockGo is gemmBlock in pure Go.
func gemmBlockGo(j *gemmJob) {
	k := j.b.K
	for p := j.p0; p < j.p1; p++ {
		panel, w := j.b.panel(p), j.b.width(p)
		for i, off := range j.offs {
			row := j.a[off/4 : off/4+k]
			c := j.c[i*j.ldc+p*PanelWidth : i*j.ldc+p*PanelWidth+w]
			var sum [PanelWidth]float32
			switch {
			case j.acc:
				copy(sum[:], c)
			case j.bias != nil:
				copy(sum[:], j.bias[p*PanelWidth:])
			}
			rowTimesPanel(&sum, row, panel)
			copy(c, sum[:])
		}
	}
}

// rowTimesPanel adds row·panel to sum, eight columns at a time because that is
// what fits the registers of most machines.
func rowTimesPanel(sum *[PanelWidth]float32, row, panel []float32) {
	for h := 0; h < PanelWidth; h += 8 {
		s := (*[8]float32)(sum[h:])
		s0, s1, s2, s3, s4, s5, s6, s7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
		for k, a := range row {
			b := (*[8]float32)(panel[k*PanelWidth+h:])
			s0 += float32(a * b[0])
			s1 += float32(a * b[1])
			s2 += float32(a * b[2])
			s3 += float32(a * b[3])
			s4 += float32(a * b[4])
			s5 += float32(a * b[5])
			s6 += float32(a * b[6])
			s7 += float32(a * b[7])
		}
		*s = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
	}
}

// gemmTNPanelGo is gemmTNPanel in pure Go.
func gemmTNPanelGo(dst []float32, k int, a []float32, offs []int, panel []float32, w int, acc bool) {
	if !acc {
		clear(dst[:k*PanelWidth])
	}
	for l, off := range offs {
		row := a[off/4 : off/4+k]
		b := panel[l*PanelWidth : l*PanelWidth+w]
		for i, v := range row {
			g := dst[i*PanelWidth : i*PanelWidth+len(b)]
			for j, x := range b {
				g[j] += float32(v * x)
			}
		}
	}
}
