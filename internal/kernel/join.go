package kernel

// JoinColumns sets dst [K ΣN] to the matrices of parts, [K N] each, side by side.
func JoinColumns(dst *Packed, parts ...*Packed) {
	at := 0
	for _, src := range parts {
		if src.K != dst.K || at+src.N > dst.N {
			panic("kernel: JoinColumns: the parts do not fit")
		}
		for p := range src.Panels {
			joinPanel(dst, at, src.panel(p), src.width(p))
			at += src.width(p)
		}
	}
	if at != dst.N {
		panic("kernel: JoinColumns: the parts do not fill dst")
	}
}

// joinPanel copies w columns of a panel to the columns of dst from at.
func joinPanel(dst *Packed, at int, panel []float32, w int) {
	to, lane := dst.panel(at/PanelWidth), at%PanelWidth
	here := min(w, PanelWidth-lane)
	for k := range dst.K {
		copy(to[k*PanelWidth+lane:k*PanelWidth+lane+here], panel[k*PanelWidth:])
	}
	if here == w {
		return
	}
	to = dst.panel(at/PanelWidth + 1)
	for k := range dst.K {
		copy(to[k*PanelWidth:k*PanelWidth+w-here], panel[k*PanelWidth+here:])
	}
}

// StackRows sets dst [ΣK N] to the matrices of parts, [K N] each, one above the other.
func StackRows(dst *Packed, parts ...*Packed) {
	at := 0
	for _, src := range parts {
		if src.N != dst.N || at+src.K > dst.K {
			panic("kernel: StackRows: the parts do not fit")
		}
		for p := range dst.Panels {
			copy(dst.panel(p)[at*PanelWidth:], src.panel(p))
		}
		at += src.K
	}
	if at != dst.K {
		panic("kernel: StackRows: the parts do not fill dst")
	}
}
