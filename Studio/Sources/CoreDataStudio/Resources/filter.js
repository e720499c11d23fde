// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The view of a grid: its search, filter and order in the address, the filter box with its proposals, conditions by menus,
// and the explanation of the statement. Studio-F1.

import { path, fragment, insert } from "./studio.js";

const entity = document.getElementById("grid-scroll").dataset.entity;

export const viewParameters = () => {
  const current = new URLSearchParams(location.search);
  const kept = new URLSearchParams();
  for (const name of ["search", "q", "sort"]) if (current.get(name)) kept.set(name, current.get(name));
  return kept;
};

// The filter box

const filter = document.getElementById("filter");
const search = document.getElementById("search"); // only for an entity that is searched
const list = document.getElementById("suggestions");
const problem = document.getElementById("filter-error");
let items = [];
let chosen = -1;
let asked = 0;
let wordStart = 0;
let timer = 0;

function closeList() { list.hidden = true; chosen = -1; filter.setAttribute("aria-expanded", "false"); filter.removeAttribute("aria-activedescendant"); }
function choose(place) {
  chosen = place;
  [...list.children].forEach((item, number) => item.setAttribute("aria-selected", String(number === place)));
  if (place >= 0) { filter.setAttribute("aria-activedescendant", `suggestion-${place}`); list.children[place].scrollIntoView({ block: "nearest" }); }
  else filter.removeAttribute("aria-activedescendant");
}
function take(item) {
  const end = filter.selectionStart;
  const text = filter.value.slice(0, wordStart) + item.text + (item.kind === "value" ? " " : "");
  filter.value = text + filter.value.slice(end);
  filter.setSelectionRange(text.length, text.length);
  closeList();
  check(true);
}
function showItems(answer) {
  items = answer.items;
  wordStart = answer.start;
  list.replaceChildren(...items.map((item, place) => {
    const node = document.createElement("li");
    node.id = `suggestion-${place}`;
    node.setAttribute("role", "option");
    node.setAttribute("aria-selected", "false");
    node.append(item.text.trim());
    const detail = document.createElement("span");
    detail.textContent = item.detail || item.kind;
    node.append(detail);
    node.addEventListener("mousedown", (event) => { event.preventDefault(); take(item); });
    return node;
  }));
  list.hidden = items.length === 0;
  filter.setAttribute("aria-expanded", String(items.length > 0));
  chosen = -1;
}
function showProblem(answer) {
  if (answer.isValid) { problem.replaceChildren(); filter.removeAttribute("aria-invalid"); return; }
  filter.setAttribute("aria-invalid", "true");
  const message = document.createElement("p");
  message.textContent = answer.message;
  problem.replaceChildren(message);
  if (answer.offset === undefined || answer.offset === null) return;
  const line = document.createElement("p");
  line.className = "place";
  const code = document.createElement("code");
  const mark = document.createElement("mark");
  mark.textContent = filter.value.slice(answer.offset) || " ";
  code.append(filter.value.slice(0, answer.offset), mark);
  line.append(code);
  problem.append(line);
}
async function check(isProposing) {
  const mine = ++asked;
  const parameters = new URLSearchParams({ q: filter.value, at: filter.selectionStart });
  const response = await fetch(`${path("filter", entity)}?${parameters}`);
  if (mine !== asked || !response.ok) return;
  const answer = await response.json();
  showProblem(answer);
  if (isProposing && document.activeElement === filter) showItems(answer); else closeList();
}
filter.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => check(true), 120); });
filter.addEventListener("blur", closeList);
filter.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    if (list.hidden) { check(true); return; }
    const step = event.key === "ArrowDown" ? 1 : -1;
    choose((chosen + step + items.length) % items.length);
  } else if (event.key === "Enter" && chosen >= 0) { event.preventDefault(); take(items[chosen]); }
  else if (event.key === "Tab" && chosen >= 0) { event.preventDefault(); take(items[chosen]); }
  else if (event.key === "Escape") { if (!list.hidden) { event.preventDefault(); closeList(); } }
  else if (event.key === " " && event.ctrlKey) { event.preventDefault(); check(true); }
});
document.querySelector("form.filter").addEventListener("submit", (event) => {
  event.preventDefault();
  const parameters = new URLSearchParams(location.search);
  for (const [name, field] of [["search", search], ["q", filter]]) {
    if (field?.value.trim()) parameters.set(name, field.value); else parameters.delete(name);
  }
  location.search = parameters;
});

// A condition by menus: the server writes its text, and refuses a value of another type

const conditionColumn = document.getElementById("condition-column");
const conditionComparison = document.getElementById("condition-comparison");
const conditionValue = document.getElementById("condition-value");
const conditionError = document.getElementById("condition-error");
const comparisons = [...conditionComparison.options];
function showComparisons() {
  const kind = conditionColumn.selectedOptions[0]?.dataset.kind;
  conditionComparison.replaceChildren(...comparisons.filter((option) => option.dataset.kind === kind));
  conditionComparison.selectedIndex = 0;
  showValue();
}
function showValue() {
  const kind = conditionColumn.selectedOptions[0]?.dataset.kind;
  conditionValue.disabled = !conditionComparison.selectedOptions[0]?.dataset.value;
  conditionValue.placeholder = { date: "2024-05-01", object: "Book/12", number: "10" }[kind] ?? "";
  conditionError.replaceChildren();
}
async function addCondition() {
  const parameters = new URLSearchParams({ q: filter.value, column: conditionColumn.value,
    comparison: conditionComparison.value, value: conditionValue.disabled ? "" : conditionValue.value });
  const response = await fetch(`${path("condition", entity)}?${parameters}`);
  if (!response.ok) { conditionError.textContent = "Studio does not answer as expected."; return; }
  const answer = await response.json();
  if (!answer.filter) { conditionError.textContent = answer.message; conditionValue.focus(); return; }
  filter.value = answer.filter;
  document.querySelector("form.filter").requestSubmit();
}
conditionColumn.addEventListener("change", showComparisons);
conditionComparison.addEventListener("change", showValue);
document.querySelector("[data-condition=add]").addEventListener("click", addCondition);
conditionValue.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); addCondition(); } });
showComparisons();

const explanation = document.getElementById("explanation");
const explain = document.querySelector("[data-action=explain]");
explain.addEventListener("click", async () => {
  const isOpen = !explanation.hidden;
  explanation.hidden = isOpen;
  explain.setAttribute("aria-expanded", String(!isOpen));
  if (isOpen) return;
  const parameters = viewParameters();
  parameters.set("q", filter.value);
  if (search) parameters.set("search", search.value);
  const { text } = await fragment(`${path("explain", entity)}?${parameters}`);
  insert(explanation, text);
});
