// What the user has chosen: the tab, the composers and the event. The hash of the address keeps it.

const keys = ["tab", "chosen", "composer", "event", "stateEvent"];

/** Returns whether a composer is that of a file, whose values have no types. */
export function isOfFile({ isLive, name }) {
  return !isLive && /\.(jsonl|ndjson|json|txt)( \d+)?$/i.test(name);
}

/** Emits `change` when a value is set; `composers` is the last list that the server sent. */
export class Page extends EventTarget {
  tab = "steps";
  /** Numbers of the composers whose events are listed; none stands for all. */
  chosen = [];
  /** Number of the composer whose state is shown, or null for the first. */
  composer = null;
  /** Number of the event in the details, or null. */
  event = null;
  /** Number of the event whose state is shown, or null for the last one. */
  stateEvent = null;
  composers = new Map();

  constructor(connection) {
    super();
    this.connection = connection;
    this.#load();
    addEventListener("hashchange", () => {
      const before = new Map(keys.map((key) => [key, String(this[key])]));
      this.#load();
      const changed = keys.filter((key) => before.get(key) !== String(this[key]));
      if (changed.length > 0) this.#emit(changed);
    });
  }

  /** The composer of the views that show only one. */
  get current() {
    return this.composer ?? this.chosen.at(-1) ?? this.composers.keys().next().value ?? null;
  }

  /** Sets some of the values: `page.set({ event: 812 })`. */
  set(values) {
    const changed = Object.keys(values).filter((key) => String(values[key]) !== String(this[key]));
    if (changed.length === 0) return;
    Object.assign(this, values);
    this.#save();
    this.#emit(changed);
  }

  /** Calls `handler` after a change of any of these values. */
  watch(keys, handler) {
    this.addEventListener("change", ({ detail }) => {
      if (keys.some((key) => detail.includes(key))) handler(detail);
    });
  }

  /** Shows the details of an event, and moves the focus to them. */
  open(event) {
    this.set({ event });
    this.dispatchEvent(new Event("open"));
  }

  /** Shows the details of an event, and scrolls the list of steps to it. */
  go(event) {
    this.set({ event });
    this.dispatchEvent(new CustomEvent("go", { detail: event }));
  }

  /** Shows the state of a composer after an event, and chooses the value to which names lead. */
  showValue(composer, event, names) {
    this.set({ tab: "state", stateEvent: event, composer });
    this.dispatchEvent(new CustomEvent("value", { detail: { names } }));
  }

  /** Fills the panel that sends actions with the JSON of an action. */
  act(composer, text) {
    this.set({ composer });
    this.dispatchEvent(new CustomEvent("act", { detail: { text } }));
  }

  /** Creates a composer that goes on from the state of another one after an event, and chooses it. */
  async fork(composer, event, values = {}) {
    const { composer: created } = await this.connection.request("fork", { composer, event });
    await this.loadComposers();
    this.set({ chosen: [created], composer: created, stateEvent: null, ...values });
  }

  async loadComposers() {
    this.setComposers((await this.connection.request("composers")).composers);
  }

  setComposers(list) {
    this.composers = new Map(list.map((composer) => [composer.composer, composer]));
    this.#emit(["composers"]);
  }

  /** Whether the views show the events of one composer only. */
  get isOfOne() {
    return this.chosen.length === 1 || this.composers.size === 1;
  }

  nameOf(composer) {
    return this.composers.get(composer)?.name ?? `composer ${composer}`;
  }

  /** The name of the composer or the socket of a row. */
  nameOfSource(row) {
    return row.composer === undefined ? `socket ${row.socket}` : this.nameOf(row.composer);
  }

  #emit(changed) {
    this.dispatchEvent(new CustomEvent("change", { detail: changed }));
  }

  #save() {
    const hash = new URLSearchParams({ tab: this.tab });
    if (this.chosen.length > 0) hash.set("composers", this.chosen.join(","));
    if (this.composer !== null) hash.set("composer", this.composer);
    if (this.event !== null) hash.set("event", this.event);
    if (this.stateEvent !== null) hash.set("state", this.stateEvent);
    history.replaceState(null, "", "#" + hash);
  }

  #load() {
    const hash = new URLSearchParams(location.hash.slice(1));
    const number = (text) => (/^\d{1,15}$/.test(text ?? "") ? Number(text) : null);
    this.tab = hash.get("tab") ?? "steps";
    this.chosen = (hash.get("composers") ?? "").split(",").map(number).filter((value) => value !== null);
    this.composer = number(hash.get("composer"));
    this.event = number(hash.get("event"));
    this.stateEvent = number(hash.get("state"));
  }
}
