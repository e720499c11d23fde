// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Moves the picture of a model and changes its size, by pointer, wheel and keys.

const frame = document.getElementById("picture");
const svg = frame?.querySelector("svg");
if (svg) {
  const full = { x: 0, y: 0, width: Number(svg.dataset.width), height: Number(svg.dataset.height) };
  let view = { ...full };

  const apply = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  const scale = () => Math.max(view.width / frame.clientWidth, view.height / frame.clientHeight);

  function zoom(factor, x = view.x + view.width / 2, y = view.y + view.height / 2) {
    const width = Math.min(full.width * 3, Math.max(200, view.width * factor));
    const used = width / view.width;
    view = { x: x - (x - view.x) * used, y: y - (y - view.y) * used, width, height: view.height * used };
    apply();
  }
  function move(x, y) { view.x += x * scale(); view.y += y * scale(); apply(); }
  function fit() {
    view = { ...full };
    apply();
  }
  /// Text is readable at the start; a large model is moved, not shrunk.
  function begin() {
    const readable = frame.clientWidth * 1.45;
    if (full.width > readable) {
      const ratio = frame.clientHeight / frame.clientWidth;
      view = { x: 0, y: 0, width: readable, height: readable * ratio };
    }
    apply();
  }

  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => {
      if (button.dataset.zoom === "fit") fit(); else zoom(button.dataset.zoom === "in" ? 0.8 : 1.25);
    });
  }
  frame.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (!event.ctrlKey && !event.metaKey) { move(event.deltaX, event.deltaY); return; }
    const box = svg.getBoundingClientRect();
    const x = view.x + ((event.clientX - box.left) / box.width) * view.width;
    const y = view.y + ((event.clientY - box.top) / box.height) * view.height;
    zoom(event.deltaY > 0 ? 1.12 : 0.89, x, y);
  }, { passive: false });

  const pointers = new Map();
  let moved = 0;
  frame.addEventListener("pointerdown", (event) => { pointers.set(event.pointerId, event); moved = 0; });
  frame.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    if (pointers.size === 2) {
      const [one, other] = [...pointers.values()];
      const old = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      pointers.set(event.pointerId, event);
      const [a, b] = [...pointers.values()];
      zoom(old / Math.max(1, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY)));
      return;
    }
    move(last.clientX - event.clientX, last.clientY - event.clientY);
    moved += Math.abs(last.clientX - event.clientX) + Math.abs(last.clientY - event.clientY);
    pointers.set(event.pointerId, event);
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) frame.addEventListener(name, (event) => pointers.delete(event.pointerId));
  svg.addEventListener("click", (event) => { if (moved > 6) event.preventDefault(); }, true);
  svg.addEventListener("dragstart", (event) => event.preventDefault());

  frame.addEventListener("keydown", (event) => {
    const keys = {
      ArrowLeft: () => move(-60, 0), ArrowRight: () => move(60, 0), ArrowUp: () => move(0, -60), ArrowDown: () => move(0, 60),
      "+": () => zoom(0.8), "=": () => zoom(0.8), "-": () => zoom(1.25), 0: fit,
    };
    if (keys[event.key] && !event.ctrlKey) { event.preventDefault(); keys[event.key](); }
  });
  svg.addEventListener("focusin", (event) => {
    const rect = event.target.closest("a")?.querySelector("rect");
    if (!rect || moved > 6) return;
    const x = Number(rect.getAttribute("x")) + Number(rect.getAttribute("width")) / 2;
    const y = Number(rect.getAttribute("y")) + Number(rect.getAttribute("height")) / 2;
    if (x < view.x || x > view.x + view.width || y < view.y || y > view.y + view.height) {
      view.x = x - view.width / 2;
      view.y = y - view.height / 2;
      apply();
    }
  });
  begin();
}
