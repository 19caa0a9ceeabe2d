// Asks for the page again when what it shows has changed, and changes only what differs:
// what was opened stays open, what is being typed and has the focus stays as it is.
(() => {
  const status = document.getElementById("live");
  const say = (text) => { if (status.textContent !== text) status.textContent = text; };
  // A narrow screen shows a part of the navigation: the part with this page.
  const here = document.querySelector(".bar nav [aria-current]");
  if (here) {
    const box = here.getBoundingClientRect(), nav = here.parentNode.getBoundingClientRect();
    if (box.right > nav.right) here.parentNode.scrollLeft += box.right - nav.right + 16;
  }
  const kept = (name, node) => (name === "open" && node.nodeName === "DETAILS") || (name === "value" && node.nodeName === "INPUT" && node.type !== "hidden");
  const attributes = (old, next) => {
    for (const a of [...old.attributes]) if (!next.hasAttribute(a.name) && !kept(a.name, old)) old.removeAttribute(a.name);
    for (const a of [...next.attributes]) if (old.getAttribute(a.name) !== a.value && !kept(a.name, old)) old.setAttribute(a.name, a.value);
  };
  const same = (a, b) => a && a.nodeName === b.nodeName && (a.id || "") === (b.id || "") && (a.className || "").split(" ")[0] === (b.className || "").split(" ")[0];
  // ahead is the node for a new one: one of the same id, or one of the next few like it.
  const ahead = (at, child) => {
    for (let n = at, i = 0; n && (child.id || i < 8); n = n.nextSibling, i++) if (same(n, child) && (n.nodeType === Node.ELEMENT_NODE || n === at)) return n;
    return null;
  };
  const morph = (old, next) => {
    if (old.isEqualNode(next)) return;
    let at = old.firstChild;
    for (const child of [...next.childNodes]) {
      const match = ahead(at, child);
      if (!match) { old.insertBefore(child, at); continue; }
      while (at !== match) { // what comes before it goes behind it: the one that is kept never moves, nor loses the focus
        const moved = at;
        at = at.nextSibling;
        old.insertBefore(moved, match.nextSibling);
      }
      at = match.nextSibling;
      if (match.nodeType === Node.ELEMENT_NODE) {
        if (match.nodeName === "SELECT" && match === document.activeElement) continue;
        attributes(match, child);
        if (match.nodeName !== "TEXTAREA") morph(match, child);
      } else if (match.nodeValue !== child.nodeValue) match.nodeValue = child.nodeValue;
    }
    while (at) { const gone = at; at = at.nextSibling; gone.remove(); }
  };
  let busy = false, again = false;
  const refresh = async () => {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const reply = await fetch(location.href, { headers: { Accept: "text/html" } });
      const next = new DOMParser().parseFromString(await reply.text(), "text/html").getElementById("content");
      if (reply.ok || reply.status === 404) {
        const content = document.getElementById("content");
        const before = content.querySelectorAll(".note").length, waited = !!content.querySelector("[data-again]");
        morph(content, next);
        if (waited && location.hash.length > 1) document.getElementById(location.hash.slice(1))?.scrollIntoView();
        say(content.querySelectorAll(".note").length > before ? "live: a new message of Trimtab" : "live");
      } else if (reply.status === 401 || reply.status === 403) say(reply.status === 401 ? document.body.dataset.over : "you may not see this any more");
      else say("the store does not answer; trying again");
    } catch { say("the server does not answer"); }
    busy = false;
    if (document.querySelector("[data-again]")) setTimeout(refresh, 1000);
    if (again) { again = false; refresh(); }
  };
  if (document.querySelector("[data-again]")) setTimeout(refresh, 500);
  const live = document.body.dataset.live;
  if (!live) return;
  const mine = (what) => what === live || (live === "sessions" && what.startsWith("session ")) || (live === "improvements" && what.startsWith("improvement ")) || live === "all";
  const address = "/live" + (live.startsWith("session ") ? "?session=" + encodeURIComponent(live.slice(8)) : "");
  let was = false;
  const listen = () => {
    const feed = new EventSource(address);
    feed.addEventListener("ready", () => { say("live"); if (was) refresh(); was = true; });
    feed.addEventListener("away", () => say("the store does not answer; trying again"));
    feed.addEventListener("changed", (e) => { if (mine(e.data)) refresh(); });
    feed.onerror = () => {
      say("the server does not answer");
      if (feed.readyState !== EventSource.CLOSED) return; // the browser tries again
      was = true;
      refresh(); // which says why
      setTimeout(listen, 5000);
    };
  };
  listen();
})();
