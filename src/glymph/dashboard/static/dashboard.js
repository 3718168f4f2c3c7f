// The switch of the theme, keys, and small comforts. Every page works without it.
(() => {
  "use strict";
  const root = document.documentElement;
  const wide = matchMedia("(min-width: 60rem)");
  const menu = document.getElementById("menu");
  const fit = () => { if (menu) menu.open = wide.matches; };
  wide.addEventListener("change", fit);
  fit();

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const button = document.getElementById("theme");
  const isDark = () => (root.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
  const label = () => { if (button) button.textContent = isDark() ? "Light" : "Dark"; };
  button?.addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    localStorage.setItem("theme", next);
    root.dataset.theme = next;
    label();
    dispatchEvent(new Event("themechange"));
  });
  label();

  let waiting = 0;
  const rows = () => [...document.querySelectorAll(".row-link")];
  const step = (by) => {
    const all = rows();
    const at = all.indexOf(document.activeElement);
    all[Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
  };
  addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input, textarea, select, canvas");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (Date.now() - waiting < 1500) {
      waiting = 0;
      const page = document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`);
      if (page) location.href = page.href;
      return;
    }
    const acts = {
      g: () => { waiting = Date.now(); },
      j: () => step(1),
      k: () => step(-1),
      "?": () => document.getElementById("keys")?.showModal(),
      "/": () => {
        const field = document.getElementById("q");
        if (field) field.focus(); else location.href = "/memories" + location.search.replace(/[?&](?!space=)[^&]*/g, "");
      },
    };
    if (acts[event.key]) { event.preventDefault(); acts[event.key](); }
  });
  // What changes elsewhere is told by the server while somebody looks; where it cannot tell, pages
  // ask every so often. Parts marked as live are fetched again; of others one line tells.
  const EVERY = 20000, SOON = 300, APART = 3000;  // ms
  const source = document.body.dataset.events;
  let stream = null, soon = 0, last = 0;
  const showLine = () => { const line = document.getElementById("elsewhere"); if (line) line.hidden = false; };
  const refresh = () => {
    soon = 0; last = Date.now();
    if (document.querySelector("[data-live]")) document.body.dispatchEvent(new Event("changed-elsewhere"));
    else showLine();
  };
  const changed = () => { soon ||= setTimeout(refresh, Math.max(SOON, last + APART - Date.now())); };
  const follow = () => {
    stream = new EventSource(source);
    stream.onopen = () => { document.body.dataset.followed = "yes"; };
    stream.onerror = () => { delete document.body.dataset.followed; };
    stream.onmessage = changed;
  };
  const leave = () => { stream?.close(); stream = null; delete document.body.dataset.followed; };
  if (source) {
    // A browser has six connections for all its tabs: one that nobody sees gives its own back.
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) leave(); else { follow(); changed(); }
    });
    addEventListener("pagehide", leave);
    addEventListener("pageshow", () => { if (!stream && !document.hidden) follow(); });
    setInterval(() => {
      if (document.hidden || document.body.dataset.followed) return;
      if (document.querySelector("[data-live]")) changed();
      if (stream?.readyState === EventSource.CLOSED) follow();
    }, EVERY);
  }
  // A part that is refreshed does not take the focus away.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, requestConfig } = event.detail;
    if (!target.matches("[data-live]") || requestConfig.elt !== target) return;
    if (target.contains(document.activeElement)) { event.detail.shouldSwap = false; showLine(); }
  });
  // One decision is sent once.
  document.addEventListener("submit", (event) => {
    if (event.target.method !== "post") return;
    const pressed = event.submitter;
    if (pressed) setTimeout(() => { pressed.disabled = true; }, 0);
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) document.querySelectorAll("button:disabled").forEach((one) => { one.disabled = false; });
  });
})();
