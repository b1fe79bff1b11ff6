package exec

import (
	"fmt"
	"slices"
	"strings"
)

// Plan prints how the session executes its program: the stages of every graph
// with what they wait for, the instructions of each and where they read and
// write, what is shared between frames and what training keeps. It is for
// people; the form may change.
//
// Places are written as r3 (a word per frame in register 3), t2 (temporary
// memory), s1[r3] (the row of store 1 that register 3 names), s1+ (a row that this
// stage appends to store 1), W[r3] (a row of a variable), dY2 (rows of cotangents that
// gradients of products read); @5 is the part that begins at element 5, and d stands for
// the cotangent beside a row. [A, B] are matrices side by side, [A; B] one above the
// other; += adds to what is there. Lines with a bar are executed together for some rows,
// then for the next.
func (s *Session) Plan() string {
	pr := &planPrinter{p: s.plan}
	for i, st := range s.plan.stores {
		pr.printf("store s%d: rows of %d %s", i, st.size, elemName(st.ints))
		if !st.named {
			pr.printf(", kept for backward")
		}
		if len(st.pins) > 0 {
			pr.printf(", %d pinned", len(st.pins))
		}
		pr.printf("\n")
	}
	for i, u := range s.plan.uses {
		pr.printf("product %d: gradient of %s, [%d %d] per step, from dY%d", i, s.prog.Variables[u.variable].Name, u.xDim, u.yDim, u.dy)
		if u.dyFrom > 0 {
			pr.printf("@%d", u.dyFrom)
		}
		pr.printf("\n")
	}
	for _, sub := range s.plan.subs {
		pr.sub(sub)
	}
	return pr.b.String()
}

func elemName(ints bool) string {
	if ints {
		return "i32"
	}
	return "f32"
}

type planPrinter struct {
	p *plan
	b strings.Builder
}

func (pr *planPrinter) printf(format string, args ...any) { fmt.Fprintf(&pr.b, format, args...) }

func (pr *planPrinter) sub(s *subPlan) {
	pr.printf("\n%s: %d words per frame\n", s.g.Name, s.frameWords)
	for _, c := range s.calls {
		if c.tail {
			pr.printf("  invocation %d answers for the frame (tail call)\n", c.slot)
		}
	}
	for _, st := range s.stages {
		pr.stage(st)
	}
}

func (pr *planPrinter) stage(st *stage) {
	pr.printf("  stage %s (%v)", st.name(), st.role)
	for _, c := range st.sub.calls {
		if st.after.has(c.slot) {
			pr.printf(" after invocation %d", c.slot)
		}
	}
	for _, d := range st.deps {
		pr.printf(" after %s", d.name())
	}
	if st.passes {
		pr.printf(": hands results on\n")
		return
	}
	pr.printf("\n")
	if st.infer.share != nil {
		pr.printf("    shared by frames with equal %s\n", regList(st.infer.share.keys))
	}
	pr.code(st.train.instrs, "    ")
	for _, c := range st.calls {
		var names []string
		for _, g := range c.callees {
			names = append(names, g.g.Name)
		}
		pr.printf("    invocation %d: %s %s\n", c.slot, c.op.Name(), strings.Join(names, " or "))
	}
	if st.isRet {
		pr.printf("    return\n")
	}
	if len(st.train.back) > 0 {
		pr.printf("    backward, with %s on the tape\n", regList(st.train.tape))
		pr.code(st.train.back, "      ")
	}
}

func regList(regs []int) string {
	if len(regs) == 0 {
		return "nothing"
	}
	var parts []string
	for _, r := range slices.Sorted(slices.Values(regs)) {
		parts = append(parts, fmt.Sprintf("r%d", r))
	}
	return strings.Join(parts, " ")
}

var instrNames = map[instrKind]string{
	doIota: "names of", doListNames: "list of", doConst: "constant", doFlatten: "elements of", doSameLength: "check lengths",
	doBounds: "check bounds", doCopy: "copy", doAdd: "add", doZero: "zero", doLoss: "loss", doCollect: "collect", doScatter: "add at names",
	doScatterAt: "add at index", doSumRows: "sum rows", doSparseRows: "add table rows", doKeep: "keep for product", doAdvance: "keep rows of",
}

func (pr *planPrinter) code(instrs []instr, indent string) {
	for i := range instrs {
		in := &instrs[i]
		switch in.kind {
		case doReserve:
			continue
		case doFused:
			pr.group(in, indent)
			continue
		}
		pr.printf("%s", indent)
		if in.out.kind != nowhere {
			pr.printf("%s %s ", pr.place(&in.out), in.assignment())
		}
		name, ok := instrNames[in.kind]
		if !ok {
			name = in.node.Op.Name()
		}
		pr.printf("%s", name)
		for k := range in.in {
			pr.printf(" %s", pr.place(&in.in[k]))
		}
		switch in.kind {
		case doGemm:
			pr.printf(" %s", pr.p.weightName(in.index))
			if !in.bias.IsZero() {
				pr.printf(" + %s", globalName(in.bias))
			}
		case doSumRows, doSparseRows:
			pr.printf(" into the gradient of %s", pr.p.prog.Variables[in.index].Name)
		case doAdvance:
			pr.printf(" dY%d", in.index)
		case doConst, doBounds, doKeep:
			pr.printf(" %d", in.index)
		}
		if in.space != frameSpace {
			pr.printf("  (per list element, space %d)", in.space)
		}
		pr.printf("\n")
	}
}

// group prints instructions that are executed together.
func (pr *planPrinter) group(in *instr, indent string) {
	if len(in.parts) == 1 {
		pr.code(in.parts, indent)
		return
	}
	pr.printf("%stogether, %d rows at a time\n", indent, in.chunk)
	pr.code(in.parts, indent+"| ")
}

// assignment is how the instruction writes its result.
func (in *instr) assignment() string {
	if in.add {
		return "+="
	}
	return "="
}
