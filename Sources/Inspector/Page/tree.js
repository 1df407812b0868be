// A tree of value nodes. Its rows are one flat list, so that depth costs nothing.

import { element } from "./dom.js";
import { bytes, integer, write } from "./text.js";

const mostAutomaticRows = 200;
const pageSize = 100;
const deepestIndent = 24;
const literals = new Set(["null", "bool", "number", "string", "value", "redacted", "cut"]);

/** Returns a text of one line for a node: `Row(id: 7, title: "Milk", …)`. */
export function brief(node, depth = 2) {
  if (!node) return "";
  switch (node.kind) {
    case "null": return "nil";
    case "string": return `"${node.text.slice(0, 200)}${node.text.length > 200 || node.size ? "…" : ""}"`;
    case "redacted": return "redacted";
    case "cut": return `… (${node.text})`;
    case "list": case "dictionary": return briefElements(node, depth);
  }
  const name = node.kind === "case" ? `.${node.text}` : node.text ?? node.type ?? "";
  const children = node.children ?? [];
  if (children.length === 0) return name;
  if (depth === 0) return `${name}(…)`;
  const parts = children.slice(0, 4).map((child) => `${child.name}: ${brief(child.value, depth - 1)}`);
  return `${name}(${parts.join(", ")}${children.length > 4 ? ", …" : ""})`;
}

// The first elements of a list, if they are short, or their number.
function briefElements(node, depth) {
  const children = node.children ?? [];
  const count = node.count ?? children.length;
  const isDictionary = node.kind === "dictionary";
  if (count === 0) return isDictionary ? "[:]" : "[]";
  if (depth === 0 || children.length === 0) return `[${integer(count)}]`;
  const parts = children.slice(0, 3).map(({ name, value }) => (isDictionary ? `${name}: ` : "") + brief(value, depth - 1));
  return `[${parts.join(", ")}${count > 3 ? `, … ${integer(count)}` : ""}]`;
}

/** Whether the path of a change leads to a node, or through it: `here`, `inside` or null. */
class Marks {
  #here = new Set();
  #inside = new Set();

  constructor(changes) {
    for (const { names: place, old, new: value } of changes) {
      // What was removed has no row; its list has.
      const names = old && !value ? place.slice(0, -1) : place;
      this.#here.add(keyOf(names));
      for (let length = 0; length < names.length; length++) this.#inside.add(keyOf(names.slice(0, length)));
    }
  }

  of(key) {
    return this.#here.has(key) ? "here" : this.#inside.has(key) ? "inside" : null;
  }
}

function keyOf(names) {
  return names.map((name) => `/${name.length}:${name}`).join("");
}

/**
 * Shows nodes. `load(path, from, count)` returns a node with further children; without it the tree has only what it was
 * given. `choose({ path, text, value })` is called with the row that is clicked or moved to, which stays marked. From one value to the next, rows that are the same stay, and so does what is expanded and what was loaded.
 */
export class Tree {
  #load;
  #choose;
  #root = null;
  #marks = new Marks([]);
  #isExpanded = new Map(); // By key: what the user chose.
  #automatic = new Map(); // What the tree chose for this value.
  #loaded = new Map(); // By key: `{ path, count }`, children that were loaded.
  #rows = new Map(); // By key: `{ row, entry, look }`.
  #keys = new WeakMap();
  #chosen = null; // The key of the row that the user has chosen.
  #turn = 0;

  constructor({ id, label, load = null, choose = null }) {
    this.#load = load;
    this.#choose = choose;
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

  /** Shows a value. `changes` are marked. */
  async setValue(node, changes = []) {
    const turn = ++this.#turn;
    for (const [key, { path, count }] of node && this.#load ? this.#loaded : []) {
      const part = partAt(node, path);
      if (part?.kind === "cut" || (part?.children && part.children.length < count)) {
        await this.#complete(part, path, count).catch(() => this.#loaded.delete(key));
      }
      if (turn !== this.#turn) return;
    }
    this.#root = node;
    this.#marks = new Marks(changes);
    this.#automatic.clear();
    this.#show();
  }

  // Adds the children of a node up to a number, or a value that was left out.
  async #complete(node, path, count) {
    const from = node.children?.length ?? 0;
    const { children = [], ...other } = await this.#load(path, from, Math.max(1, count - from));
    Object.assign(node, other, { children: [...(node.children ?? []), ...children] });
    if (children.length === 0) delete node.count;
  }

  #show() {
    const focused = this.element.contains(document.activeElement) ? this.#keys.get(document.activeElement.closest(".node")) : null;
    const shown = new Map();
    let place = this.element.firstElementChild;
    for (const entry of this.#root ? this.#entries() : []) {
      const look = lookOf(entry);
      let known = this.#rows.get(entry.key);
      if (known?.look !== look) {
        const row = this.#row(entry);
        if (known === undefined) this.element.insertBefore(row, place);
        else {
          row.tabIndex = known.row.tabIndex;
          if (place === known.row) place = row;
          known.row.replaceWith(row);
        }
        known = { row, look };
      }
      if (known.row === place) place = place.nextElementSibling;
      else this.element.insertBefore(known.row, place);
      shown.set(entry.key, { ...known, entry });
    }
    for (const [key, { row }] of this.#rows) if (!shown.has(key)) row.remove();
    this.#rows = shown;
    if (focused !== null && focused !== undefined) this.#focus(shown.get(focused)?.row ?? this.element.firstElementChild, false);
    else if (!this.element.querySelector('[tabindex="0"]') && this.element.firstElementChild) {
      this.element.firstElementChild.tabIndex = 0;
    }
  }

  // The rows from the top: `{ key, name, value, path, text, depth, isOpen, mark }`, and `note` or `more` for others.
  *#entries() {
    let count = 0;
    const waiting = [{ key: "", name: "", value: this.#root, path: [], text: "", depth: 0 }];
    while (waiting.length > 0) {
      const entry = waiting.pop();
      const { key, value, path, depth, text } = entry;
      const children = value.children ?? [];
      if (entry.note === undefined) {
        entry.mark = this.#marks.of(key);
        if (isExpandable(value)) entry.isOpen = this.#isOpen(entry, mostAutomaticRows - count);
      }
      count += 1;
      yield entry;
      if (!entry.isOpen) continue;
      const rest = Math.max(0, (value.count ?? 0) - children.length);
      const isMissing = value.kind === "cut" || (children.length === 0 && rest > 0);
      if (rest > 0 || isMissing) {
        waiting.push({
          key: `${key}+`, path, text: `${text} …`, depth: depth + 1, of: entry, value: { kind: "null" },
          note: isMissing && this.#load ? "Loading…" : this.#load ? `Show more of ${integer(rest)}` : `${integer(rest)} more`,
        });
      }
      const isNamed = value.kind === "list" || value.kind === "dictionary";
      for (const { name, value: part } of children.toReversed()) {
        waiting.push({
          key: `${key}/${name.length}:${name}`, name, value: part, path: [...path, name], depth: depth + 1,
          text: isNamed ? `${text}[${name}]` : text === "" ? name : `${text}.${name}`,
        });
      }
    }
  }

  // Small nodes near the root are open until the user closes them.
  #isOpen({ key, value, depth }, room) {
    const children = value.children?.length ?? 0;
    if (!this.#automatic.has(key)) this.#automatic.set(key, depth < 2 && children > 0 && children <= Math.min(30, room));
    return this.#isExpanded.get(key) ?? this.#automatic.get(key);
  }

  #row(entry) {
    const { name, value, depth, text, note, isOpen, mark } = entry;
    const row = element("div.node", { role: "treeitem", tabindex: "-1", "aria-level": depth + 1 });
    row.style.paddingLeft = `${6 + Math.min(depth, deepestIndent) * 14}px`;
    row.append(element("span.arrow", { "aria-hidden": "true" }));
    this.#keys.set(row, entry.key);
    if (note !== undefined) {
      row.classList.add("muted");
      row.classList.toggle("load", this.#load !== null);
      row.append(note);
      return row;
    }
    Object.assign(row.dataset, { path: text, node: value.kind });
    if (isOpen !== undefined) row.setAttribute("aria-expanded", String(isOpen));
    if (depth > deepestIndent) row.append(element("span.muted", { text: `${depth} ` }));
    if (name !== "") row.append(write(element("bdi.name"), name, 120), element("span.muted", { text: ": " }));
    row.append(...describe(value, isOpen === false));
    if (mark) row.dataset.change = mark;
    if (this.#choose !== null) row.setAttribute("aria-selected", String(entry.key === this.#chosen));
    return row;
  }

  #toggle(row) {
    const { entry } = this.#rows.get(this.#keys.get(row));
    if (entry.of) return this.#loadMore(entry);
    if (entry.isOpen === undefined) return;
    this.#isExpanded.set(entry.key, !entry.isOpen);
    if (entry.isOpen) this.#forget(entry.key);
    this.#show();
    const more = this.#rows.get(`${entry.key}+`);
    if (more?.entry.note === "Loading…") this.#loadMore(more.entry);
  }

  // What was loaded below a node that is closed is not loaded again with the next value.
  #forget(key) {
    for (const other of this.#loaded.keys()) if (other === key || other.startsWith(`${key}/`)) this.#loaded.delete(other);
  }

  async #loadMore({ of: { key, path, value } }) {
    if (!this.#load) return;
    const turn = this.#turn;
    const count = (value.children?.length ?? 0) + pageSize;
    try {
      await this.#complete(value, path, count);
    } catch (error) {
      this.#rows.get(`${key}+`)?.row.lastChild.replaceWith(error.message);
      return;
    }
    this.#loaded.set(key, { path, count });
    if (turn === this.#turn) this.#show();
  }

  // The user has chosen the row, unless it only has the focus again in another value.
  #focus(row, isChosen = true) {
    if (!row) return;
    for (const other of this.element.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    row.tabIndex = 0;
    if (document.activeElement !== row) row.focus({ preventScroll: false });
    const entry = this.#rows.get(this.#keys.get(row))?.entry;
    if (!isChosen || !entry || entry.note !== undefined || this.#choose === null) return;
    this.#markChosen(entry.key);
    this.#choose(entry);
  }

  /** Opens the nodes around a value, and chooses it, or the nearest of them that the tree has. */
  reveal(names) {
    const key = (length) => keyOf(names.slice(0, length));
    for (let length = 0; length < names.length; length++) this.#isExpanded.set(key(length), true);
    this.#show();
    let length = names.length;
    while (length > 0 && !this.#rows.has(key(length))) length -= 1;
    const row = this.#rows.get(key(length))?.row;
    this.#focus(row);
    row?.scrollIntoView({ block: "center" });
  }

  /** Marks no row as chosen. */
  chooseNone() {
    this.#markChosen(null);
  }

  #markChosen(key) {
    const mark = (key, isChosen) => this.#rows.get(key)?.row.setAttribute("aria-selected", String(isChosen));
    mark(this.#chosen, false);
    mark(key, true);
    this.#chosen = key;
  }

  #pressed(event) {
    const row = event.target.closest(".node");
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const isExpanded = row.getAttribute("aria-expanded");
    let next = null; // Null stands for the row itself, which is opened or closed.
    if (event.key === "ArrowDown") next = row.nextElementSibling ?? row;
    else if (event.key === "ArrowUp") next = row.previousElementSibling ?? row;
    else if (event.key === "Home") next = this.element.firstElementChild;
    else if (event.key === "End") next = this.element.lastElementChild;
    else if (event.key === "ArrowRight" && isExpanded === "true") next = row.nextElementSibling ?? row;
    else if (event.key === "ArrowRight" && isExpanded === null) next = row;
    else if (event.key === "ArrowLeft" && isExpanded !== "true") next = this.#parent(row);
    else if (!["Enter", " ", "ArrowLeft", "ArrowRight"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (next === null) this.#toggle(row);
    else this.#focus(next);
  }

  #parent(row) {
    const level = (other) => Number(other.getAttribute("aria-level"));
    let other = row;
    while (other && level(other) >= level(row)) other = other.previousElementSibling;
    return other ?? row;
  }
}

// The node at a path, or undefined.
function partAt(node, path) {
  let part = node;
  for (const name of path) part = part?.children?.find((child) => child.name === name)?.value;
  return part;
}

// What a row shows, so that it stays when the next value shows the same.
function lookOf({ name, value, depth, note, isOpen, mark }) {
  const start = isOpen === false ? preview(value) : "";
  return [name, depth, note, isOpen, mark, value.kind, value.text, value.type, value.size, value.count, value.children?.length, start]
    .join("\u0000");
}

function isExpandable(node) {
  if (node.kind === "cut") return node.text === "depth" || node.text === "size";
  return !literals.has(node.kind) && ((node.children?.length ?? 0) > 0 || node.count > 0);
}

// The value of a row; a closed one has the beginning of its children.
function describe(node, isClosed) {
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
  if (isClosed && node.kind !== "cut") parts.push(write(element("bdi.brief"), preview(node), 200));
  return parts;
}

// The children of a closed node in one line, without its own name.
function preview(node) {
  if (node.kind === "list" || node.kind === "dictionary") return brief(node);
  const children = node.children ?? [];
  const parts = children.slice(0, 4).map(({ name, value }) => `${name}: ${brief(value, 1)}`);
  return `(${parts.join(", ")}${children.length > 4 ? ", …" : ""})`;
}
