"use strict";

// Trees as they are shown: which nodes, in which rows, with which words.

const firstRows = 300; // rows of a tree that are shown at first
const moreRows = 100; // and those that unfolding a node adds
const levels = 40; // levels that either shows

const classes = JSON.parse(document.getElementById("classes").textContent);

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
		text += (text && " ") + cut(t.word[k], most);
	}
	return text;
}

// unfold opens the upper part of a subtree, level by level, until it has as many rows or
// levels as are allowed; the node itself in any case.
function unfold(t, from, rows) {
	rows--;
	let level = [from];
	for (let depth = 0; depth < levels && level.length > 0; depth++) {
		const next = [];
		for (const i of level) {
			const more = t.children[i].length - 1;
			if (more < 0 || (more > rows && i !== from)) continue;
			rows -= more;
			t.open.add(i);
			for (const c of t.children[i]) next.push(c);
		}
		level = next;
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
