"use strict";
(() => {
	const perPage = 10;
	const openRows = 120; // rows of trees that are open when a page is shown
	const firstRows = 300; // rows of a tree that are shown at first
	const moreRows = 100; // and those that unfolding a node adds
	const row = 24, radius = 8, margin = 14, gap = 14;
	const minStep = 17, maxStep = 46;

	const classes = JSON.parse(document.getElementById("classes").textContent);
	const sources = [...document.querySelectorAll("script.tree")];
	const main = document.querySelector("main"), nav = document.querySelector("nav"), aside = document.querySelector("aside");
	const ruler = document.createElement("canvas").getContext("2d");

	const html = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
	const svg = (name, attributes, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
	function fill(element, attributes, children) {
		for (const key in attributes) element.setAttribute(key, attributes[key]);
		element.append(...children);
		return element;
	}

	// Tree: nodes are numbered in post-order, children before their parents.
	function parse(source) {
		const t = JSON.parse(source.textContent);
		const n = t.parent.length;
		t.root = n - 1;
		t.children = Array.from({length: n}, () => []);
		t.first = new Int32Array(n); // of the nodes of a subtree
		t.size = new Int32Array(n).fill(1);
		for (let i = 0; i < n; i++) {
			t.first[i] = i - t.size[i] + 1;
			if (i === t.root) break;
			t.children[t.parent[i]].push(i);
			t.size[t.parent[i]] += t.size[i];
		}
		t.unknown = new Set(t.unknown);
		t.best = i => t.classes[i * t.told];
		t.wrong = i => t.label[i] >= 0 && t.label[i] !== t.best(i);
		t.open = new Set();
		unfold(t, t.root, firstRows);
		return t;
	}

	// phrase is the text below a node, cut after a number of characters.
	function phrase(t, i, most) {
		let text = "";
		for (let k = t.first[i]; k <= i; k++) {
			if (t.word[k] === "") continue;
			if (text.length > most) return text + " …";
			text += (text && " ") + t.word[k];
		}
		return text;
	}

	// unfold opens the upper part of a subtree, level by level, until it has as many
	// rows as are allowed; the node itself in any case.
	function unfold(t, from, rows) {
		const queue = [from];
		rows--;
		for (let k = 0; k < queue.length; k++) {
			const i = queue[k], more = t.children[i].length - 1;
			if (more < 0 || (more > rows && i !== from)) continue;
			rows -= more;
			t.open.add(i);
			for (const c of t.children[i]) queue.push(c);
		}
	}

	// arrange returns the nodes that are shown, with their rows.
	function arrange(t) {
		const shown = [];
		for (const stack = [{i: t.root, depth: 0}]; stack.length > 0;) {
			const at = stack.pop();
			at.children = [];
			shown.push(at);
			if (!t.open.has(at.i)) continue;
			for (const c of t.children[at.i].toReversed()) stack.push({i: c, depth: at.depth + 1, parent: at});
		}
		let rows = 0, deepest = 0;
		for (const at of shown) {
			if (at.parent) at.parent.children.push(at);
			if (!t.open.has(at.i)) at.row = rows++;
			deepest = Math.max(deepest, at.depth);
		}
		for (const at of shown.toReversed()) {
			if (at.children.length > 0) at.row = (at.children[0].row + at.children.at(-1).row) / 2;
		}
		return {shown, rows, deepest};
	}

	function cut(text, most) {
		return text.length > most ? text.slice(0, most - 1) + "…" : text;
	}

	function caption(t, i) {
		if (t.children[i].length === 0) return cut(t.word[i], 24);
		if (t.open.has(i)) return "";
		return `▸ ${cut(phrase(t, i, 40), 50)} (${t.size[i]} nodes)`;
	}

	function className(c) {
		return classes[c].name ? `${c} ${classes[c].name}` : `${c}`;
	}

	function percent(permille) {
		return `${(permille / 10).toFixed(1)} %`;
	}

	function describe(t, i) {
		let text = `${phrase(t, i, 80)}: class ${className(t.best(i))}, ${percent(t.permille[i * t.told])}`;
		if (t.label[i] >= 0) text += `, label ${t.label[i]}`;
		return text;
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
			const step = Math.min(maxStep, Math.max(minStep, Math.floor(room / Math.max(1, deepest))));
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

	function badge(c, text) {
		const b = html("span", {class: "badge"}, text ?? String(c));
		b.style.background = classes[c].colour;
		b.style.color = classes[c].ink;
		return b;
	}

	function labelBadge(label) { return html("span", {class: "badge wrong"}, `label ${label}`); }

	// signs explains what colours do not tell.
	function signs() {
		return html("ul", {class: "key"},
			html("li", {}, html("span", {class: "badge wrong"}, "n"), "the label is another class"),
			html("li", {}, html("i", {class: "unknown"}, "word"), " not known to the model"));
	}

	function legend() {
		const key = html("ul", {class: "key"});
		const shown = classes.length <= 12 ? classes.map((_, c) => c) : [0, classes.length - 1];
		for (const c of shown) key.append(html("li", {}, badge(c), classes[c].name));
		aside.replaceChildren(html("h2", {}, "Classes"), key, signs(),
			html("p", {class: "hint"}, "Point at a node, tap it or reach it by the arrow keys to see its probabilities. Enter folds and unfolds."));
	}

	// told lists the classes that are told of a node, as places in its tree's arrays.
	function told(t, i) {
		const places = Array.from({length: t.told}, (_, k) => i * t.told + k);
		if (t.told === classes.length) places.sort((a, b) => t.classes[a] - t.classes[b]); // a distribution, always in the same order
		return places;
	}

	// tell shows the probabilities at a node.
	function tell(drawing, i) {
		const t = drawing.t;
		const table = html("table", {});
		for (const k of told(t, i)) {
			const c = t.classes[k], bar = html("div", {class: "bar"});
			bar.style.width = percent(t.permille[k]).replace(" ", "");
			bar.style.background = classes[c].colour;
			table.append(html("tr", {},
				html("td", {}, badge(c), classes[c].name),
				html("td", {class: "track"}, bar),
				html("td", {class: "figure"}, percent(t.permille[k]))));
		}
		const facts = html("p", {}, badge(t.best(i), className(t.best(i))));
		if (t.label[i] >= 0) facts.append(t.wrong(i) ? labelBadge(t.label[i]) : `label ${t.label[i]}`);
		aside.replaceChildren(html("h2", {}, phrase(t, i, 160)), facts, table);
		if (t.children[i].length > 0) {
			const fold = html("button", {type: "button"}, drawing.folded(i) ? "Unfold" : "Fold");
			fold.addEventListener("click", () => drawing.toggle(i));
			aside.append(fold);
		}
		aside.append(signs());
	}

	// section is a tree under its sentence, drawn when it is opened.
	function section(t) {
		const c = t.best(t.root);
		const summary = html("summary", {}, badge(c));
		if (t.wrong(t.root)) summary.append(labelBadge(t.label[t.root]));
		summary.append(phrase(t, t.root, 200));
		const canvas = html("div", {class: "canvas"});
		const details = html("details", {}, summary, canvas);
		details.addEventListener("toggle", () => {
			if (details.open && !details.drawing) details.drawing = new Drawing(t, canvas);
		});
		return details;
	}

	let from = 0, onlyWrong = false;

	function show() {
		const some = onlyWrong ? sources.filter(s => "wrong" in s.dataset) : sources;
		from = Math.max(0, Math.min(from, some.length - 1));
		from -= from % perPage;
		const trees = some.slice(from, from + perPage).map(parse);
		const sections = trees.map(section);
		main.replaceChildren(...sections);
		let rows = 0;
		for (const [k, t] of trees.entries()) {
			rows += t.open.size + 1; // of binary trees: a row more than open nodes
			if (k === 0 || rows <= openRows) sections[k].open = true;
		}
		legend();
		navigation(some.length);
	}

	function navigation(count) {
		const move = (text, by, possible) => {
			const b = html("button", {type: "button"}, text);
			b.disabled = !possible;
			b.addEventListener("click", () => { from += by; show(); scrollTo(0, 0); });
			return b;
		};
		const wrong = sources.filter(s => "wrong" in s.dataset).length;
		nav.replaceChildren();
		if (sources.length > perPage) {
			nav.append(move("← back", -perPage, from > 0),
				html("span", {}, `trees ${count && from + 1} to ${Math.min(from + perPage, count)} of ${count}`),
				move("next →", perPage, from + perPage < count));
		}
		if (wrong > 0 && sources.length > 1) {
			const box = html("input", {type: "checkbox"});
			box.checked = onlyWrong;
			box.addEventListener("change", () => { onlyWrong = box.checked; from = 0; show(); });
			nav.append(html("label", {}, box, ` only mistakes at the root (${wrong})`));
		}
	}

	let width = innerWidth;
	addEventListener("resize", () => {
		if (innerWidth === width) return;
		width = innerWidth;
		for (const details of main.children) details.drawing?.draw();
	});
	show();
})();
