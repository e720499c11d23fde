// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Shared by all pages: requests, edits, dialogs, live news, keys. Text of the store is set as text, never as markup;
// fragments of the server are markup, and escape all text (Studio-S6).

const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content ?? "";
export const base = meta("studio-base");
const key = meta("studio-key");
export const isWritable = key !== "";

const live = document.getElementById("live");
export function say(text) {
  live.textContent = "";
  if (text) requestAnimationFrame(() => { live.textContent = text; });
}

export const path = (...parts) => base + parts.map((part) => part.split("/").map(encodeURIComponent).join("/")).join("/");

export async function fragment(address) {
  const response = await fetch(address);
  const text = await response.text();
  return { ok: response.ok, response, text };
}

/// Only for answers of the server.
export function insert(element, markup) {
  // Rows are markup inside of a table alone.
  const range = document.createRange();
  range.selectNodeContents(element);
  element.replaceChildren(range.createContextualFragment(markup));
}

// Edits

export async function edit(action, body = {}) {
  return send(path("edit", action), "application/json", JSON.stringify(body));
}

async function send(address, type, body) {
  let state;
  try {
    const response = await fetch(address, { method: "POST", headers: { "Content-Type": type, "X-Studio-Key": key }, body });
    state = response.status === 413 ? refusal("A file may have 100 MB at most.") : await response.json();
  } catch { state = refusal("Studio does not answer as expected."); }
  if (state.changes !== undefined) showState(state);
  say(state.message);
  return state;
}

const refusal = (message) => ({ ok: false, message, failures: [{ message }] });

const bar = document.getElementById("editbar");
function showState(state) {
  if (!bar) return;
  bar.hidden = state.changes === 0 && !state.canUndo && !state.canRedo;
  document.getElementById("edit-count").textContent =
    state.changes === 0 ? "No unsaved changes" : state.changes === 1 ? "1 unsaved change" : `${state.changes} unsaved changes`;
  bar.querySelector("[data-action=undo]").disabled = !state.canUndo;
  bar.querySelector("[data-action=redo]").disabled = !state.canRedo;
  for (const name of ["save", "discard"]) bar.querySelector(`[data-action=${name}]`).disabled = state.changes === 0;
}

async function refreshState() {
  if (bar) showState(await (await fetch(path("edit", "state"))).json());
}

// Dialogs

const dialog = document.getElementById("dialog");
let opener = null;
export function openDialog(markup) {
  if (!dialog.open) opener = document.activeElement;
  insert(dialog, markup);
  if (!dialog.open) dialog.showModal();
}
dialog.addEventListener("close", () => {
  // The grid has made its rows anew after an edit.
  if (opener?.isConnected) opener.focus(); else document.dispatchEvent(new CustomEvent("studio-focus"));
});

function element(name, text, attributes = {}) {
  const node = document.createElement(name);
  if (text) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

function openFailures(state) {
  const list = element("ul", null, { class: "error" });
  for (const failure of state.failures) {
    const item = element("li");
    if (failure.object) item.append(element("a", failure.title || failure.object, { href: path("object", failure.object) }), ": ");
    item.append(failure.message);
    list.append(item);
  }
  const buttons = element("div", null, { class: "buttons" });
  buttons.append(element("button", "Close", { type: "button", class: "primary", "data-action": "close" }));
  if (!dialog.open) opener = document.activeElement;
  dialog.replaceChildren(element("h2", "Nothing is saved", { id: "dialog-title" }), element("p", state.message), list, buttons);
  if (!dialog.open) dialog.showModal();
}

const shortcuts = [
  ["s", "go to the search"], ["/", "go to the filter"], ["?", "this list"], ["↑ ↓ ← →", "move in the grid"], ["Page ↑, Page ↓, Home, End", "move further; with Ctrl to the first or last row"],
  ["Enter", "open the object of a row, or follow a link"], ["F2", "edit a cell; Enter keeps it, Escape does not; data and values of many parts open a dialog"], ["Delete", "delete the object of a row, after a preview"],
  ["Ctrl Z, Ctrl Shift Z", "undo, redo"], ["Ctrl S", "save"], ["Ctrl Enter", "run a statement"], ["Alt ← in a header", "make a column narrower, → wider; Enter sorts by it"], ["+, −, arrows", "size and place of the model's picture"],
];
function openHelp() {
  const list = element("dl", null, { class: "keys" });
  for (const [keys, meaning] of shortcuts) {
    const term = element("dt");
    term.append(element("kbd", keys));
    list.append(term, element("dd", meaning));
  }
  const buttons = element("div", null, { class: "buttons" });
  buttons.append(element("button", "Close", { type: "button", class: "primary", "data-action": "close" }));
  if (!dialog.open) opener = document.activeElement;
  dialog.replaceChildren(element("h2", "Keyboard", { id: "dialog-title" }), list, buttons);
  if (!dialog.open) dialog.showModal();
}

/// The field of one attribute over the grid, for values that a cell cannot hold.
export async function openField(object, property) {
  const { text, ok } = await fragment(path("edit", "field", object, property));
  if (!ok) { say("The object is gone."); return; }
  const focused = dialog.open ? document.activeElement?.id : "";
  openDialog(text);
  wireFields(dialog);
  const field = document.getElementById(focused) ?? dialog.querySelector("textarea, input, select");
  field?.focus();
}

async function closeDialog() {
  // A text that was typed last and is refused stays open.
  const isWaiting = dialog.querySelector("[data-busy]") !== null;
  await pending;
  if (isWaiting && dialog.querySelector("[aria-invalid=true]")) return;
  dialog.close();
}

async function openConflicts() {
  const { text } = await fragment(path("edit", "conflicts"));
  openDialog(text);
}

export async function openDeletion(object) {
  const { text, ok } = await fragment(path("edit", "deletion", object));
  if (ok) openDialog(text); else say("The object is gone.");
}

// The page shows the newest values

let reloading = false;
let stale = false;
export async function reloadContent() {
  if (document.getElementById("grid")) { document.dispatchEvent(new CustomEvent("studio-reload")); return; }
  const card = document.querySelector(".card");
  const active = document.activeElement;
  if (card && active?.matches?.("input, textarea") && active.value !== active.defaultValue) { stale = true; return; }
  // A statement is not run again, and a text that is typed stays.
  if (document.querySelector("main [data-still]")) { stale = true; return; }
  if (reloading) return;
  reloading = true;
  try {
    const { text, response } = await fragment(location.href);
    const page = new DOMParser().parseFromString(text, "text/html");
    const next = page.getElementById("main");
    if (!next) return;
    if (document.getElementById("picture")) return;
    const focused = active?.id;
    document.getElementById("main").replaceWith(document.adoptNode(next));
    const side = page.querySelector(".side");
    if (side && document.querySelector(".side")) document.querySelector(".side").replaceWith(document.adoptNode(side));
    if (focused) document.getElementById(focused)?.focus();
    if (!response.ok) say("The object is gone.");
    wireCard();
  } finally { reloading = false; }
}

async function act(action, target) {
  switch (action) {
    case "close": await closeDialog(); break;
    case "help": openHelp(); break;
    case "undo": case "redo": { await edit(action); await reloadContent(); break; }
    case "discard": {
      if (!confirm("Discard all unsaved changes?")) return;
      await edit(action);
      await reloadContent();
      break;
    }
    case "save": {
      document.activeElement?.matches?.(".card input, .card textarea, .field-dialog input, .field-dialog textarea")
        && await commitField(document.activeElement);
      const state = await edit("save");
      if (state.ok) {
        dialog.open && dialog.close();
        const card = document.querySelector(".card");
        if (card?.dataset.object.includes("/new-")) location.href = path("data", card.dataset.object.split("/")[0]);
        else await reloadContent();
      } else if (state.isConflict) await openConflicts();
      else openFailures(state);
      break;
    }
    case "insert": {
      const state = await edit("insert", { entity: target.dataset.entity });
      if (state.object) location.href = path("object", state.object);
      break;
    }
    case "delete": await openDeletion(target.dataset.object); break;
    case "confirm-delete": {
      const state = await edit("delete", { object: target.dataset.object });
      dialog.close();
      if (state.ok && document.querySelector(".card")) location.href = path("data", target.dataset.object.split("/")[0]);
      else await reloadContent();
      break;
    }
    case "resolve": {
      await edit("resolve", { object: target.dataset.object, choice: target.dataset.choice });
      const section = target.closest(".conflict");
      section.remove();
      if (!dialog.querySelector(".conflict")) dialog.close();
      await reloadContent();
      break;
    }
  }
}

// In a narrow window the list of entities lies above the page, which begins with what was asked for.
const entityList = document.querySelector(".side details");
if (entityList && matchMedia("(max-width: 48rem)").matches) entityList.open = false;

document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-action]");
  if (target) act(target.dataset.action, target);
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches?.("input, textarea, select");
  const isControl = event.ctrlKey || event.metaKey;
  if (event.key === "Escape") for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
  if (isControl && event.key.toLowerCase() === "s" && isWritable) { event.preventDefault(); act("save"); return; }
  if (isControl && event.key.toLowerCase() === "z" && isWritable && !(isTyping && event.target.value !== event.target.defaultValue)) {
    event.preventDefault();
    act(event.shiftKey ? "redo" : "undo");
    return;
  }
  if (isControl && event.key === "Enter" && event.target.matches?.("[data-submit]")) { event.preventDefault(); event.target.form.requestSubmit(); return; }
  if (isTyping || isControl || event.altKey || dialog.open) return;
  if (event.key === "?") { event.preventDefault(); openHelp(); }
  const field = document.getElementById({ "/": "filter", s: "search" }[event.key] ?? "");
  if (field) { event.preventDefault(); field.focus(); field.select(); }
});

// The card

async function commitField(field) {
  if (!field.dataset.property || field.dataset.busy) return;
  const isSelect = field.tagName === "SELECT";
  if (!isSelect && field.value === field.defaultValue) return;
  field.dataset.busy = "true";
  const value = isSelect && field.value === "" ? null : field.value;
  await setProperty(field, { property: field.dataset.property, value });
  delete field.dataset.busy;
}

const home = (node) => node.closest(".card, .field-dialog");

let pending = Promise.resolve();
function setProperty(field, body) {
  pending = finish(field, edit("set", { object: home(field).dataset.object, ...body }));
  return pending;
}

function sendFile(field) {
  const file = field.files[0];
  if (!file) return;
  say(`${file.name} is sent.`);
  pending = finish(field, send(path("edit", "data", home(field).dataset.object, field.dataset.upload), "application/octet-stream", file));
  field.value = "";
}

/// Shows the new values, or the mistake at the field.
async function finish(field, answer) {
  const state = await answer;
  const error = document.getElementById(field.getAttribute("aria-describedby") ?? `${field.id}-error`);
  if (state.ok) {
    if ("defaultValue" in field && field.type !== "file") field.defaultValue = field.value;
    const box = home(field);
    await reloadContent();
    if (dialog.open && box?.matches(".field-dialog")) await openField(box.dataset.object, box.dataset.key);
  } else {
    field.setAttribute("aria-invalid", "true");
    error?.replaceChildren(...state.failures.map((failure) => element("p", failure.message)));
  }
}

let picking = 0;
async function offerObjects(field) {
  const turn = ++picking;
  const response = await fetch(path("objects", field.dataset.destination) + "?q=" + encodeURIComponent(field.value));
  if (!response.ok || turn !== picking) return;
  const list = document.getElementById(`${field.id}-list`);
  list.replaceChildren(...(await response.json()).map((item) => element("option", item.title, { value: item.id })));
}

async function commitLink(field) {
  const text = field.value.trim();
  if (!text) return;
  let id = text;
  if (!text.includes("/")) {
    const found = await (await fetch(path("objects", field.dataset.destination) + "?q=" + encodeURIComponent(text))).json();
    const exact = found.filter((item) => item.title === text);
    if (exact.length === 1) id = exact[0].id; else if (found.length === 1) id = found[0].id;
  }
  const body = field.dataset.many ? { property: field.dataset.link, add: id } : { property: field.dataset.link, value: id };
  field.value = "";
  await setProperty(field, body);
}

function wireFields(root) {
  for (const field of root.querySelectorAll("[data-upload]")) field.addEventListener("change", () => sendFile(field));
  for (const field of root.querySelectorAll("[data-property]")) {
    if (!field.matches("input, textarea, select")) continue;
    field.addEventListener("change", () => commitField(field));
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { field.value = field.defaultValue; field.removeAttribute("aria-invalid"); document.getElementById(`${field.id}-error`)?.replaceChildren(); }
    });
  }
}

function wireCard() {
  stale = false;
  const card = document.querySelector(".card");
  if (!card) return;
  wireFields(card);
  for (const field of card.querySelectorAll(".picker")) {
    field.addEventListener("focus", () => offerObjects(field));
    field.addEventListener("input", () => offerObjects(field));
    field.addEventListener("change", () => commitLink(field));
  }
}

document.addEventListener("click", async (event) => {
  const clear = event.target.closest(".card [data-clear], .field-dialog [data-clear]");
  const remove = event.target.closest(".card [data-remove]");
  if (clear) {
    const name = clear.dataset.clear;
    const field = ["field-", "link-"].map((kind) => document.getElementById(kind + name)).find(Boolean)
      ?? document.getElementById(`field-${name}-file`) ?? clear;
    await setProperty(field, { property: name, value: null });
  } else if (remove) {
    const field = document.getElementById(`link-${remove.dataset.property}`);
    await setProperty(field, { property: remove.dataset.property, remove: remove.dataset.remove });
  }
});
wireCard();

// News

if (document.querySelector(".sections li:nth-child(2)")) {
  const events = new EventSource(path("events"));
  let isOpen = false;
  events.addEventListener("open", () => { if (isOpen) reloadContent(); isOpen = true; document.documentElement.dataset.live = "true"; });
  events.addEventListener("store", async () => { await reloadContent(); if (!stale) say("The store changed; this page is up to date."); });
  events.addEventListener("edits", () => { refreshState(); });
  addEventListener("pagehide", () => events.close());
}
refreshState();
