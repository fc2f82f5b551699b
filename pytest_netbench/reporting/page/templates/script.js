"use strict";
(() => {
  const began = performance.timing ? performance.timing.navigationStart : Date.now();
  const rows = [...document.querySelectorAll("#trials tbody tr")];
  let texts;
  const form = document.getElementById("filter");
  const shown = document.getElementById("shown");
  const dialog = document.getElementById("detail");
  const room = document.getElementById("detail-body");

  const filter = () => {
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kind = form.elements.kind.value;
    const agent = form.elements.agent.value;
    let count = 0;
    texts ??= rows.map((row) => row.textContent.toLowerCase());
    rows.forEach((row, at) => {
      const fits = (!kind || row.dataset.kind === kind) && (!agent || row.dataset.agent === agent) &&
        words.every((word) => texts[at].includes(word));
      row.hidden = !fits;
      count += fits;
    });
    shown.textContent = `${count} of ${rows.length} trials`;
  };

  const open = () => {
    const id = location.hash.slice(1);
    const source = id.startsWith("trial-") && document.getElementById(`of-${id}`);
    if (!source) { if (dialog.open) dialog.close(); return; }
    room.innerHTML = source.textContent;
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  };

  const settings = new URLSearchParams(location.search);
  for (const name of ["text", "kind", "agent"]) {
    if (settings.has(name)) form.elements[name].value = settings.get(name);
  }
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  // links lead to pages beside this one; what is in this one opens here
  document.getElementById("trials").addEventListener("click", (event) => {
    const link = event.target.closest("a[data-trial]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    location.hash = `trial-${link.dataset.trial}`;
  });
  document.getElementById("matrix").addEventListener("click", (event) => {
    const cell = event.target.closest("a[data-task]");
    if (!cell) return;
    form.elements.text.value = cell.dataset.task;
    form.elements.agent.value = cell.dataset.agent;
    form.elements.kind.value = "";
    filter();
  });
  window.addEventListener("hashchange", open);
  dialog.addEventListener("close", () => {
    room.replaceChildren();
    if (location.hash.startsWith("#trial-")) history.replaceState(null, "", location.pathname + location.search + "#trials");
  });
  if ([...settings.keys()].length) filter(); else shown.textContent = `${rows.length} trials`;
  open();
  document.documentElement.dataset.readyMs = String(Date.now() - began);
})();
