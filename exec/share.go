package exec

// sharing describes how a stage's floats are computed once for all frames that
// have the same integers and read the same rows: such frames differ in nothing
// that the floats depend on. Rows have names, so that equal subtrees of a run,
// once their leaves share rows, share all of theirs.
type sharing struct {
	words  []instr // integers and names, executed for every frame
	floats []instr // executed once per distinct key
	keys   []int   // registers that the floats, and their adjoints, depend on
	names  []ownName
	ints   bool // no key is the name of a row
}

// ownName is a register with the names of own rows.
type ownName struct{ reg, own int }

// maxKeys bounds the registers of a key; longer keys rarely repeat.
const maxKeys = 8

// findSharing splits the code of a stage whose floats can be shared, and returns
// nil when they cannot: when they use lists or random numbers, decide integers,
// or go into sinks.
func findSharing(code *stageCode) *sharing {
	s := &sharing{}
	for i := range code.instrs {
		in := &code.instrs[i]
		switch in.kind {
		case doNames, doConst, doBounds:
			s.words = append(s.words, *in)
		case doIota:
			s.names = append(s.names, ownName{in.out.index, in.in[0].index})
		case doRows, doGemm, doCopy, doReserve, doFused:
			if in.out.kind == inReg {
				s.words = append(s.words, *in)
				break
			}
			s.floats = append(s.floats, *in)
		default:
			return nil
		}
	}
	if len(s.names) == 0 || len(s.floats) == 0 || !s.separate() {
		return nil
	}
	s.findKeys(code)
	if len(s.keys) > maxKeys {
		return nil
	}
	return s
}

// separate reports whether no integer depends on a float of the stage, or on the
// name of one, and no float on the frame itself.
func (s *sharing) separate() bool {
	named := map[int]bool{}
	for _, n := range s.names {
		named[n.reg] = true
	}
	for i := range s.words {
		for _, o := range s.words[i].in {
			if o.kind == inBuffer || o.kind == inOwn || o.kind == inTableBuffer || o.kind == inReg && named[o.index] {
				return false
			}
		}
	}
	for i := range s.floats {
		if s.floats[i].keys >= 0 || s.floats[i].space != frameSpace {
			return false
		}
	}
	return true
}

func (s *sharing) findKeys(code *stageCode) {
	seen := map[int]bool{}
	add := func(r int) {
		if !seen[r] {
			seen[r] = true
			s.keys = append(s.keys, r)
		}
	}
	s.ints = true
	for i := range s.floats {
		for _, o := range s.floats[i].in {
			switch o.kind {
			case inStore:
				s.ints = false
				add(o.index)
			case inReg, inTable:
				add(o.index)
			}
		}
	}
	for _, r := range code.tape {
		add(r)
	}
}

// memo maps the keys of one stage to the rows that hold their results.
type memo struct {
	width int
	slots []int32 // 1 + entry, 0 when empty; a power of two of them
	keys  []int32 // width words per entry
	rows  [][]int32
	kept  int // entries whose rows were there before the run
}

func newMemo(s *sharing) *memo {
	m := &memo{width: len(s.keys)}
	m.rows = make([][]int32, len(s.names))
	return m
}

func (m *memo) reset() {
	if len(m.keys) == 0 && m.entries() == 0 {
		return
	}
	clear(m.slots)
	m.keys, m.kept = m.keys[:0], 0
	for k := range m.rows {
		m.rows[k] = m.rows[k][:0]
	}
}

func (m *memo) entries() int {
	if len(m.rows) == 0 {
		return 0
	}
	return len(m.rows[0])
}

// find returns the entry of a key, adding it when it is new.
func (m *memo) find(key []int32) (entry int, added bool) {
	if n := m.entries(); 2*(n+1) > len(m.slots) {
		m.grow()
	}
	mask := uint32(len(m.slots) - 1)
	for i := hashWords(key) & mask; ; i = (i + 1) & mask {
		e := m.slots[i]
		if e == 0 {
			n := m.entries()
			m.slots[i] = int32(n + 1)
			m.keys = append(m.keys, key...)
			for k := range m.rows {
				m.rows[k] = append(m.rows[k], 0)
			}
			return n, true
		}
		if equalWords(m.keys[int(e-1)*m.width:], key) {
			return int(e - 1), false
		}
	}
}

func (m *memo) grow() {
	m.slots = make([]int32, max(256, 2*len(m.slots)))
	mask := uint32(len(m.slots) - 1)
	for e := range m.entries() {
		i := hashWords(m.keys[e*m.width:(e+1)*m.width]) & mask
		for m.slots[i] != 0 {
			i = (i + 1) & mask
		}
		m.slots[i] = int32(e + 1)
	}
}

// hashWords mixes words by multiplication with the golden ratio.
func hashWords(words []int32) uint32 {
	h := uint64(len(words))
	for _, w := range words {
		h = (h ^ uint64(uint32(w))) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return uint32(h)
}

func equalWords(a, b []int32) bool {
	for i, w := range b {
		if a[i] != w {
			return false
		}
	}
	return true
}

// shared is forward for a stage that shares rows.
func (x *engine) shared(st *stage, code *stageCode, frames []int32) *batchError {
	s, r := code.share, x.run
	if failed := x.runCode(s.words); failed != nil {
		return failed
	}
	m := x.memos[st.id]
	if m == nil {
		m = newMemo(s)
		x.memos[st.id] = m
	}
	old := m.entries()
	r.entry = sized(r.entry, len(frames))
	r.firsts = r.firsts[:0]
	var key [maxKeys]int32
	for j := range frames {
		for k, reg := range s.keys {
			key[k] = r.regs[reg][j]
		}
		e, added := m.find(key[:len(s.keys)])
		r.entry[j] = int32(e)
		if added {
			r.firsts = append(r.firsts, int32(j))
		} else if e < m.kept {
			x.counts.kept++
		}
	}
	x.counts.shared += int64(len(frames) - len(r.firsts))
	if failed := x.distinct(st, code, m, old); failed != nil {
		m.reset() // entries without rows must not be found
		if failed.frame >= 0 {
			failed.frame = int(r.firsts[failed.frame])
		}
		return failed
	}
	for k, n := range s.names {
		dst, rows := r.regs[n.reg], m.rows[k]
		for j, e := range r.entry {
			dst[j] = rows[e]
		}
	}
	return nil
}

// distinct executes the floats for the first frame of every new key.
func (x *engine) distinct(st *stage, code *stageCode, m *memo, old int) *batchError {
	s, r := code.share, x.run
	n := len(r.firsts)
	if n == 0 {
		return nil
	}
	all := r.n
	for len(r.short) < len(s.keys) {
		r.short = append(r.short, nil)
	}
	for k, reg := range s.keys {
		short, full := sized(r.short[k], n), r.regs[reg]
		for u, j := range r.firsts {
			short[u] = full[j]
		}
		r.short[k], r.regs[reg] = full, short
	}
	r.n = n
	failed := x.runCode(s.floats)
	if failed == nil && x.train && len(code.back) > 0 {
		if err := x.record(st, code); err != nil {
			failed = &batchError{-1, nil, err}
		}
	}
	r.n = all
	for k, reg := range s.keys {
		r.short[k], r.regs[reg] = r.regs[reg], r.short[k]
	}
	for k, name := range s.names {
		first := int32(r.row0[name.own])
		for u := range n {
			m.rows[k][old+u] = first + int32(u)
		}
	}
	return failed
}
