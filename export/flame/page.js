"use strict";
(() => {
	const chart = document.getElementById("chart");
	const search = document.getElementById("search");
	const all = document.getElementById("all");
	const found = document.getElementById("found");
	if (!chart) return;
	const frames = [...chart.querySelectorAll(".f")].map((el) => ({
		el, n: el.dataset.n, x: +el.dataset.x, w: +el.dataset.w, tokens: +el.dataset.tokens,
		text: el.querySelector("text"), about: document.getElementById("about-" + el.dataset.n),
	}));
	const total = frames.reduce((sum, f) => sum + f.tokens, 0);
	const letter = 7.3;
	let chosen = null;

	// label is what so many columns hold: as much as tells something, else the id.
	const label = ({ full, tag, id }, columns) => {
		if (wide(full) <= columns) return full;
		if (columns >= wide(tag) + 4) {
			let text = "", used = 1;
			for (const c of full) {
				if ((used += wide(c)) > columns) break;
				text += c;
			}
			return text.trimEnd() + "…";
		}
		return wide(tag) <= columns ? tag : wide(id) <= columns ? id : "";
	};
	// wide counts the letters of East Asia, and pictures, as two.
	const wide = (s) => [...s].reduce((n, c) => n + (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u26a0]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u.test(c) ? 2 : 1), 0);

	// draw shows the chosen frame as wide as the page, those below it behind it.
	const draw = () => {
		const from = chosen ? chosen.x : 0, width = chosen ? chosen.w : 1;
		const page = chart.getBoundingClientRect().width;
		for (const f of frames) {
			const begin = Math.max(0, (f.x - from) / width), end = Math.min(1, (f.x + f.w - from) / width);
			f.el.classList.toggle("away", end - begin < 1e-6);
			f.el.classList.toggle("chosen", f === chosen);
			f.el.setAttribute("x", 100 * begin + "%");
			f.el.setAttribute("width", 100 * Math.max(0, end - begin) + "%");
			f.text.textContent = label(f.text.dataset, Math.floor(((end - begin) * page - 8) / letter));
		}
		all.disabled = !chosen && !search.value;
	};
	const choose = (f) => {
		chosen = f;
		for (const o of frames) o.about.hidden = o !== f;
		document.getElementById("hint").hidden = !!f;
		draw();
	};
	const look = () => {
		const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
		let hits = 0, tokens = 0;
		for (const f of frames) {
			const text = f.about.textContent.toLowerCase();
			const hit = words.every((w) => text.includes(w));
			f.el.classList.toggle("miss", !hit);
			if (hit) { hits++; tokens += f.tokens; }
		}
		found.textContent = words.length ? hits + " of " + frames.length + " frames, " + (total ? Math.round(100 * tokens / total) : 0) + " % of the tokens" : "";
		draw();
	};
	for (const f of frames) {
		f.el.addEventListener("click", () => choose(f));
		f.el.addEventListener("keydown", (e) => {
			if (e.key === "Enter" || e.key === " ") { e.preventDefault(); choose(f); }
		});
	}
	const reset = () => { search.value = ""; choose(null); look(); };
	all.addEventListener("click", reset);
	search.addEventListener("input", look);
	document.getElementById("bar").addEventListener("submit", (e) => e.preventDefault());
	document.addEventListener("keydown", (e) => {
		if (e.key === "Escape") reset();
		if (e.key === "/" && document.activeElement !== search) { e.preventDefault(); search.focus(); }
	});
	addEventListener("resize", draw);
	choose(null);
})();
