// The view of effects: a bar in time for each, the newest first.

import { announcing, debounced, element, toggle } from "./dom.js";
import { VirtualList } from "./list.js";
import { sourceLabel } from "./rows.js";
import { counted, dateAndTime, duration, integer, visible, write } from "./text.js";

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
  #more = 0;
  #now = 0;
  #seconds = 60; // The time that the bars show.
  #clocks = new Map(); // Of each composer, the seconds by which its clock is ahead of this one.
  #ticking = 0;
  #announce = announcing(() => this.status.textContent);

  constructor(page) {
    this.#page = page;
    this.search = element("input", {
      id: "effects-search", type: "search", placeholder: "Filter effects  ( / )", "aria-label": "Filter effects",
      spellcheck: "false", oninput: debounced(100, () => {
        this.#arrange();
        this.#list.toTop();
        this.#announce();
      }),
    });
    const running = toggle("Running only", false, { id: "effects-running" }, (isOn) => {
      this.#isRunningOnly = isOn;
      this.#subscribe();
    });
    const span = element("select", { id: "effects-span", "aria-label": "Time shown", onchange: () => {
      this.#span = Number(span.value);
      this.#arrange();
    } }, ...Object.entries(windows).map(([value, text]) => element("option", { value, text, selected: value === "60" })));
    this.status = element("span.status.muted", { id: "effects-status" });
    this.axis = element("span.axis", { role: "columnheader" }, element("span"), element("span", { text: "now" }));
    this.empty = element("p.empty", { id: "effects-empty", text: "No effect.", hidden: true });
    this.#list = new VirtualList({
      id: "effects-list", label: "Effects", head: heads(this.axis), make: makeRow,
      fill: (row, position) => this.#fill(row, position),
      place: (row) => this.#shown.findIndex(({ event }) => event === Number(row.dataset.event)),
      onCursor: (position, click) => this.#moved(position, click),
      onOpen: (position) => page.open(this.#shown[position].event),
    });
    this.list = this.#list;
    this.element = element("div.view", { id: "view-effects" },
      element("div.toolbar", {}, this.search, running, element("label", { text: "Time " }, span), this.status),
      this.#list.element, this.empty);
    page.connection.on("effects", (result) => this.#receive(result));
    page.connection.addEventListener("open", () => this.#load());
    page.watch(["chosen"], () => {
      this.#effects = [];
      if (this.#isVisible) this.#subscribe();
    });
    page.watch(["event", "composers"], () => this.#list.refresh());
    page.watch(["composers", "chosen"], () => this.element.classList.toggle("of-one", page.isOfOne));
  }

  /** Starts and ends the subscription with the visibility of the view. */
  show(isVisible) {
    this.#isVisible = isVisible;
    clearInterval(this.#ticking);
    if (!isVisible) return this.#page.connection.unsubscribe("effects");
    this.#subscribe();
    this.#ticking = setInterval(() => this.#tick(), 200);
  }

  #subscribe() {
    this.#page.connection.subscribe("effects", this.#filter);
    this.#load();
  }

  get #filter() {
    const { chosen } = this.#page;
    const filter = { limit: most };
    if (chosen.length > 0) filter.composers = chosen;
    if (this.#isRunningOnly) filter.isRunning = true;
    return filter;
  }

  async #load() {
    if (!this.#isVisible || !this.#page.connection.isOpen) return;
    try {
      this.#receive(await this.#page.connection.request("effects", this.#filter));
    } catch (error) {
      console.warn(error);
    }
  }

  #receive({ effects, moreEffects }) {
    const now = Date.now() / 1000;
    this.#effects = effects;
    this.#more = moreEffects;
    for (const { composer, started, age, ended } of effects.toReversed()) {
      const ahead = started + age - now;
      // An ended effect shows only that the clock is not before its end.
      if (ended === undefined || ahead > (this.#clocks.get(composer) ?? 0)) this.#clocks.set(composer, ahead);
    }
    this.#arrange();
  }

  // Seconds since a moment of the composer's clock.
  #since(moment, composer, now) {
    return now + (this.#clocks.get(composer) ?? 0) - moment;
  }

  #arrange() {
    const text = this.search.value.trim().toLowerCase();
    this.#shown = text === "" ? this.#effects : this.#effects.filter((effect) => (
      `${effect.id ?? ""} ${effect.effectKind ?? ""} ${this.#page.nameOf(effect.composer)} ${outcomeOf(effect)} ${effect.error ?? ""}`
        .toLowerCase().includes(text)));
    const running = this.#shown.filter((effect) => effect.ended === undefined).length;
    this.status.textContent = `${counted(this.#shown.length, "effect")}, ${integer(running)} running` + (this.#more > 0 ? `, ${integer(this.#more)} older ones not listed` : "");
    this.empty.hidden = this.#shown.length > 0;
    this.#list.setRange(0, this.#shown.length);
    this.#tick();
  }

  #tick() {
    const now = Date.now() / 1000;
    const oldest = this.#shown.reduce((most, { started, composer }) => Math.max(most, this.#since(started, composer, now)), 1);
    this.#now = now;
    this.#seconds = this.#span === 0 ? oldest : this.#span;
    this.axis.firstChild.textContent = `− ${duration(this.#seconds)}`;
    this.#list.refresh();
  }

  #fill(row, position) {
    const effect = this.#shown[position];
    if (!effect) return;
    const [id, composer, origin, emissions, state, time, track] = row.children;
    const outcome = outcomeOf(effect);
    const key = `${effect.composer}/${effect.effect}/${outcome}/${effect.emissions}`;
    const isRunning = effect.ended === undefined;
    const start = this.#since(effect.started, effect.composer, this.#now);
    const age = isRunning ? Math.max(start, effect.age) : effect.age;
    const end = isRunning ? 0 : start - age;
    row.setAttribute("aria-selected", String(effect.event === this.#page.event));
    if (row.dataset.key !== key) {
      row.dataset.key = key;
      row.dataset.outcome = outcome;
      row.dataset.event = effect.event;
      const kind = element("span.effect-kind", { text: effect.effectKind === undefined ? "" : `${effect.effectKind} ` });
      id.replaceChildren(element("span.muted", { text: `effect ${effect.effect} ` }), kind, write(element("bdi"), effect.id ?? "", 80));
      state.textContent = outcome;
      origin.replaceChildren(sourceLabel(effect));
      emissions.textContent = effect.emissions > 0 ? integer(effect.emissions) : "";
      const end = (effect.by ? ` by step ${effect.by.step}` : "") + (effect.error ? `: ${visible(effect.error, 300)}` : "");
      row.title = `${outcome}${end}\nstarted ${dateAndTime(effect.started)}\n${integer(effect.emissions)} emissions`;
    }
    write(composer, this.#page.nameOf(effect.composer), 80);
    time.textContent = duration(age);
    const part = (seconds) => Math.max(0, Math.min(1, seconds / this.#seconds));
    const bar = track.firstChild;
    bar.hidden = end > this.#seconds;
    bar.style.right = `${part(end) * 100}%`;
    bar.style.width = `${Math.max(0, part(start) - part(end)) * 100}%`;
    track.dataset.earlier = String(bar.hidden);
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

// A file may end before its effects.
function outcomeOf({ outcome, ended }) {
  return outcome ?? (ended === undefined ? "running" : "unknown");
}

function heads(axis) {
  const names = ["Effect", "Composer", "Origin", "Sent", "Outcome", "Time"];
  return element("div.head.effect", { role: "row" }, ...names.map((text) => element("span", { role: "columnheader", text })), axis);
}

function makeRow() {
  const names = ["id", "composer", "from", "emissions", "outcome", "time"];
  return element("div.effect", {}, ...names.map((name) => element(`span.${name}`, { role: "gridcell" })),
    element("span.track", { role: "gridcell" }, element("span.bar")));
}
