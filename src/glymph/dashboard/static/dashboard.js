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
  // A page that is refreshed in parts keeps the focus where it was.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const inside = event.detail.target.contains(document.activeElement);
    const polled = event.detail.target.matches("#now, #state");
    if (inside && polled && document.activeElement !== document.body) event.detail.shouldSwap = false;
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
