// A drawing of a tree: the root at the left, words below each other at the right.

const row = 24, radius = 8, margin = 14, gap = 14;
// Steps between levels. Discs of a node and an only child, which is in the same row,
// must not overlap; those of other children are in other rows.
const minStep = 11, minStepUnary = 17, maxStep = 46;

const main = document.querySelector("main");
const ruler = document.createElement("canvas").getContext("2d");

const html = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

function fill(element, attributes, children) {
	for (const key in attributes) element.setAttribute(key, attributes[key]);
	element.append(...children);
	return element;
}

class Drawing {
	constructor(t, canvas) {
		this.t = t;
		this.canvas = canvas;
		this.focus = t.root;
		canvas.addEventListener("pointerover", e => this.on(e, i => this.choose(i)));
		canvas.addEventListener("focusin", e => this.on(e, i => this.choose(i)));
		canvas.addEventListener("click", e => this.on(e, i => this.folded(i) ? this.toggle(i) : this.go(i)));
		canvas.addEventListener("dblclick", e => this.on(e, i => this.toggle(i)));
		canvas.addEventListener("keydown", e => this.on(e, i => this.key(e, i)));
		this.draw();
	}

	// on calls f with the node that an event is about.
	on(event, f) {
		const g = event.target.closest("g[data-node]");
		if (g) f(Number(g.dataset.node));
	}

	folded(i) { return this.t.children[i].length > 0 && !this.t.open.has(i); }

	// draw puts the root at the left and the words below each other at the right.
	draw() {
		const t = this.t, {shown, rows, deepest} = arrange(t);
		ruler.font = "13px system-ui, sans-serif";
		const words = Math.max(...shown.map(at => ruler.measureText(caption(t, at.i)).width));
		const room = this.canvas.clientWidth - 2 * margin - gap - words - 8;
		const least = shown.some(at => at.children.length === 1) ? minStepUnary : minStep;
		const step = Math.min(maxStep, Math.max(least, Math.floor(room / Math.max(1, deepest))));
		const aligned = step * deepest <= room; // else words would be far away from what is at the left
		const width = Math.ceil(2 * margin + deepest * step + gap + words), height = rows * row + 8;
		const lines = [], nodes = [];
		for (const at of shown) {
			at.x = margin + step * (aligned && at.children.length === 0 ? deepest : at.depth);
			at.y = 4 + row * (at.row + 0.5);
			if (at.parent) lines.push(`M${at.parent.x} ${at.parent.y}V${at.y}H${at.x}`);
			nodes.push(this.node(at));
		}
		this.places = shown.sort((a, b) => a.row - b.row || a.depth - b.depth);
		this.canvas.replaceChildren(svg("svg", {role: "tree", "aria-label": phrase(t, t.root, 200), width, height},
			svg("path", {d: lines.join("")}), ...nodes));
	}

	node(at) {
		const t = this.t, i = at.i, c = t.best(i), text = caption(t, i);
		const g = svg("g", {role: "treeitem", "data-node": i, "aria-level": at.depth + 1, "aria-label": describe(t, i),
			tabindex: i === this.focus ? 0 : -1, transform: `translate(${at.x} ${at.y})`});
		if (t.children[i].length > 0) g.setAttribute("aria-expanded", t.open.has(i));
		g.append(svg("circle", {class: "reach", r: row / 2}), svg("circle", {class: "disc", r: radius, fill: classes[c].colour}));
		const number = svg("text", {class: String(c).length > 2 ? "number long" : "number"}, String(c));
		number.style.fill = classes[c].ink;
		g.append(number);
		if (t.wrong(i)) g.append(svg("circle", {class: "ring", r: radius + 3}));
		if (text) {
			const kind = t.unknown.has(i) ? " unknown" : this.folded(i) ? " folded" : "";
			g.append(svg("text", {class: "word" + kind, x: gap}, text));
		}
		return g;
	}

	element(i) { return this.canvas.querySelector(`g[data-node="${i}"]`); }

	// choose tells about a node.
	choose(i) {
		for (const g of main.querySelectorAll("g.chosen")) g.classList.remove("chosen");
		this.element(i).classList.add("chosen");
		tell(this, i);
	}

	// go moves the focus to a node; there is one per tree that the tab key reaches.
	go(i) {
		this.element(this.focus)?.setAttribute("tabindex", -1);
		this.focus = i;
		const g = this.element(i);
		g.setAttribute("tabindex", 0);
		g.focus({preventScroll: true});
		g.scrollIntoView({block: "nearest", inline: "nearest"});
	}

	toggle(i) {
		if (this.t.children[i].length === 0) return;
		if (!this.t.open.delete(i)) unfold(this.t, i, moreRows);
		this.focus = i;
		this.draw();
		this.go(i);
		tell(this, i);
	}

	key(event, i) {
		const at = this.places.findIndex(p => p.i === i);
		const to = {
			ArrowUp: () => this.places[at - 1]?.i,
			ArrowDown: () => this.places[at + 1]?.i,
			ArrowLeft: () => this.places[at].parent?.i,
			ArrowRight: () => this.folded(i) ? (this.toggle(i), i) : this.places[at].children[0]?.i,
			Home: () => this.t.root,
			Enter: () => (this.toggle(i), i),
			" ": () => (this.toggle(i), i),
		}[event.key];
		if (!to || event.ctrlKey || event.altKey || event.metaKey) return;
		event.preventDefault();
		const next = to();
		if (next !== undefined) this.go(next);
	}
}
