"use strict";
// Steps through the timelines of a page. Without it every step is listed, and memory is shown as it ends.
for (const trace of document.querySelectorAll("article.trace")) {
  const rows = [...trace.querySelectorAll("tr[data-step]")];
  const words = [...trace.querySelectorAll("tr[data-word]")];
  const slider = trace.querySelector("input[type=range]");
  const label = trace.querySelector(".at");
  const title = trace.querySelector(".now-title");
  const told = trace.querySelector(".told");
  const both = trace.querySelector(".both");
  if (!slider || rows.length === 0) continue;
  let at = 0;

  // What the words hold after the first `at` rows.
  const memory = () => {
    // Of stores that no memory order puts one after the other any may count in the end.
    if (at === rows.length) return words.map((row) => row.dataset.after);
    const held = words.map((row) => row.dataset.before);
    for (const { dataset } of rows.slice(0, at)) {
      if (dataset.writes !== undefined) held[Number(dataset.writes)] = dataset.value;
    }
    return held;
  };

  const show = (next, scroll) => {
    at = Math.max(0, Math.min(rows.length, next));
    const now = at === 0 ? {} : rows[at - 1].dataset;
    rows.forEach((row, number) => {
      row.classList.toggle("now", number === at - 1);
      row.classList.toggle("later", at > 0 && number >= at);
    });
    memory().forEach((value, number) => {
      const [reads, writes] = [now.reads === String(number), now.writes === String(number)];
      const cell = words[number].querySelector(".value");
      cell.querySelector(".held").textContent = value;
      cell.classList.toggle("changed", writes);
      cell.classList.toggle("read", reads && !writes);
      cell.classList.toggle("old", reads && now.stale !== undefined);
      const note = writes ? (reads ? "read and written" : "written") : reads ? "read" : "";
      cell.querySelector(".note").textContent = reads && now.stale !== undefined ? "old value read: " + now.read : note;
    });
    slider.value = String(at);
    label.textContent = at + " of " + rows.length;
    title.textContent = at === 0 ? "before step 1" : "after step " + now.step;
    told.textContent = at === 0 ? "Before the first step. Press \u2192." : now.told;
    if (!scroll || at === 0) return;
    // The memory comes into view with the steps.
    if (both.getBoundingClientRect().top > innerHeight / 3) both.scrollIntoView();
    rows[at - 1].scrollIntoView({ block: "nearest" });
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
  const asked = () => {
    const found = location.hash.match(/^#step-(\d+)$/);
    show(found ? Number(found[1]) : 0, found !== null);
  };
  window.addEventListener("hashchange", asked);
  asked();
  // Paper shows everything, and memory as it ends.
  let before = 0;
  window.addEventListener("beforeprint", () => { before = at; show(rows.length, false); });
  window.addEventListener("afterprint", () => show(before, false));
}

// The arrow keys step the trace that is in view.
document.addEventListener("keydown", (event) => {
  const move = { ArrowRight: "next", ArrowDown: "next", ArrowLeft: "back", ArrowUp: "back", Home: "first", End: "last" }[event.key];
  if (!move || event.target.matches("input") || event.ctrlKey || event.altKey || event.metaKey) return;
  const traces = [...document.querySelectorAll("article.trace.live")].filter((trace) => trace.checkVisibility());
  const seen = traces.find((trace) => trace.getBoundingClientRect().bottom > 80);
  if (!seen) return;
  event.preventDefault();
  seen.dispatchEvent(new CustomEvent("keys", { detail: move }));
});
