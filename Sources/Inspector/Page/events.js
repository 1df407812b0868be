// A list of events that the server searches: its rows come in pages, when they are needed.

import { debounced } from "./dom.js";

const pageSize = 128;
const mostPages = 240;
const mostRequests = 3;

/** Emits `reset` for another filter, `grown` when the list is longer, `loaded` when rows have arrived. */
export class EventList extends EventTarget {
  count = 0;
  dropped = 0;
  searched = 1;
  #connection;
  #filter = null;
  #query = null;
  #generation = 0;
  #pages = new Map(); // The least recently used first.
  #wanted = [];
  #loading = new Set();
  // Pages that a fast scroll passes are not requested.
  #pumpSoon = debounced(30, () => this.#pump());

  constructor(connection) {
    super();
    this.#connection = connection;
    connection.addEventListener("open", () => {
      this.#query = null;
      if (this.#filter) this.#open();
    });
    connection.on("query", (params) => this.#grow(params));
  }

  /** Opens the list of another filter. Null closes the list. */
  setFilter(filter) {
    if (JSON.stringify(filter) === JSON.stringify(this.#filter)) return;
    this.#filter = filter;
    if (this.#connection.isOpen) this.#open();
  }

  /** Returns a row: undefined until it has arrived, null when its event is dropped. */
  row(position) {
    return this.#pages.get(Math.floor(position / pageSize))?.rows[position % pageSize];
  }

  /** Requests the rows at these positions, which are visible now. */
  want(first, end) {
    this.#wanted = [];
    for (let page = Math.floor(first / pageSize); page * pageSize < end; page++) {
      this.#wanted.push(page);
      this.#touch(page);
    }
    if (this.#wanted.some((page) => this.#missing(page) !== null)) this.#pumpSoon();
  }

  /** Returns the row at a position, or null. */
  async fetch(position) {
    const row = this.row(position);
    if (row !== undefined) return row;
    if (this.#query === null || position < this.dropped || position >= this.count) return null;
    const { from, rows } = await this.#connection.request("rows", { query: this.#query, from: position, count: 1 });
    return rows[position - from] ?? null;
  }

  /** Returns the position of the last row that is kept and not after an event, or -1, and whether it is that event's. */
  async find(event) {
    if (this.#query === null || this.count <= this.dropped) return { position: -1, isExact: false };
    return this.#connection.request("find", { query: this.#query, event });
  }

  async #open() {
    const generation = ++this.#generation;
    const old = this.#query;
    this.#query = null;
    this.#pages.clear();
    this.#loading.clear();
    this.#wanted = [];
    Object.assign(this, { count: 0, dropped: 0, searched: this.#filter ? 0 : 1 });
    this.dispatchEvent(new Event("reset"));
    try {
      if (old !== null) this.#connection.request("close", { query: old }).catch(console.warn);
      if (this.#filter === null) return;
      const { query } = await this.#connection.request("open", { filter: this.#filter });
      if (generation === this.#generation) this.#query = query;
      else this.#connection.request("close", { query }).catch(console.warn);
    } catch (error) {
      console.warn(error);
    }
  }

  #grow({ query, count, dropped, searched }) {
    if (query !== this.#query) return;
    Object.assign(this, { count, dropped, searched });
    this.dispatchEvent(new Event("grown"));
    this.#pump();
  }

  #touch(number) {
    const page = this.#pages.get(number) ?? { rows: [], next: number * pageSize, stalled: -1 };
    this.#pages.delete(number);
    this.#pages.set(number, page);
    while (this.#pages.size > mostPages) this.#pages.delete(this.#pages.keys().next().value);
  }

  // The first position of a page that has not arrived, or null.
  #missing(number) {
    const page = this.#pages.get(number);
    const end = Math.min((number + 1) * pageSize, this.count);
    if (!page || page.next >= end || page.stalled === this.count || this.#loading.has(number)) return null;
    return page.next;
  }

  #pump() {
    if (this.#query === null) return;
    for (const number of this.#wanted) {
      if (this.#loading.size >= mostRequests) return;
      const from = this.#missing(number);
      if (from !== null) this.#load(number, from);
    }
  }

  async #load(number, from) {
    const generation = this.#generation;
    this.#loading.add(number);
    const end = (number + 1) * pageSize;
    const asked = this.count;
    let answer = { from, rows: [] };
    try {
      answer = await this.#connection.request("rows", { query: this.#query, from, count: end - from });
    } catch (error) {
      console.warn(error);
    }
    if (generation !== this.#generation) return;
    this.#loading.delete(number);
    const page = this.#pages.get(number);
    if (page) {
      const first = number * pageSize;
      const gone = answer.rows.length > 0 ? answer.from : Math.min(end, Math.max(from, this.dropped));
      for (let position = from; position < gone; position++) page.rows[position - first] = null;
      answer.rows.forEach((row, index) => (page.rows[answer.from - first + index] = row));
      page.next = Math.max(from, gone) + answer.rows.length;
      if (page.next === from) page.stalled = asked;
      this.dispatchEvent(new Event("loaded"));
    }
    this.#pump();
  }
}
