// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The grid: windows of rows while scrolling, columns, keys, cells that are edited. Studio-R1 to Studio-R3.

import { path, isWritable, fragment, insert, say, edit, openDeletion, openField } from "./studio.js";
import { viewParameters } from "./filter.js";

const scroll = document.getElementById("grid-scroll");
const grid = document.getElementById("grid");
const body = document.getElementById("rows");
const entity = scroll.dataset.entity;
const before = document.querySelector("#space-before td");
const after = document.querySelector("#space-after td");
const windowSize = 120;
const highest = 6_000_000; // browsers limit the height of an element

let total = Number(scroll.dataset.total);
let first = 0;
let rowHeight = 32;
let turn = 0;
let focusRow = 0;
let focusColumn = 0;
let hasFocus = false;

// Rows

const shown = () => body.rows.length;
const fullHeight = () => Math.min(total * rowHeight, highest);
const head = () => grid.tHead.offsetHeight;
const visible = () => Math.max(1, Math.floor((scroll.clientHeight - head()) / rowHeight));

/// The row at the top for a place of the scroll bar, and back.
function rowAt(top) {
  const range = fullHeight() - scroll.clientHeight + head();
  if (total * rowHeight <= highest || range <= 0) return Math.floor(top / rowHeight);
  return Math.round(Math.min(1, top / range) * Math.max(0, total - visible()));
}
function topOf(row) {
  if (total * rowHeight <= highest) return row * rowHeight;
  return (row / Math.max(1, total - visible())) * (fullHeight() - scroll.clientHeight + head());
}

/// The row that the window is laid out around, where rows are more than pixels.
let anchorRow = 0;
let anchorTop = 0;

function layOut() {
  const isExact = total * rowHeight <= highest;
  const start = isExact ? first * rowHeight : anchorTop - (anchorRow - first) * rowHeight;
  before.style.height = `${Math.max(0, start)}px`;
  after.style.height = `${Math.max(0, fullHeight() - Math.max(0, start) - shown() * rowHeight)}px`;
}

async function show(from, isForced = false) {
  from = Math.max(0, Math.min(from, Math.max(0, total - windowSize)));
  if (!isForced && from === first && shown() > 0) return true;
  const mine = ++turn;
  const parameters = viewParameters();
  parameters.set("from", from);
  parameters.set("count", windowSize);
  scroll.setAttribute("aria-busy", "true");
  const { ok, response, text } = await fragment(`${path("rows", entity)}?${parameters}`);
  if (mine !== turn) return false;
  scroll.removeAttribute("aria-busy");
  if (!ok) { say("The rows cannot be read."); return false; }
  const old = isForced ? texts() : null;
  first = from;
  insert(body, text);
  setTotal(Number(response.headers.get("x-total")));
  applyHidden();
  layOut();
  if (old) flash(old);
  const active = document.activeElement;
  // One cell stays in the order of the tab key.
  const entry = cellAt(focusRow, focusColumn) ?? body.rows[0]?.cells[0];
  if (entry) entry.tabIndex = 0;
  if (hasFocus && entry && (active === document.body || active === null)) entry.focus({ preventScroll: true });
  return true;
}

function setTotal(count) {
  total = count;
  grid.setAttribute("aria-rowcount", count + 1);
  const digits = String(count).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
  document.getElementById("total").textContent = `${digits} ${count === 1 ? "object" : "objects"}`;
  layOut();
}

const texts = () => new Map([...body.rows].map((row) => [row.dataset.id, [...row.cells].map((cell) => cell.textContent)]));
function flash(old) {
  for (const row of body.rows) {
    const known = old.get(row.dataset.id);
    [...row.cells].forEach((cell, place) => { if (!known || known[place] !== cell.textContent) cell.classList.add("flash"); });
  }
}

let isAsked = false;
scroll.addEventListener("scroll", () => {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    closeError();
    const top = scroll.scrollTop;
    const isExact = total * rowHeight <= highest;
    const delta = top - anchorTop;
    // A small step moves by pixels, a jump of the scroll bar by its share of the whole.
    const row = isExact ? rowAt(top) : Math.abs(delta) < scroll.clientHeight * 2 && top > 2 ? anchorRow + delta / rowHeight : rowAt(top);
    const place = Math.max(0, Math.min(Math.floor(row), total - 1));
    if (!isExact) {
      if (Math.abs(delta) >= scroll.clientHeight * 2 || top <= 2) { anchorRow = place; anchorTop = top; first = -1; }
    }
    const end = first + shown();
    const margin = Math.floor((windowSize - visible()) / 4);
    const needsBefore = place < first + margin && first > 0;
    const needsAfter = place + visible() > end - margin && end < total;
    if (first < 0 || needsBefore || needsAfter) {
      if (!isExact) { anchorRow = row; anchorTop = top; }
      show(place - Math.floor((windowSize - visible()) / 2), first < 0);
    }
  });
}, { passive: true });

document.addEventListener("studio-reload", () => show(Math.max(0, first), true));
document.addEventListener("studio-focus", () => { if (shown() > 0) focusCell(Math.min(focusRow, total - 1), focusColumn); });

// Columns: sort, hide, width

for (const button of grid.querySelectorAll("[data-sort]")) {
  button.addEventListener("click", () => sortBy(button.dataset.sort));
}
function sortBy(name) {
  const parameters = new URLSearchParams(location.search);
  const current = parameters.get("sort");
  if (current === name) parameters.set("sort", `-${name}`); else if (current === `-${name}`) parameters.delete("sort"); else parameters.set("sort", name);
  location.search = parameters;
}

const hidden = new Set((new URLSearchParams(location.search).get("hide") ?? "").split(",").filter(Boolean));
const heads = [...grid.tHead.rows[0].cells];
const columns = [...grid.querySelectorAll("colgroup col")];
function applyHidden() {
  heads.forEach((cell, place) => {
    if (place === 0) return;
    const isHidden = hidden.has(cell.dataset.name);
    cell.hidden = isHidden;
    columns[place].hidden = isHidden;
    for (const row of body.rows) if (row.cells[place]) row.cells[place].hidden = isHidden;
  });
}
for (const box of document.querySelectorAll("[data-column]")) {
  box.addEventListener("change", () => {
    if (box.checked) hidden.delete(box.dataset.column); else hidden.add(box.dataset.column);
    const parameters = new URLSearchParams(location.search);
    const names = [...hidden].sort().join(",");
    if (names) parameters.set("hide", names); else parameters.delete("hide");
    history.replaceState(null, "", `?${parameters}`);
    document.querySelector("input[name=hide]").value = names;
    for (const link of document.querySelectorAll("[data-export]")) link.href = `${path("export", link.dataset.export)}?${parameters}`;
    applyHidden();
  });
}

const widthKey = (name) => `studio-width-${entity}-${name}`;
function setWidth(place, width) {
  columns[place].style.width = `${Math.max(48, Math.round(width))}px`;
}
columns.forEach((column, place) => {
  const name = column.dataset.name;
  const saved = name && localStorage.getItem(widthKey(name));
  if (saved) setWidth(place, Number(saved));
});
for (const handle of grid.querySelectorAll("[data-resize]")) {
  const place = heads.findIndex((cell) => cell.dataset.name === handle.dataset.resize);
  handle.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const start = event.clientX;
    const width = heads[place].offsetWidth;
    const move = (event) => setWidth(place, width + event.clientX - start);
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", () => {
      handle.removeEventListener("pointermove", move);
      localStorage.setItem(widthKey(handle.dataset.resize), heads[place].offsetWidth);
    }, { once: true });
  });
}
grid.tHead.addEventListener("keydown", (event) => {
  const cell = event.target.closest("th");
  const place = heads.indexOf(cell);
  if (!event.altKey || place < 1 || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  setWidth(place, cell.offsetWidth + (event.key === "ArrowRight" ? 24 : -24));
  localStorage.setItem(widthKey(cell.dataset.name), cell.offsetWidth);
  say(`${cell.dataset.name} is ${cell.offsetWidth} pixels wide.`);
});

document.querySelector("[data-action=copy-link]").addEventListener("click", async () => {
  try { await navigator.clipboard.writeText(location.href); say("The link is copied."); } catch { prompt("Link", location.href); }
});

// Cells and keys: one cell is in the order of the tab key

function cellAt(row, column) {
  if (row < 0) return heads[column]?.querySelector("button") ?? null;
  return body.rows[row - first]?.cells[column] ?? null;
}
function nextColumn(column, step) {
  let place = column + step;
  while (heads[place] && heads[place].hidden) place += step;
  return heads[place] ? place : column;
}
async function focusCell(row, column) {
  row = Math.max(-1, Math.min(row, total - 1));
  focusColumn = column;
  focusRow = row;
  hasFocus = true;
  if (row >= 0 && (row < first || row >= first + shown())) {
    const top = topOf(row);
    anchorRow = row;
    anchorTop = Math.min(top, Math.max(0, fullHeight() - scroll.clientHeight));
    await show(row - Math.floor(windowSize / 2), true);
    scroll.scrollTop = anchorTop;
  }
  const cell = cellAt(row, column);
  if (!cell) return;
  for (const old of grid.querySelectorAll("[tabindex='0']")) old.tabIndex = -1;
  cell.tabIndex = 0;
  cell.focus({ preventScroll: true });
  if (row >= 0) reveal(cell);
}
function reveal(cell) {
  const box = cell.getBoundingClientRect();
  const frame = scroll.getBoundingClientRect();
  const keyWidth = heads[0].offsetWidth;
  if (box.top < frame.top + head()) scroll.scrollTop -= frame.top + head() - box.top;
  if (box.bottom > frame.top + scroll.clientHeight) scroll.scrollTop += box.bottom - frame.top - scroll.clientHeight;
  if (!cell.classList.contains("key")) {
    if (box.left < frame.left + keyWidth) scroll.scrollLeft -= frame.left + keyWidth - box.left;
    if (box.right > frame.left + scroll.clientWidth) scroll.scrollLeft += box.right - frame.left - scroll.clientWidth;
  }
}

grid.addEventListener("focusin", (event) => {
  const cell = event.target.closest("#rows td, #rows th");
  if (!cell) return;
  hasFocus = true;
  focusRow = Number(cell.parentElement.dataset.row);
  focusColumn = cell.cellIndex;
});
grid.addEventListener("focusout", (event) => { if (event.relatedTarget) hasFocus = grid.contains(event.relatedTarget); });

grid.addEventListener("keydown", (event) => {
  if (event.target.matches("input") || event.altKey) return;
  const isControl = event.ctrlKey || event.metaKey;
  const page = visible() - 1;
  const row = event.target.closest("thead") ? -1 : focusRow;
  if (row === -1) focusColumn = heads.indexOf(event.target.closest("th"));
  const moves = {
    ArrowDown: () => focusCell(row === -1 ? first + Math.max(0, Math.ceil((scroll.scrollTop - before.offsetHeight) / rowHeight)) : row + 1, focusColumn),
    ArrowUp: () => focusCell(row - 1 < 0 && !heads[focusColumn].querySelector("button") ? 0 : row - 1, focusColumn),
    ArrowLeft: () => focusCell(row, nextColumn(focusColumn, -1)),
    ArrowRight: () => focusCell(row, nextColumn(focusColumn, 1)),
    PageDown: () => focusCell(row + page, focusColumn),
    PageUp: () => focusCell(Math.max(0, row - page), focusColumn),
    Home: () => focusCell(isControl ? 0 : row, 0),
    End: () => focusCell(isControl ? total - 1 : row, isControl ? focusColumn : nextColumn(heads.length, -1)),
  };
  if (moves[event.key]) { event.preventDefault(); moves[event.key](); return; }
  const cell = event.target.closest("#rows td, #rows th");
  if (!cell || isControl) return;
  if (event.key === "Enter") {
    const link = cell.querySelector("a") ?? cell.parentElement.querySelector("th a");
    event.preventDefault();
    if (link) location.href = link.href;
  } else if (event.key === "F2") { event.preventDefault(); beginEdit(cell); }
  else if (event.key === "Delete" && isWritable) { event.preventDefault(); openDeletion(cell.parentElement.dataset.id); }
});
body.addEventListener("dblclick", (event) => { const cell = event.target.closest("td"); if (cell) beginEdit(cell); });
body.addEventListener("mousedown", (event) => {
  const cell = event.target.closest("td, th");
  if (cell && !event.target.closest("a, input")) focusCell(Number(cell.parentElement.dataset.row), cell.cellIndex);
});

// Editing

let errorBox = null;
function closeError() { errorBox?.remove(); errorBox = null; }
function showError(cell, message) {
  closeError();
  errorBox = document.createElement("div");
  errorBox.className = "cell-error";
  errorBox.id = "cell-error";
  errorBox.setAttribute("role", "alert");
  errorBox.textContent = message;
  scroll.append(errorBox);
  errorBox.style.left = `${Math.max(4, Math.min(cell.offsetLeft, scroll.scrollLeft + scroll.clientWidth - errorBox.offsetWidth - 8))}px`;
  errorBox.style.top = `${cell.getBoundingClientRect().bottom - scroll.getBoundingClientRect().top + scroll.scrollTop + 3}px`;
}

function beginEdit(cell) {
  const property = cell.dataset.editable;
  if (!isWritable) { say("The store is read-only."); return; }
  if (cell.dataset.dialog) { openField(cell.parentElement.dataset.id, cell.dataset.dialog); return; }
  if (!property) { say("This cell cannot be edited here; open the object."); return; }
  if (cell.querySelector("input")) return;
  const object = cell.parentElement.dataset.id;
  const old = [...cell.childNodes];
  const link = cell.querySelector("a");
  const text = link ? decodeURIComponent(link.getAttribute("href").split("?")[0].split("/").slice(-2).join("/")) : cell.classList.contains("null") ? "" : cell.textContent;
  const input = document.createElement("input");
  input.type = "text";
  input.value = text;
  input.setAttribute("aria-label", `${property} of ${object}`);
  cell.replaceChildren(input);
  input.focus();
  input.select();
  let isDone = false;
  const end = (isKept) => { isDone = true; closeError(); if (!isKept) cell.replaceChildren(...old); cell.tabIndex = 0; cell.focus({ preventScroll: true }); };
  const keep = async () => {
    if (isDone) return;
    if (input.value === text) { end(false); return; }
    isDone = true;
    const value = input.value === "" && (cell.classList.contains("number") || link || cell.classList.contains("date")) ? null : input.value;
    const state = await edit("set", { object, property, value });
    if (state.ok) { await show(first, true); await focusCell(focusRow, focusColumn); closeError(); return; }
    isDone = false;
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", "cell-error");
    showError(cell, state.failures[0]?.message ?? state.message);
    input.focus();
  };
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") { event.preventDefault(); keep(); }
    if (event.key === "Escape") { event.preventDefault(); end(false); }
    if (event.key === "Tab") { keep(); }
  });
  input.addEventListener("blur", () => { if (!isDone && !errorBox) keep(); });
}

// Start

const firstRow = body.rows[0];
if (firstRow) {
  rowHeight = firstRow.getBoundingClientRect().height || 32;
  firstRow.cells[0].tabIndex = 0;
} else {
  scroll.tabIndex = 0; // so that keys move a grid without rows as well
}
applyHidden();
layOut();
if (total > shown() && scroll.scrollTop > 0) scroll.dispatchEvent(new Event("scroll"));
