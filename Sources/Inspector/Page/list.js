// A virtual list: any number of rows of one height, of which only the visible ones are elements.

import { element } from "./dom.js";

// Browsers cut elements at 16 to 33 million pixels. A longer list has a shorter element, and scrolls in proportion.
const longest = 8_000_000;
const overscan = 8;
let lists = 0;

/**
 * `make()` returns an empty row, `fill(row, position)` shows a position in it. `onCursor` is called with the position
 * that keys or a click have moved to, where `place(row)` returns the position of what a clicked row shows, `onOpen` for Enter, `onVisible` with the visible range, `onFollow` with a flag.
 */
export class VirtualList {
  first = 0;
  end = 0;
  cursor = null;
  isFollowing = false;
  #id = `list${++lists}`;
  #options;
  #height = 24;
  #offset = 0; // Pixels above the visible part, if all rows were elements.
  #lastTop = 0;
  #rows = new Map();
  #free = [];
  #settle = 0;

  constructor(options) {
    this.#options = { role: "grid", rowRole: "row", onOpen() {}, onCursor() {}, onVisible() {}, onFollow() {}, place: (row) => Number(row.dataset.position), ...options };
    this.space = element("div.space", { role: "presentation" });
    this.scroller = element("div.scroller", { tabindex: "-1", role: "presentation" }, this.space);
    this.element = element(
      "div.list", { id: options.id, role: this.#options.role, "aria-label": options.label, tabindex: "0" },
      options.head ?? null, this.scroller);
    this.scroller.addEventListener("scroll", () => this.#scrolled());
    this.scroller.addEventListener("click", (event) => this.#clicked(event));
    this.element.addEventListener("keydown", (event) => this.#pressed(event));
    new ResizeObserver(() => this.#resized()).observe(this.scroller);
  }

  /** Shows the rows at the positions `first..<end`. The visible rows stay where they are. */
  setRange(first, end) {
    const shift = (first - this.first) * this.#height;
    this.first = first;
    this.end = Math.max(first, end);
    if (this.cursor !== null && (this.cursor < first || this.cursor >= this.end)) this.cursor = null;
    if (this.#options.role === "grid") this.element.setAttribute("aria-rowcount", this.end - first);
    this.space.style.height = `${Math.min(longest, this.#total)}px`;
    this.#moveTo(this.isFollowing ? Infinity : this.#offset - shift);
  }

  /** Fills the visible rows again. */
  refresh() {
    for (const [position, row] of this.#rows) this.#fill(row, position);
  }

  follow(isFollowing) {
    if (this.isFollowing !== isFollowing) {
      this.isFollowing = isFollowing;
      this.#options.onFollow(isFollowing);
    }
    if (isFollowing) this.#moveTo(Infinity);
  }

  /** Scrolls to the first row, as for the results of another filter. */
  toTop() {
    this.follow(false);
    this.#moveTo(0);
  }

  /** Moves the cursor to a position, and scrolls until it is visible. */
  setCursor(position, { isCentred = false } = {}) {
    if (position !== null) position = Math.max(this.first, Math.min(this.end - 1, position));
    if (this.end <= this.first) position = null;
    this.cursor = position;
    if (position !== null) {
      const top = (position - this.first) * this.#height;
      const view = this.scroller.clientHeight;
      const isAbove = top < this.#offset;
      const isBelow = top + this.#height > this.#offset + view;
      if ((isAbove || isBelow) && position < this.end - 1) this.follow(false);
      if (isCentred && (isAbove || isBelow)) this.#moveTo(top - view / 2);
      else if (isAbove) this.#moveTo(top);
      else if (isBelow) this.#moveTo(top + this.#height - view);
    }
    this.#markCursor();
  }

  /** Moves the cursor by a number of rows, as a key does. */
  step(distance) {
    const visible = this.first + Math.ceil(this.#offset / this.#height);
    const start = this.cursor ?? (distance > 0 ? visible - 1 : visible + 1);
    this.setCursor(start + distance);
    if (this.cursor === null) return;
    if (this.cursor < this.end - 1) this.follow(false);
    this.#options.onCursor(this.cursor);
  }

  get #total() {
    return (this.end - this.first) * this.#height;
  }

  get #mostOffset() {
    return Math.max(0, this.#total - this.scroller.clientHeight);
  }

  get #mostTop() {
    return Math.max(0, Math.min(longest, this.#total) - this.scroller.clientHeight);
  }

  #moveTo(offset) {
    this.#offset = Math.max(0, Math.min(this.#mostOffset, offset));
    this.#align();
    this.#render();
  }

  // Moves the scroll bar to where the offset is in proportion.
  #align() {
    const most = this.#mostOffset;
    const top = most === 0 ? 0 : Math.round((this.#offset / most) * this.#mostTop);
    if (Math.abs(top - this.scroller.scrollTop) >= 1) this.scroller.scrollTop = top;
    this.#lastTop = this.scroller.scrollTop;
  }

  #scrolled() {
    const top = this.scroller.scrollTop;
    const moved = top - this.#lastTop;
    if (moved === 0) return;
    this.#lastTop = top;
    const scale = this.#mostTop === 0 ? 1 : this.#mostOffset / this.#mostTop;
    const isAtEdge = top <= 0 || top >= this.#mostTop;
    // The wheel moves by pixels, also where the list is scaled; the scroll bar moves in proportion.
    if (scale > 1 && Math.abs(moved) < 1500 && !isAtEdge) this.#offset += moved;
    else this.#offset = top * scale;
    this.#offset = Math.max(0, Math.min(this.#mostOffset, this.#offset));
    if (scale > 1) {
      clearTimeout(this.#settle);
      this.#settle = setTimeout(() => this.#moveTo(this.#offset), 200);
    }
    if (this.isFollowing && this.#offset < this.#mostOffset - this.#height) this.follow(false);
    this.#render();
  }

  #resized() {
    const height = parseFloat(getComputedStyle(this.element).getPropertyValue("--row")) || 24;
    if (this.scroller.clientHeight === 0) return;
    const top = this.#offset / this.#height;
    if (height !== this.#height) {
      this.#height = height;
      this.space.style.height = `${Math.min(longest, this.#total)}px`;
    }
    this.#moveTo(this.isFollowing ? Infinity : top * height);
  }

  #render() {
    const view = this.scroller.clientHeight;
    const top = this.first + Math.floor(this.#offset / this.#height);
    const bottom = this.first + Math.ceil((this.#offset + view) / this.#height);
    const from = Math.max(this.first, top - overscan);
    const to = view === 0 ? from : Math.min(this.end, bottom + overscan);
    for (const [position, row] of this.#rows) {
      if (position >= from && position < to) continue;
      this.#rows.delete(position);
      this.#free.push(row);
    }
    const base = this.scroller.scrollTop - this.#offset;
    for (let position = from; position < to; position++) {
      let row = this.#rows.get(position);
      if (!row) {
        row = this.#free.pop() ?? this.#add();
        row.hidden = false;
        this.#rows.set(position, row);
        this.#fill(row, position);
      }
      row.style.transform = `translateY(${base + (position - this.first) * this.#height}px)`;
    }
    // What they have shown is not there any more, for readers of the page either.
    for (const row of this.#free) row.hidden = true;
    this.#markCursor();
    if (to > from) this.#options.onVisible(from, to);
  }

  #add() {
    const row = this.#options.make();
    row.classList.add("row");
    row.setAttribute("role", this.#options.rowRole);
    this.space.append(row);
    return row;
  }

  #fill(row, position) {
    row.id = `${this.#id}-${position}`;
    row.dataset.position = position;
    // A row of a tree has a place among those of its level, which the view knows.
    if (this.#options.role === "grid") row.setAttribute("aria-rowindex", position - this.first + 1);
    this.#options.fill(row, position);
  }

  #markCursor() {
    for (const [position, row] of this.#rows) {
      if (row.classList.contains("cursor") !== (position === this.cursor)) row.classList.toggle("cursor");
    }
    const isVisible = this.cursor !== null && this.#rows.has(this.cursor);
    if (isVisible) this.element.setAttribute("aria-activedescendant", `${this.#id}-${this.cursor}`);
    else this.element.removeAttribute("aria-activedescendant");
  }

  #clicked(event) {
    const row = event.target.closest(".row");
    if (!row) return;
    this.element.focus({ preventScroll: true });
    // What the row shows may have moved since it was drawn.
    const position = this.#options.place(row);
    if (position < 0) return;
    this.setCursor(position);
    this.#options.onCursor(this.cursor, event);
  }

  #pressed(event) {
    if (event.target !== this.element || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / this.#height) - 1);
    const distances = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in distances) {
      if (this.#options.onEnd && event.key === "End") this.#options.onEnd();
      else this.step(distances[event.key]);
    } else if (event.key === "Enter" && this.cursor !== null) {
      this.#options.onOpen(this.cursor, event);
    } else {
      return;
    }
    event.preventDefault();
  }
}
