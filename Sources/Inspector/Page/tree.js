// A tree of value nodes. Its rows are one flat list, so that depth costs nothing.

import { element } from "./dom.js";
import { bytes, integer, write } from "./text.js";

const mostAutomaticRows = 200;
const deepestIndent = 24;
const literals = new Set(["null", "bool", "number", "string", "value", "redacted", "cut"]);

/** Returns the path of a change as a text. It is a text in the protocol, and may be a list of names. */
export function pathText(path) {
  return Array.isArray(path) ? path.reduce((text, name) => (text === "" ? name : `${text}.${name}`), "") : String(path ?? "");
}

/** Returns a text of one line for a node: `Row(id: 7, title: "Milk", …)`. */
export function brief(node, depth = 2) {
  if (!node) return "";
  switch (node.kind) {
    case "null": return "nil";
    case "string": return `"${node.text.slice(0, 200)}${node.text.length > 200 || node.size ? "…" : ""}"`;
    case "redacted": return "redacted";
    case "cut": return `… (${node.text})`;
    case "list": case "dictionary": return `${node.type ?? node.kind} (${integer(node.count ?? node.children?.length ?? 0)})`;
  }
  const name = node.kind === "case" ? `.${node.text}` : node.text ?? node.type ?? "";
  const children = node.children ?? [];
  if (children.length === 0) return name;
  if (depth === 0) return `${name}(…)`;
  const parts = children.slice(0, 4).map((child) => `${child.name}: ${brief(child.value, depth - 1)}`);
  return `${name}(${parts.join(", ")}${children.length > 4 ? ", …" : ""})`;
}

/**
 * Shows nodes. `load(path, from, count)` returns a node with further children; without it the tree has only what it was
 * given. Which nodes are expanded is kept from one value to the next.
 */
export class Tree {
  #load;
  #marks = [];
  #isExpanded = new Map();
  #nodes = new WeakMap();
  #generation = 0;

  constructor({ id, label, load = null }) {
    this.#load = load;
    this.element = element("div.tree", { id, role: "tree", "aria-label": label });
    this.element.addEventListener("click", (event) => {
      const row = event.target.closest(".node");
      const selection = getSelection();
      const isSelecting = !selection.isCollapsed && this.element.contains(selection.anchorNode);
      if (!row || isSelecting) return;
      this.#focus(row);
      this.#toggle(row);
    });
    this.element.addEventListener("keydown", (event) => this.#pressed(event));
  }

  /** Shows a value. `marks` are the paths of what has changed. */
  setValue(node, marks = []) {
    const focused = document.activeElement?.closest(".node");
    const path = this.element.contains(focused) ? focused.dataset.path : null;
    this.#generation += 1;
    this.#marks = marks.map(pathText);
    this.element.replaceChildren();
    if (!node) return;
    const root = this.#row({ name: "", value: node, path: [], text: "", depth: 0 });
    this.element.append(root);
    root.tabIndex = 0;
    let budget = mostAutomaticRows;
    for (let row = root; row !== null; row = row.nextElementSibling) {
      const entry = this.#nodes.get(row);
      const children = entry?.value.children?.length ?? 0;
      if (!entry || !isExpandable(entry.value)) continue;
      const wasExpanded = this.#isExpanded.get(entry.text);
      if (wasExpanded ?? (entry.depth < 2 && children > 0 && children <= 30 && budget > children)) {
        budget -= children;
        this.#expand(row);
      }
    }
    if (path !== null) this.#focus([...this.element.children].find((row) => row.dataset.path === path) ?? root);
  }

  #row(entry) {
    const { name, value, depth, text } = entry;
    const row = element("div.node", {
      role: "treeitem", tabindex: "-1", "aria-level": depth + 1, "data-path": text, "data-node": value.kind,
    });
    row.style.paddingLeft = `${6 + Math.min(depth, deepestIndent) * 14}px`;
    const arrow = element("span.arrow", { "aria-hidden": "true" });
    row.append(arrow);
    if (isExpandable(value)) row.setAttribute("aria-expanded", "false");
    if (depth > deepestIndent) row.append(element("span.muted", { text: `${depth} ` }));
    if (name !== "") row.append(write(element("bdi.name"), name, 120), element("span.muted", { text: ": " }));
    row.append(...describe(value));
    const change = this.#change(text);
    if (change) row.dataset.change = change;
    this.#nodes.set(row, entry);
    return row;
  }

  #change(text) {
    if (this.#marks.length === 0) return null;
    if (this.#marks.includes(text)) return "here";
    const isInside = (mark) => text === "" || (mark.startsWith(text) && (mark[text.length] === "." || mark[text.length] === "["));
    return this.#marks.some(isInside) ? "inside" : null;
  }

  #toggle(row) {
    const entry = this.#nodes.get(row);
    if (entry.more) this.#loadMore(row);
    else if (row.getAttribute("aria-expanded") === "true") this.#collapse(row);
    else if (isExpandable(entry.value)) this.#expand(row);
    if (!entry.more && isExpandable(entry.value)) {
      this.#isExpanded.set(entry.text, row.getAttribute("aria-expanded") === "true");
    }
  }

  #expand(row) {
    const entry = this.#nodes.get(row);
    if (row.getAttribute("aria-expanded") === "true") return;
    row.setAttribute("aria-expanded", "true");
    const children = entry.value.children ?? [];
    const isMissing = children.length === 0 && (entry.value.kind === "cut" || entry.value.count > 0);
    this.#insert(row, entry, children, 0, isMissing);
  }

  // Inserts children after a row, and a row for those that are not loaded.
  #insert(after, entry, children, from, isMissing = false) {
    const isNamed = entry.value.kind === "list" || entry.value.kind === "dictionary";
    const rows = children.map(({ name, value }) => this.#row({
      name, value, depth: entry.depth + 1, path: [...entry.path, name],
      text: isNamed ? `${entry.text}[${name}]` : entry.text === "" ? name : `${entry.text}.${name}`,
    }));
    const loaded = from + children.length;
    const rest = (entry.value.count ?? loaded) - loaded;
    if (this.#load && (rest > 0 || isMissing)) rows.push(this.#moreRow(entry, loaded, rest));
    else if (rest > 0) rows.push(this.#textRow(entry, `${integer(rest)} more`));
    after.after(...rows);
    if (isMissing && this.#load) this.#loadMore(rows.at(-1));
  }

  #textRow(entry, text) {
    const row = element("div.node.muted", { role: "treeitem", tabindex: "-1", "aria-level": entry.depth + 2 },
      element("span.arrow"), text);
    row.style.paddingLeft = `${6 + Math.min(entry.depth + 1, deepestIndent) * 14}px`;
    this.#nodes.set(row, { depth: entry.depth + 1, value: { kind: "null" }, text: `${entry.text} ${text}` });
    return row;
  }

  #moreRow(entry, from, rest) {
    const row = this.#textRow(entry, rest > 0 ? `Show more of ${integer(rest)}` : "Loading…");
    row.classList.add("load");
    Object.assign(this.#nodes.get(row), { more: { entry, from } });
    return row;
  }

  async #loadMore(row) {
    const { entry, from } = this.#nodes.get(row).more;
    const generation = this.#generation;
    if (row.dataset.isLoading) return;
    row.dataset.isLoading = "true";
    let node;
    try {
      node = await this.#load(entry.path, from, 100);
    } catch (error) {
      row.lastChild.textContent = error.message;
      delete row.dataset.isLoading;
      return;
    }
    if (generation !== this.#generation || !row.isConnected) return;
    const hasFocus = document.activeElement === row;
    const before = row.previousElementSibling;
    row.remove();
    const value = { ...node, count: Math.max(node.count ?? 0, entry.value.count ?? 0) || undefined };
    const children = node.children ?? [];
    if (children.length > 0) this.#insert(before, { ...entry, value }, children, from);
    else before.after(this.#textRow(entry, brief(node)));
    if (hasFocus) this.#focus(before.nextElementSibling ?? before);
  }

  #collapse(row) {
    const { depth } = this.#nodes.get(row);
    row.setAttribute("aria-expanded", "false");
    while (row.nextElementSibling && this.#nodes.get(row.nextElementSibling).depth > depth) row.nextElementSibling.remove();
  }

  #focus(row) {
    for (const other of this.element.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    row.tabIndex = 0;
    row.focus({ preventScroll: false });
  }

  #pressed(event) {
    const row = event.target.closest(".node");
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const isExpanded = row.getAttribute("aria-expanded");
    let next = row;
    if (event.key === "ArrowDown") next = row.nextElementSibling;
    else if (event.key === "ArrowUp") next = row.previousElementSibling;
    else if (event.key === "Home") next = this.element.firstElementChild;
    else if (event.key === "End") next = this.element.lastElementChild;
    else if (event.key === "Enter" || event.key === " ") this.#toggle(row);
    else if (event.key === "ArrowRight" && isExpanded === "false") this.#toggle(row);
    else if (event.key === "ArrowRight" && isExpanded === "true") next = row.nextElementSibling;
    else if (event.key === "ArrowLeft" && isExpanded === "true") this.#toggle(row);
    else if (event.key === "ArrowLeft") next = this.#parent(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (next && next.isConnected) this.#focus(next);
  }

  #parent(row) {
    const { depth } = this.#nodes.get(row);
    let other = row;
    while (other && this.#nodes.get(other).depth >= depth) other = other.previousElementSibling;
    return other;
  }
}

function isExpandable(node) {
  if (node.kind === "cut") return node.text === "depth" || node.text === "size";
  return !literals.has(node.kind) && ((node.children?.length ?? 0) > 0 || node.count > 0);
}

// The value of a row, without its children.
function describe(node) {
  const text = (style, value) => write(element(`bdi.${style}`), value, 2000);
  const parts = [];
  const count = node.count ?? node.children?.length ?? 0;
  switch (node.kind) {
    case "null": return [text("literal", "nil")];
    case "bool": case "number": return [text("literal", node.text)];
    case "string": parts.push(text("string", `"${node.text}${node.size ? "…" : ""}"`)); break;
    case "value": parts.push(text("string", node.text + (node.size ? "…" : ""))); break;
    case "case": parts.push(text("case", `.${node.text}`)); break;
    case "redacted": return [element("span.badge", { text: "redacted" })];
    case "cut": parts.push(element("span.badge", { text: `left out: ${node.text}` })); break;
    case "list": case "dictionary":
      parts.push(element("span.literal", { text: `${integer(count)} ${count === 1 ? "item" : "items"}` }));
      break;
  }
  if (node.size) parts.push(element("span.badge", { text: bytes(node.size) }));
  if (node.type) parts.push(text("type", node.type));
  return parts;
}
