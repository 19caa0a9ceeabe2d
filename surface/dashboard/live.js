// Asks for the page again when its sessions change, and keeps what was opened open.
(() => {
  const say = (text) => { document.getElementById("live").textContent = text; };
  const opened = () => [...document.querySelectorAll("details")].map((d) => d.open);
  let busy = false, again = false;
  const refresh = async () => {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const reply = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (reply.ok) {
        const next = new DOMParser().parseFromString(await reply.text(), "text/html").getElementById("content");
        const now = document.getElementById("content");
        const checked = [...now.querySelectorAll(".density input")].map((i) => i.checked);
        const open = opened();
        now.replaceChildren(...next.childNodes);
        now.querySelectorAll(".density input").forEach((i, n) => { i.checked = checked[n] ?? i.checked; });
        now.querySelectorAll("details").forEach((d, n) => { d.open = open[n] ?? d.open; });
        say("live");
      } else if (reply.status === 401) { say("this visit is over: run trimtab open"); }
    } catch { say("the server does not answer"); }
    busy = false;
    if (again) { again = false; refresh(); }
  };
  const feed = new EventSource("/live");
  feed.onopen = () => say("live");
  feed.onerror = () => say("the server does not answer");
  feed.addEventListener("changed", (e) => {
    const mine = document.body.dataset.session;
    if (!mine || mine === e.data) refresh();
  });
})();
