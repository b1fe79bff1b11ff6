// What is around the drawings: sentences, pages of them, and what is told about a node.

const perPage = 10;
const openRows = 120; // rows of trees that are open when a page is shown

const sources = [...document.querySelectorAll("script.tree")];
const nav = document.querySelector("nav"), aside = document.querySelector("aside");

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
