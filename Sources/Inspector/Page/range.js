// A range of the steps of a composer, which the user chooses by their numbers.

import { button, element } from "./dom.js";
import { EventList } from "./events.js";
import { counted, integer } from "./text.js";

/** Emits `change` when another range is chosen, or another composer. */
export class StepRange extends EventTarget {
  #page;
  #steps;
  #composer = null;
  #isVisible = false;
  #suggested = null; // The event with which the range was suggested to begin: only once.
  #first = null; // The row of the first step that the inspector has.

  constructor(page) {
    super();
    this.#page = page;
    this.#steps = new EventList(page.connection);
    const field = (id, label, placeholder) => element("input", {
      id, type: "number", min: "0", step: "1", inputmode: "numeric", "aria-label": label, placeholder,
      oninput: () => this.dispatchEvent(new Event("change")),
    });
    this.from = field("range-from", "First step", "first");
    this.to = field("range-to", "Last step", "last");
    this.chosen = button("From the chosen event", { id: "range-chosen", hidden: true }, () => this.#setFrom(this.chosen.dataset.step));
    this.status = element("span.muted", { id: "range-status" });
    this.element = element("div.fields", {},
      element("label", {}, "Steps from ", this.from), element("label", {}, " to ", this.to),
      button("All", { id: "range-all", title: "All steps that the inspector has" }, () => this.#clear()), this.chosen, this.status);
    this.#steps.addEventListener("reset", () => (this.status.textContent = "Searching…"));
    this.#steps.addEventListener("grown", () => this.#grown());
    page.watch(["event"], () => this.#suggest().catch(console.warn));
  }

  /** Searches the steps only while the view is visible. */
  show(isVisible) {
    this.#isVisible = isVisible;
    this.#search();
  }

  /** Shows the steps of a composer; null for none. */
  setComposer(composer) {
    if (composer === this.#composer) return;
    this.#composer = composer;
    this.#first = null;
    this.#suggested = null;
    this.#clear();
    this.#search();
  }

  /** Returns the params of the range: `{}` for all steps. */
  async params() {
    const params = {};
    if (this.from.value !== "") params.from = (await this.rowOf(Number(this.from.value))).event;
    if (this.to.value !== "") params.to = (await this.rowOf(Number(this.to.value))).event;
    return params;
  }

  /** Returns the row of the last step of the range. */
  async last() {
    if (this.to.value !== "") return this.rowOf(Number(this.to.value));
    const row = this.#steps.searched < 1 ? null : await this.#steps.fetch(this.#steps.count - 1);
    if (!row) throw new Error("There is no step yet.");
    return row;
  }

  /** Returns the row of a step by its number. */
  async rowOf(step) {
    if (this.#steps.searched < 1) throw new Error("The steps are still being searched. Try again when their number is shown.");
    let [low, high] = [this.#steps.dropped, this.#steps.count - 1];
    const first = await this.#steps.fetch(low);
    // Most steps are numbered without a gap.
    let position = first ? low + step - first.step : low;
    while (low <= high) {
      if (position < low || position > high) position = Math.floor((low + high) / 2);
      const row = await this.#steps.fetch(position);
      if (!row) break;
      if (row.step === step) return row;
      if (row.step < step) low = position + 1;
      else high = position - 1;
      position = Math.floor((low + high) / 2);
    }
    throw new Error(`The inspector does not have step ${integer(step)}.`);
  }

  #search() {
    const isSearching = this.#isVisible && this.#composer !== null;
    this.#steps.setFilter(isSearching ? { composers: [this.#composer], kinds: ["step"] } : null);
    this.#suggest().catch(console.warn);
  }

  async #grown() {
    const { count, dropped, searched } = this.#steps;
    const last = count > dropped ? await this.#steps.fetch(count - 1) : null;
    if (count > dropped && (this.#first === null || dropped > 0)) this.#first = await this.#steps.fetch(dropped);
    this.status.textContent = searched < 1 ? "Searching…"
      : !last || !this.#first ? "No step yet."
        : `${counted(count - dropped, "step")}: ${integer(this.#first.step)} to ${integer(last.step)}`;
    this.dispatchEvent(new Event("grown"));
  }

  // The range begins with the chosen event, if that is a step of the composer.
  async #suggest() {
    const { event, connection } = this.#page;
    const composer = this.#composer;
    this.chosen.hidden = event === null;
    if (event === null || composer === null || !this.#isVisible || !connection.isOpen) return;
    const { row } = await connection.request("event", { event });
    if (event !== this.#page.event || composer !== this.#composer) return;
    this.chosen.hidden = row.composer !== composer || row.step === undefined;
    if (this.chosen.hidden) return;
    this.chosen.dataset.step = row.step;
    this.chosen.textContent = `From the chosen step ${integer(row.step)}`;
    if (this.from.value === "" && this.#suggested !== event) this.#setFrom(row.step);
    this.#suggested = event;
  }

  /** Chooses the steps between two numbers. */
  choose(from, to) {
    [this.from.value, this.to.value] = [String(from), String(to)];
    this.dispatchEvent(new Event("change"));
  }

  #setFrom(step) {
    this.from.value = String(step);
    this.dispatchEvent(new Event("change"));
  }

  #clear() {
    this.from.value = this.to.value = "";
    this.dispatchEvent(new Event("change"));
  }
}
