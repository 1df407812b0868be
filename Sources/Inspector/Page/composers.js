// The tree of composers: their activity, and which of them the views show.

import { debounced, element, toggle } from "./dom.js";
import { VirtualList } from "./list.js";
import { integer, rate, visible, write } from "./text.js";

export class Composers {
  #page;
  #list;
  #entries = [];
  #expanded = new Set();
  #isLiveOnly = false;

  constructor(page, target) {
    this.#page = page;
    this.search = element("input", {
      id: "composers-search", type: "search", placeholder: "Filter composers", "aria-label": "Filter composers",
      spellcheck: "false", oninput: debounced(100, () => {
        this.#arrange();
        this.#list.toTop();
      }),
    });
    const live = toggle("Live", false, { id: "composers-live", title: "Only composers that are live" }, (isOn) => {
      this.#isLiveOnly = isOn;
      this.#arrange();
    });
    this.#list = new VirtualList({
      id: "composers", label: "Composers", role: "tree", rowRole: "treeitem", head: heads(), make: makeRow,
      fill: (row, position) => this.#fill(row, position),
      onCursor: (position, click) => click && this.#choose(position, click),
      onOpen: (position, key) => this.#choose(position, key),
    });
    this.#list.element.addEventListener("keydown", (event) => this.#pressed(event));
    this.#list.element.setAttribute("aria-multiselectable", "true");
    this.list = this.#list;
    target.append(element("div.toolbar", {}, this.search, live), this.#list.element);
    page.watch(["composers"], () => this.#arrange());
    page.watch(["chosen", "composer"], () => this.#list.refresh());
    page.connection.addEventListener("status", () => this.#list.refresh());
    page.connection.on("composers", (params) => page.setComposers(params.composers));
    page.connection.addEventListener("open", () => {
      page.connection.request("composers").then((result) => page.setComposers(result.composers)).catch(console.warn);
    });
    page.connection.subscribe("composers");
    this.#arrange();
  }

  // Lists the composers that match, each with the children that are expanded. Children are walked without recursion.
  #arrange() {
    const text = this.search.value.trim().toLowerCase();
    const matches = (composer) => (composer.isLive || !this.#isLiveOnly)
      && (text === "" || `${composer.name} ${composer.type}`.toLowerCase().includes(text));
    const found = [...this.#page.composers.values()].filter(matches);
    const all = text === "" && !this.#isLiveOnly ? [{ all: true, key: "all", depth: 0 }] : [];
    const count = all.length + found.length;
    this.#entries = all.map((entry) => ({ ...entry, place: 1, count }));
    for (const [index, composer] of found.entries()) {
      const waiting = [{ composer, item: composer, key: String(composer.composer), depth: 0, place: all.length + index + 1, count }];
      while (waiting.length > 0) {
        const entry = waiting.pop();
        this.#entries.push(entry);
        if (!this.#expanded.has(entry.key)) continue;
        const children = entry.item.children ?? [];
        waiting.push(...children.map((item, index) => ({
          composer, item, key: `${entry.key}/${item.name}`, depth: entry.depth + 1, place: index + 1, count: children.length,
        })).toReversed());
      }
    }
    this.#list.setRange(0, this.#entries.length);
    this.#list.refresh();
  }

  #fill(row, position) {
    const { all, item, composer, depth, key, place, count } = this.#entries[position] ?? { all: true, depth: 0, place: 1, count: 1 };
    const [arrow, mark, name, steps, queue, running] = row.children;
    const { chosen, current } = this.#page;
    row.setAttribute("aria-level", depth + 1);
    row.setAttribute("aria-posinset", place);
    row.setAttribute("aria-setsize", count);
    row.dataset.composer = all ? "all" : composer.composer;
    row.style.paddingLeft = `${4 + depth * 14}px`;
    const hasChildren = !all && (item.children?.length ?? 0) > 0;
    if (hasChildren) row.setAttribute("aria-expanded", String(this.#expanded.has(key)));
    else row.removeAttribute("aria-expanded");
    const isChosen = all ? chosen.length === 0 : depth === 0 && chosen.includes(composer.composer);
    row.setAttribute("aria-selected", String(isChosen));
    row.classList.toggle("current", !all && depth === 0 && composer.composer === current);
    arrow.hidden = !hasChildren;
    const isLive = !all && !this.#hasEnded && (depth > 0 ? item.live > 0 : composer.isLive);
    mark.dataset.live = all ? "none" : String(isLive);
    mark.title = mark.dataset.live === "true" ? "live" : "ended";
    if (all) {
      const number = this.#page.composers.size;
      name.textContent = `All composers (${integer(number)})`;
      row.title = "Show the steps of all composers";
      for (const cell of [steps, queue, running]) cell.textContent = "";
      return;
    }
    const type = depth === 0 && composer.fork ? `fork of ${composer.fork.composer} after event ${integer(composer.fork.event)}` : item.type === item.name ? "" : item.type ?? "";
    name.replaceChildren(write(element("bdi.name"), item.name, 120), " ", write(element("bdi.type"), type, 120));
    if (depth > 0) {
      steps.textContent = item.isMany ? `× ${integer(item.live)}` : "";
      queue.textContent = running.textContent = "";
      row.title = visible(`${item.name}, ${item.live} live`, 400);
      return;
    }
    // What was received last is not what happens now.
    const now = (text) => (this.#hasEnded ? "" : text);
    steps.textContent = isLive ? rate(composer.stepsPerSecond) : "";
    queue.textContent = now(composer.queue > 0 ? integer(composer.queue) : "");
    running.textContent = now(composer.running > 0 ? integer(composer.running) : "");
    row.title = visible(`${composer.name}: ${composer.type}`, 400)
      + `\n${integer(composer.steps)} steps, ${composer.queue} in the queue, ${composer.running} running effects`
      + (composer.fork ? `\n${type}` : "")
      + (isLive ? "" : "\nended");
  }

  // A click shows one composer; with Control, Command or Shift it adds or removes one.
  #choose(position, event) {
    const { all, composer, key } = this.#entries[position];
    if (event.target.closest?.(".arrow")) return this.#expand(key, !this.#expanded.has(key));
    if (all) return this.#page.set({ chosen: [] });
    const number = composer.composer;
    const { chosen } = this.#page;
    if (!(event.ctrlKey || event.metaKey || event.shiftKey || event.key === " ")) {
      return this.#page.set({ chosen: [number], composer: number });
    }
    const others = chosen.filter((other) => other !== number);
    this.#page.set(others.length < chosen.length ? { chosen: others } : { chosen: [...chosen, number], composer: number });
  }

  get #hasEnded() {
    return this.#page.connection.state === "ended";
  }

  #expand(key, isExpanded) {
    if (isExpanded) this.#expanded.add(key);
    else this.#expanded.delete(key);
    this.#arrange();
  }

  #pressed(event) {
    const entry = this.#entries[this.#list.cursor];
    if (!entry || entry.all) return;
    if (event.key === "ArrowRight") this.#expand(entry.key, true);
    else if (event.key === "ArrowLeft") this.#expand(entry.key, false);
    else if (event.key === " ") this.#choose(this.#list.cursor, event);
    else return;
    event.preventDefault();
  }
}

function heads() {
  const texts = { "": "", "Composer": "", "steps/s": "Steps in a second", "queue": "Waiting actions", "run": "Running effects" };
  return element("div.head.composer", { "aria-hidden": "true" }, element("span"),
    ...Object.entries(texts).map(([text, title]) => element("span", { text, title })));
}

function makeRow() {
  return element("div.composer", {}, element("span.arrow"), element("span.live"), element("span.label"),
    element("span.number"), element("span.number.queue"), element("span.number.running"));
}
