// Labels messages by one key, without loading the page again. Without it the forms do the same.
(() => {
  const form = document.getElementById("label");
  if (!form) return;
  const say = (text) => { document.getElementById("live").textContent = text; };
  const cards = () => [...document.querySelectorAll(".judged")];
  const go = (card, by) => {
    const all = cards(), next = all[all.indexOf(card) + by];
    if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
  };
  const keep = async (button) => {
    const data = new URLSearchParams(new FormData(form));
    data.set("label", button.value);
    const reply = await fetch(form.action, { method: "POST", body: data, redirect: "manual" });
    if (reply.type !== "opaqueredirect") {
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      say(page.querySelector("main p")?.textContent ?? "your label was not kept");
      return;
    }
    const verdict = button.value.split(" ")[0], group = button.closest(".verdicts");
    for (const b of group.querySelectorAll("[aria-pressed]")) b.setAttribute("aria-pressed", String(b === button));
    const said = group.closest("details.judge")?.querySelector("summary");
    if (said) said.textContent = verdict === "none" ? "was it useful?" : "found " + verdict;
    say(verdict === "none" ? "taken back" : "kept: " + verdict);
    const card = button.closest(".judged");
    if (card) { card.classList.toggle("has-verdict", verdict !== "none"); go(card, 1); }
  };
  document.addEventListener("click", (e) => {
    const button = e.target.closest?.('button[form="label"]');
    if (!button) return;
    e.preventDefault();
    keep(button).catch(() => say("the server does not answer"));
  });
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey || /^(TEXTAREA|INPUT|SELECT)$/.test(e.target.nodeName)) return;
    const card = document.activeElement.closest(".judged");
    if (e.key === "n" || e.key === "p") {
      if (card) go(card, e.key === "n" ? 1 : -1); else cards()[0]?.focus();
      return;
    }
    const verdict = { u: "useful", h: "harmless", a: "annoying" }[e.key];
    if (card && verdict) card.querySelector(`button[value^="${verdict} "]`)?.click();
  });
  if (location.hash.startsWith("#note-")) { // a link to a message opens what one can say of it
    const at = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (at) at.open = true;
  }
})();
