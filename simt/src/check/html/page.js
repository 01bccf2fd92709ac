"use strict";
// Steps through the timelines of a page. Without it every step is listed, and memory is shown as it ends.
for (const trace of document.querySelectorAll("article.trace")) {
  const rows = [...trace.querySelectorAll("tr[data-step]")];
  const words = [...trace.querySelectorAll("tr[data-word]")];
  const slider = trace.querySelector("input[type=range]");
  const label = trace.querySelector(".at");
  const title = trace.querySelector(".now-title");
  if (!slider || rows.length === 0) continue;
  let at = 0;

  // What the words hold after the first `at` rows, and which of them the last row wrote.
  const show = (next, scroll) => {
    at = Math.max(0, Math.min(rows.length, next));
    const held = words.map((row) => row.dataset.before);
    let changed = -1;
    rows.forEach((row, number) => {
      const writes = number < at && row.dataset.writes !== undefined;
      if (writes) held[Number(row.dataset.writes)] = row.dataset.value;
      if (number === at - 1) changed = writes ? Number(row.dataset.writes) : -1;
      row.classList.toggle("now", number === at - 1);
      row.classList.toggle("later", number >= at);
    });
    // Of stores that no memory order puts one after the other any may count in the end.
    if (at === rows.length) words.forEach((row, number) => { held[number] = row.dataset.after; });
    words.forEach((row, number) => {
      const cell = row.querySelector(".value");
      cell.textContent = held[number];
      cell.classList.toggle("changed", number === changed);
    });
    slider.value = String(at);
    const step = at === 0 ? "before step 1" : "after step " + rows[at - 1].dataset.step;
    label.textContent = at + " of " + rows.length;
    title.textContent = step;
    if (scroll && at > 0) rows[at - 1].scrollIntoView({ block: "nearest" });
  };

  slider.max = String(rows.length);
  slider.addEventListener("input", () => show(Number(slider.value), true));
  const moves = { first: () => 0, back: () => at - 1, next: () => at + 1, last: () => rows.length };
  for (const [name, to] of Object.entries(moves)) {
    trace.querySelector("button." + name).addEventListener("click", () => show(to(), true));
  }
  rows.forEach((row, number) => row.addEventListener("click", () => show(number + 1, false)));
  trace.addEventListener("keys", (event) => show(moves[event.detail](), true));
  trace.classList.add("live");
  const start = location.hash.match(/^#step-(\d+)$/);
  show(start ? Number(start[1]) : rows.length, false);
}

// The arrow keys step the trace that is in view.
document.addEventListener("keydown", (event) => {
  const move = { ArrowRight: "next", ArrowDown: "next", ArrowLeft: "back", ArrowUp: "back", Home: "first", End: "last" }[event.key];
  if (!move || event.target.matches("input") || event.ctrlKey || event.altKey || event.metaKey) return;
  const traces = [...document.querySelectorAll("article.trace.live")].filter((trace) => trace.offsetParent !== null);
  const seen = traces.find((trace) => trace.getBoundingClientRect().bottom > 80);
  if (!seen) return;
  event.preventDefault();
  seen.dispatchEvent(new CustomEvent("keys", { detail: move }));
});
