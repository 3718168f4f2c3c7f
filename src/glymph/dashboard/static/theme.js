// Before anything is drawn: the theme that was chosen here, if one was.
(() => {
  const chosen = localStorage.getItem("theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
})();
