// The view of all steps: a list of events with its filter.

import { announcing, debounced, element, press, toggle } from "./dom.js";
import { EventList } from "./events.js";
import { VirtualList } from "./list.js";
import { sourceLabel, writeTitle } from "./rows.js";
import { clock, counted, dateAndTime, difference, integer, shortened, visible, write } from "./text.js";

const kinds = { step: "Steps", started: "Starts", ended: "Ends" };
const sources = ["outside", "step", "effect", "shared"];

export class StepsView {
  id = "steps";
  title = "Steps";
  #page;
  #events;
  #list;
  #kinds = new Set(["step"]);
  #sources = new Set();
  #isPaused = false;
  #frozen = 0;
  #target = null;
  #cursorEvent = null;
  #turn = 0; // A later move of the cursor ends a search for an event.
  #announce = announcing(() => (this.#events.searched < 1 ? null : this.status.textContent));
  #openSoon = debounced(60, (event) => this.#page.set({ event }));

  constructor(page) {
    this.#page = page;
    this.#events = new EventList(page.connection);
    this.search = element("input", {
      id: "steps-search", type: "search", placeholder: "Search steps  ( / )", "aria-label": "Search steps",
      spellcheck: "false", oninput: debounced(200, () => {
        this.#filter();
        this.#announce();
      }),
    });
    this.pauseButton = toggle("Pause", false, { id: "steps-pause", title: "Freeze the list (p)" }, (on) => this.#pause(on));
    this.followButton = toggle("Follow", true, { id: "steps-follow", title: "Stay at the end (f)" },
      (on) => this.#list.follow(on));
    this.status = element("span.status.muted", { id: "steps-status" });
    this.gone = element("span.muted", { id: "dropped", hidden: true });
    this.progress = element("progress", { id: "steps-progress", max: "1", "aria-label": "Search", hidden: true });
    this.empty = element("p.empty", { id: "steps-empty", hidden: true });
    this.#list = new VirtualList({
      id: "steps-list", label: "Steps", head: heads(), make: makeRow,
      fill: (row, position) => this.#fill(row, position),
      onCursor: (position, click) => this.#moved(position, click !== undefined),
      onOpen: (position) => this.#open(position),
      onVisible: (first, end) => this.#events.want(Math.max(first - 1, 0), end),
      onFollow: (isOn) => press(this.followButton, isOn),
      onEnd: () => this.#toEnd(),
    });
    this.list = this.#list;
    this.element = element("div.view", { id: "view-steps" },
      element("div.toolbar", {}, this.search, this.#kindToggles(), this.#sourceToggles(),
        element("span.group", {}, this.pauseButton, this.followButton), this.status, this.gone, this.progress),
      this.#list.element, this.empty);
    this.#list.follow(true);
    this.#events.addEventListener("reset", () => this.#reset());
    this.#events.addEventListener("grown", () => this.#grown());
    this.#events.addEventListener("loaded", () => this.#list.refresh());
    page.watch(["chosen"], () => this.#filter());
    page.watch(["composers"], debounced(1000, () => this.#list.refresh()));
    page.watch(["composers", "chosen"], () => this.element.classList.toggle("of-one", page.isOfOne));
    page.watch(["event"], () => this.#list.refresh());
    page.addEventListener("go", ({ detail }) => this.reveal(detail));
    this.#target = page.event;
    this.#filter();
  }

  show() {}

  toggleFollow() {
    this.followButton.click();
  }

  togglePause() {
    this.pauseButton.click();
  }

  /** Scrolls to an event, if the list has it. */
  async reveal(event) {
    const turn = ++this.#turn;
    const { position, isExact } = await this.#events.find(event);
    if (turn !== this.#turn || !isExact || position >= this.#list.end) return;
    this.#cursorEvent = event;
    this.#list.setCursor(position, { isCentred: true });
  }

  #filter() {
    const filter = { kinds: [...this.#kinds] };
    if (this.#page.chosen.length > 0) filter.composers = this.#page.chosen;
    if (this.#sources.size > 0) filter.sources = [...this.#sources];
    const text = this.search.value.trim();
    if (text !== "") filter.text = text;
    this.#target = this.#cursorEvent ?? this.#page.event;
    this.#events.setFilter(filter);
  }

  #reset() {
    this.#list.setCursor(null);
    this.#grown();
    this.#list.refresh();
  }

  #grown() {
    const { count, dropped, searched } = this.#events;
    if (this.#isPaused && count < this.#frozen) this.#frozen = count;
    const end = this.#isPaused ? this.#frozen : count;
    this.#list.setRange(Math.min(dropped, end), end);
    const newer = count - end;
    this.status.textContent = counted(Math.max(0, end - dropped), "event") + (newer > 0 ? ` · ${integer(newer)} new` : "");
    this.gone.hidden = dropped === 0;
    this.gone.textContent = `${integer(dropped)} older ones are gone`;
    this.progress.hidden = searched >= 1;
    this.progress.value = searched;
    this.empty.hidden = end > dropped;
    this.empty.textContent = searched < 1 ? "Searching…" : "No event matches.";
    if (this.#target !== null && searched >= 1 && count > dropped) {
      const target = this.#target;
      this.#target = null;
      this.reveal(target).catch(console.warn);
    }
  }

  #pause(isPaused) {
    this.#isPaused = isPaused;
    this.#frozen = this.#events.count;
    this.#grown();
  }

  #toEnd() {
    this.#list.follow(true);
    this.#list.step(Infinity);
  }

  #moved(position, isClick) {
    this.#turn += 1;
    const event = this.#events.row(position)?.event;
    if (event === undefined) return;
    this.#cursorEvent = event;
    if (isClick) this.#page.set({ event });
    else if (this.#page.event !== null) this.#openSoon(event);
  }

  async #open(position) {
    const row = await this.#events.fetch(position);
    if (row !== null) this.#page.open(row.event);
  }

  #fill(element, position) {
    const row = this.#events.row(position);
    const [time, composer, number, source, action, changes] = element.children;
    element.classList.toggle("waiting", row === undefined);
    if (!row) {
      const text = row === null ? "older events are gone" : "…";
      for (const cell of element.children) cell.textContent = cell === action ? text : "";
      element.removeAttribute("data-event");
      element.setAttribute("aria-selected", "false");
      return;
    }
    const before = this.#events.row(position - 1);
    element.dataset.event = row.event;
    element.setAttribute("aria-selected", String(row.event === this.#page.event));
    time.textContent = before ? difference(row.time - before.time) : clock(row.time).slice(0, 8);
    time.title = `${dateAndTime(row.time)} · event ${row.event}`;
    write(composer, this.#page.nameOf(row.composer), 80);
    number.textContent = row.step === undefined ? "" : integer(row.step);
    source.replaceChildren(sourceLabel(row));
    writeTitle(action, row);
    changes.replaceChildren(...(row.changes ?? []).map((change) => write(document.createElement("bdi"), shortened(change), 200)));
    if (row.moreChanges > 0) changes.prepend(elementOfMore(row.moreChanges));
    action.title = visible(row.text ?? "", 500);
    changes.title = visible((row.changes ?? []).join(" · "), 500);
  }

  #kindToggles() {
    return choices("Kinds", Object.keys(kinds), this.#kinds, (kind) => kinds[kind], "data-kind-filter", (toggles, kind) => {
      if (this.#kinds.size === 0) {
        this.#kinds.add(kind);
        press(toggles.get(kind), true);
      }
      this.#filter();
    });
  }

  #sourceToggles() {
    return choices("Sources of steps", sources, this.#sources, (source) => source, "data-source-filter", () => this.#filter());
  }
}

function choices(label, values, chosen, title, attribute, changed) {
  const toggles = new Map();
  for (const value of values) {
    toggles.set(value, toggle(title(value), chosen.has(value), { [attribute]: value }, (isOn) => {
      if (isOn) chosen.add(value);
      else chosen.delete(value);
      changed(toggles, value);
    }));
  }
  return element("span.group", { role: "group", "aria-label": label }, ...toggles.values());
}

function elementOfMore(count) {
  return element("span.more", { text: `+${integer(count)}`, title: `${integer(count)} more changes` });
}

function heads() {
  const names = ["Time", "Composer", "Step", "Source", "Action", "Changes"];
  return element("div.head.step", { role: "row" }, ...names.map((text) => element("span", { role: "columnheader", text })));
}

function makeRow() {
  const names = ["time", "composer", "step-number", "from", "action", "changes"];
  return element("div.step", {}, ...names.map((name) => element(`span.${name}`, { role: "gridcell" })));
}
