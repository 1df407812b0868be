// The view of effects: a bar in time for each, the newest first.

import { debounced, element, toggle } from "./dom.js";
import { VirtualList } from "./list.js";
import { sourceLabel } from "./rows.js";
import { dateAndTime, duration, integer, visible, write } from "./text.js";

const most = 500;
const windows = { 10: "10 s", 60: "1 min", 600: "10 min", 0: "all shown" };

export class EffectsView {
  id = "effects";
  title = "Effects";
  #page;
  #list;
  #effects = [];
  #shown = [];
  #isRunningOnly = false;
  #isVisible = false;
  #span = 60;
  #scale = { from: 0, to: 1 };
  #ticking = 0;

  constructor(page) {
    this.#page = page;
    this.search = element("input", {
      id: "effects-search", type: "search", placeholder: "Filter effects  ( / )", "aria-label": "Filter effects",
      spellcheck: "false", oninput: debounced(100, () => this.#arrange()),
    });
    const running = toggle("Running only", false, { id: "effects-running" }, (isOn) => {
      this.#isRunningOnly = isOn;
      this.#load();
    });
    const span = element("select", { id: "effects-span", "aria-label": "Time shown", onchange: () => {
      this.#span = Number(span.value);
      this.#arrange();
    } }, ...Object.entries(windows).map(([value, text]) => element("option", { value, text, selected: value === "60" })));
    this.status = element("span.status.muted", { id: "effects-status", role: "status" });
    this.axis = element("span.axis", { role: "columnheader" }, element("span"), element("span", { text: "now" }));
    this.empty = element("p.empty", { id: "effects-empty", text: "No effect.", hidden: true });
    this.#list = new VirtualList({
      id: "effects-list", label: "Effects", head: heads(this.axis), make: makeRow,
      fill: (row, position) => this.#fill(row, position),
      onCursor: (position, click) => this.#moved(position, click),
      onOpen: (position) => page.open(this.#shown[position].event),
    });
    this.list = this.#list;
    this.element = element("div.view", { id: "view-effects" },
      element("div.toolbar", {}, this.search, running, element("label", { text: "Time " }, span), this.status),
      this.#list.element, this.empty);
    page.connection.on("effects", ({ effects }) => this.#receive(effects));
    page.connection.addEventListener("open", () => this.#load());
    page.watch(["chosen"], () => this.#isVisible && this.#subscribe());
    page.watch(["event", "composers"], () => this.#list.refresh());
  }

  /** Starts and ends the subscription with the visibility of the view. */
  show(isVisible) {
    this.#isVisible = isVisible;
    clearInterval(this.#ticking);
    if (!isVisible) return this.#page.connection.unsubscribe("effects");
    this.#subscribe();
    this.#ticking = setInterval(() => this.#tick(), 200);
  }

  get #filter() {
    const { chosen } = this.#page;
    return chosen.length === 1 ? { composer: chosen[0] } : {};
  }

  #subscribe() {
    this.#page.connection.subscribe("effects", this.#filter);
    this.#load();
  }

  async #load() {
    if (!this.#isVisible || !this.#page.connection.isOpen) return;
    const params = { ...this.#filter, limit: most };
    if (this.#isRunningOnly) params.isRunning = true;
    try {
      const { effects } = await this.#page.connection.request("effects", params);
      this.#effects = [];
      this.#receive(effects);
    } catch (error) {
      console.warn(error);
    }
  }

  // A notification may have fewer effects than were loaded: it replaces those that it has.
  #receive(effects) {
    const keyOf = (effect) => `${effect.composer}/${effect.effect}`;
    const newer = new Set(effects.map(keyOf));
    const older = this.#effects.filter((effect) => !newer.has(keyOf(effect)));
    this.#effects = [...effects, ...older].sort((a, b) => b.started - a.started || b.event - a.event).slice(0, most);
    this.#arrange();
  }

  #arrange() {
    const text = this.search.value.trim().toLowerCase();
    const { chosen } = this.#page;
    this.#shown = this.#effects.filter((effect) => (!this.#isRunningOnly || effect.ended === undefined)
      && (chosen.length === 0 || chosen.includes(effect.composer))
      && (text === "" || `${effect.id ?? ""} ${this.#page.nameOf(effect.composer)} ${effect.outcome ?? "running"}`
        .toLowerCase().includes(text)));
    const running = this.#shown.filter((effect) => effect.ended === undefined).length;
    this.status.textContent = `${integer(this.#shown.length)} effects, ${integer(running)} running`;
    this.empty.hidden = this.#shown.length > 0;
    this.#list.setRange(0, this.#shown.length);
    this.#tick();
  }

  #tick() {
    const now = Date.now() / 1000;
    const oldest = this.#shown.at(-1)?.started ?? now - 1;
    this.#scale = { now, to: now, from: this.#span === 0 ? Math.min(oldest, now - 1) : now - this.#span };
    this.axis.firstChild.textContent = `− ${duration(now - this.#scale.from)}`;
    this.#list.refresh();
  }

  #fill(row, position) {
    const effect = this.#shown[position];
    if (!effect) return;
    const [id, composer, origin, emissions, time, track] = row.children;
    const outcome = effect.outcome ?? (effect.ended === undefined ? "running" : "completed");
    const key = `${effect.composer}/${effect.effect}/${outcome}/${effect.emissions}`;
    const { from, to, now } = this.#scale;
    const end = effect.ended ?? Math.max(now, effect.started);
    row.setAttribute("aria-selected", String(effect.event === this.#page.event));
    if (row.dataset.key !== key) {
      row.dataset.key = key;
      row.dataset.outcome = outcome;
      row.dataset.event = effect.event;
      id.replaceChildren(element("span.muted", { text: `${effect.effect} ` }), write(element("bdi"), effect.id ?? "", 80));
      origin.replaceChildren(sourceLabel(effect));
      emissions.textContent = effect.emissions > 0 ? integer(effect.emissions) : "";
      const error = effect.error ? `: ${visible(effect.error, 300)}` : "";
      row.title = `${outcome}${error}\nstarted ${dateAndTime(effect.started)}\n${integer(effect.emissions)} emissions`;
    }
    write(composer, this.#page.nameOf(effect.composer), 80);
    time.textContent = effect.ended === undefined ? `since ${duration(end - effect.started)}` : duration(end - effect.started);
    const part = (moment) => Math.max(0, Math.min(1, (moment - from) / (to - from)));
    const bar = track.firstChild;
    bar.hidden = end < from;
    bar.style.left = `${part(effect.started) * 100}%`;
    bar.style.width = `${Math.max(0, part(end) - part(effect.started)) * 100}%`;
    track.dataset.earlier = String(end < from);
  }

  #moved(position, click) {
    const effect = this.#shown[position];
    if (click?.target.closest(".from")) return this.#goToOrigin(effect);
    if (click || this.#page.event !== null) this.#page.set({ event: effect.event });
  }

  // The origin has the number of a step; the nearest cause of the effect's start is its event.
  async #goToOrigin(effect) {
    try {
      const { causes } = await this.#page.connection.request("why", { event: effect.event });
      this.#page.go(causes[0]?.event ?? effect.event);
    } catch {
      this.#page.go(effect.event); // The details show why there are none.
    }
  }
}

function heads(axis) {
  const names = ["Effect", "Composer", "Origin", "Sent", "Time"];
  return element("div.head.effect", { role: "row" }, ...names.map((text) => element("span", { role: "columnheader", text })), axis);
}

function makeRow() {
  const names = ["id", "composer", "from", "emissions", "time"];
  return element("div.effect", {}, ...names.map((name) => element(`span.${name}`, { role: "gridcell" })),
    element("span.track", { role: "gridcell" }, element("span.bar")));
}
