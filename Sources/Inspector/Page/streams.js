// The view of streams: the live subscriptions as a tree, and the marbles of those that are chosen.

import { announcing, debounced, element } from "./dom.js";
import { VirtualList } from "./list.js";
import { Marbles } from "./marbles.js";
import { duration, integer, rate, visible, write } from "./text.js";

export class StreamsView {
  id = "streams";
  title = "Streams";
  #page;
  #list;
  #marbles;
  #streams = [];
  #rates = new Map();
  #more = 0;
  #hint = null;
  #isLoaded = false;
  #receivedAt = 0;
  #entries = [];
  #collapsed = new Set();
  #announce = announcing(() => this.status.textContent);

  constructor(page) {
    this.#page = page;
    this.search = element("input", {
      id: "streams-search", type: "search", placeholder: "Filter streams  ( / )", "aria-label": "Filter streams",
      spellcheck: "false", oninput: debounced(100, () => {
        this.#arrange();
        this.#announce();
      }),
    });
    this.status = element("span.status.muted", { id: "streams-status" });
    this.hint = element("p.hint", { id: "streams-hint", hidden: true });
    this.empty = element("p.empty", { id: "streams-empty", hidden: true });
    this.#list = new VirtualList({
      id: "streams-list", label: "Streams", role: "tree", rowRole: "treeitem", head: heads(), make: makeRow,
      fill: (row, position) => this.#fill(row, position),
      place: (row) => this.#entries.findIndex(({ stream }) => stream.stream === Number(row.dataset.stream)),
      onCursor: (position, click) => click && this.#choose(position, click),
      onOpen: (position, key) => this.#choose(position, key),
    });
    this.list = this.#list;
    this.#list.element.setAttribute("aria-multiselectable", "true");
    this.#list.element.addEventListener("keydown", (event) => this.#pressed(event));
    this.#marbles = new Marbles(page.connection, () => this.#list.refresh());
    this.element = element("div.view", { id: "view-streams" },
      element("div.toolbar", {}, this.search, this.status), this.hint,
      element("div.streams", {}, this.#list.element, this.empty), this.#marbles.element);
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.target === this.search || this.#marbles.isEmpty) return;
      this.#marbles.clear();
      this.#list.element.focus();
      event.preventDefault();
    });
    page.connection.on("streams", (params) => this.#receive(params));
    page.connection.addEventListener("open", () => this.#opened());
  }

  /** Starts and ends the subscription with the visibility of the view. */
  show(isVisible) {
    this.#marbles.show(isVisible);
    if (!isVisible) return this.#page.connection.unsubscribe("streams");
    this.#page.connection.subscribe("streams");
    this.#arrange();
  }

  #opened() {
    this.#rates.clear();
    this.#receivedAt = 0;
    this.#marbles.watchAgain();
  }

  #receive({ isTraced, hint, streams, moreStreams }) {
    const now = performance.now();
    const seconds = (now - this.#receivedAt) / 1000;
    const before = new Map(this.#streams.map((stream) => [stream.stream, stream.count]));
    const isFirst = this.#receivedAt === 0;
    this.#rates = new Map(streams.map(({ stream, count, age }) => {
      if (isFirst || seconds <= 0) return [stream, 0];
      if (before.has(stream)) return [stream, (count - before.get(stream)) / seconds];
      return [stream, count / Math.max(1, Math.min(age, seconds))];
    }));
    this.#receivedAt = now;
    this.#streams = streams;
    this.#more = moreStreams;
    this.#hint = isTraced ? null : hint ?? "Tracing is turned off.";
    this.#isLoaded = true;
    this.#arrange();
  }

  // Lists the streams below those that they send to. A filter keeps the way to what it finds.
  #arrange() {
    const text = this.search.value.trim().toLowerCase();
    const byID = new Map(this.#streams.map((stream) => [stream.stream, stream]));
    const children = new Map();
    const kept = new Set();
    for (const stream of this.#streams) {
      const parent = byID.has(stream.parent) ? stream.parent : null;
      if (!children.has(parent)) children.set(parent, []);
      children.get(parent).push(stream);
      if (text === "" || !searchText(stream).includes(text)) continue;
      for (let next = stream; next && !kept.has(next.stream); next = byID.get(next.parent)) kept.add(next.stream);
    }
    const chosen = this.#entries[this.#list.cursor]?.stream.stream;
    this.#entries = [];
    const level = (parent, depth) => {
      const streams = (children.get(parent) ?? []).filter(({ stream }) => text === "" || kept.has(stream));
      return streams.map((stream, index) => ({ stream, depth, place: index + 1, count: streams.length })).toReversed();
    };
    const waiting = level(null, 0);
    while (waiting.length > 0) {
      const entry = waiting.pop();
      const { stream, depth } = entry;
      this.#entries.push({ ...entry, hasChildren: (children.get(stream.stream) ?? []).length > 0 });
      if (this.#collapsed.has(stream.stream) && text === "") continue;
      waiting.push(...level(stream.stream, depth + 1));
    }
    if (this.#list.cursor !== null) {
      const position = this.#entries.findIndex(({ stream }) => stream.stream === chosen);
      this.#list.cursor = position < 0 ? null : position;
    }
    this.#list.setRange(0, this.#entries.length);
    this.#list.refresh();
    this.#describe(text, children.get(null)?.length ?? 0);
  }

  #describe(text, roots) {
    const shown = text === "" ? "" : `${integer(this.#entries.length)} of `;
    const more = this.#more > 0 ? `, ${integer(this.#more)} older ones left out` : "";
    const total = this.#streams.length;
    this.status.textContent = this.#isLoaded
      ? `${shown}${integer(total)} streams of ${integer(roots)} subscriptions${more}` : "reading the streams…";
    const isEmpty = this.#isLoaded && this.#entries.length === 0;
    write(this.hint, this.#hint ?? "", 500);
    this.hint.hidden = this.#hint === null;
    this.empty.hidden = !isEmpty;
    this.empty.textContent = this.#hint ? "Streams are not traced." : total > 0 ? "No stream matches." : "No stream is live.";
  }

  #fill(row, position) {
    const entry = this.#entries[position];
    if (!entry) return;
    const { stream, depth, hasChildren, place: placeInLevel, count: siblings } = entry;
    const [name, where, count, speed, age, last] = row.children;
    row.dataset.stream = stream.stream;
    row.setAttribute("aria-level", depth + 1);
    row.setAttribute("aria-posinset", placeInLevel);
    row.setAttribute("aria-setsize", siblings);
    row.setAttribute("aria-selected", String(this.#marbles.has(stream.stream)));
    if (hasChildren) row.setAttribute("aria-expanded", String(!this.#collapsed.has(stream.stream) || this.search.value.trim() !== ""));
    else row.removeAttribute("aria-expanded");
    const [arrow, label] = name.children;
    name.style.paddingLeft = `${Math.min(depth, 24) * 14}px`;
    arrow.hidden = !hasChildren;
    label.dataset.isRoot = String(depth === 0);
    write(label, stream.operator ?? "stream", 60);
    write(where.firstChild, placeOf(stream), 80);
    count.textContent = stream.count > 0 ? integer(stream.count) : "";
    speed.textContent = rate(this.#rates.get(stream.stream) ?? 0);
    age.textContent = duration(stream.age);
    write(last.firstChild, stream.last ?? "", 120);
    const since = stream.lastAge === undefined ? "no element yet" : `the last element ${duration(stream.lastAge)} ago`;
    const place = stream.file ? `${stream.file}:${stream.line}` : "place unknown";
    row.title = `${visible(`${stream.stream} ${stream.operator ?? "stream"}`, 200)}\n${visible(place, 500)}\n${integer(stream.count)} elements, ${since}`;
  }

  // A click shows the marbles of one stream; with Control, Command, Shift or Space it adds or removes one.
  #choose(position, event) {
    const entry = this.#entries[position];
    if (!entry) return;
    const { stream } = entry;
    if (event.target.closest?.(".arrow")) return this.#collapse(entry, !this.#collapsed.has(stream.stream));
    const adds = event.ctrlKey || event.metaKey || event.shiftKey || event.key === " ";
    const label = { number: stream.stream, name: stream.operator ?? "stream", place: placeOf(stream) };
    if (adds) this.#marbles.toggle(label);
    else this.#marbles.showOnly(label);
    this.#list.refresh();
  }

  #collapse({ stream, hasChildren }, isCollapsed) {
    if (!hasChildren) return;
    if (isCollapsed) this.#collapsed.add(stream.stream);
    else this.#collapsed.delete(stream.stream);
    this.#arrange();
  }

  #pressed(event) {
    const entry = this.#entries[this.#list.cursor];
    if (!entry || event.ctrlKey || event.metaKey || event.altKey) return;
    const isOpen = entry.hasChildren && !this.#collapsed.has(entry.stream.stream);
    if (event.key === "ArrowRight" && isOpen) this.#list.step(1);
    else if (event.key === "ArrowRight") this.#collapse(entry, false);
    else if (event.key === "ArrowLeft" && isOpen) this.#collapse(entry, true);
    else if (event.key === "ArrowLeft") this.#toParent(entry);
    else if (event.key === " ") this.#choose(this.#list.cursor, event);
    else return;
    event.preventDefault();
  }

  #toParent({ stream }) {
    const position = this.#entries.findIndex((other) => other.stream.stream === stream.parent);
    if (position >= 0) this.#list.setCursor(position);
  }
}

function placeOf({ file, line }) {
  return file ? `${file.split(/[/\\]/).at(-1)}:${line ?? "?"}` : "";
}

function searchText(stream) {
  return `${stream.stream} ${stream.operator ?? ""} ${placeOf(stream)} ${stream.last ?? ""}`.toLowerCase();
}

function heads() {
  const texts = { Stream: "", Place: "Where the operator is called", Elements: "Elements until now", "/s": "Elements in a second",
    Age: "Time since the subscription", "Last element": "" };
  return element("div.head.stream", { "aria-hidden": "true" },
    ...Object.entries(texts).map(([text, title]) => element("span", { text, title })));
}

function makeRow() {
  return element("div.stream", {},
    element("span.name", {}, element("span.arrow"), element("bdi.label")), element("span.place", {}, element("bdi")),
    element("span.number.count"), element("span.number.speed"), element("span.number.age"),
    element("span.last", {}, element("bdi")));
}
