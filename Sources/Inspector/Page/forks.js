// Forks of composers: a new one goes on from the state after a step.

import { button, element } from "./dom.js";
import { isOfFile } from "./page.js";
import { counted, integer, write } from "./text.js";

export class Forks {
  #page;
  #range;
  #compare;
  #key = "";

  /** `compare(first, second)` compares two composers. */
  constructor(page, range, compare) {
    this.#page = page;
    this.#range = range;
    this.#compare = compare;
    this.step = element("input", { id: "fork-step", type: "number", min: "0", step: "1", placeholder: "last", "aria-label": "Step to fork at" });
    this.button = button("Fork", { id: "fork-create", class: "primary" }, () => this.#fork());
    this.fields = element("div.fields", {}, element("label", {}, "After step ", this.step), this.button);
    this.hint = element("p.muted", { id: "fork-hint" });
    this.result = element("p.error", { id: "fork-result", role: "status" });
    this.list = element("ul.forks", { id: "forks" });
    this.element = element("section.card", { "aria-label": "Fork" },
      element("h3", { text: "Fork" }), this.hint, this.fields, this.result, this.list);
    range.addEventListener("change", () => (this.step.value = range.from.value));
  }

  setComposer(composer) {
    this.result.textContent = "";
    this.fields.hidden = !composer.canFork;
    this.hint.textContent = composer.canFork
      ? "A second composer begins with the state after a step, and receives what you send to it. Its effects run. Step 0 is the beginning."
      : this.#page.connection.hello?.canAct === false ? "Acting is turned off. Set canAct in the configuration of the inspector to fork composers."
      : isOfFile(composer) ? "The steps of a file cannot be forked: fork a composer of the running program."
      : "This composer cannot be forked. Add it with a closure that creates another: inspector.add(composed, fork: { App() })";
  }

  async #fork() {
    const { current: composer } = this.#page;
    try {
      const step = this.step.value;
      const { event } = step === "0" ? { event: 0 } : step !== "" ? await this.#range.rowOf(Number(step))
        : await this.#page.connection.request("state", { composer });
      await this.#page.fork(composer, event);
      this.result.textContent = "";
    } catch (error) {
      write(this.result, error.message, 1000);
    }
  }

  async #end(composer) {
    try {
      await this.#page.connection.request("endFork", { composer });
      await this.#page.loadComposers();
    } catch (error) {
      write(this.result, error.message, 1000);
    }
  }

  /** Lists the forks that the program has now. */
  update() {
    const forks = [...this.#page.composers.values()].filter(({ fork }) => fork);
    const key = JSON.stringify(forks.map(({ composer, name, isLive, steps }) => [composer, name, isLive, steps]));
    if (key === this.#key) return;
    this.#key = key;
    const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.list.replaceChildren(...forks.map((fork) => this.#line(fork)));
    if (focused) this.list.querySelector(`[data-key="${focused}"]`)?.focus();
  }

  #line({ composer, name, isLive, steps, fork }) {
    const origin = ` (${composer}) from event ${integer(fork.event)} of `;
    const show = () => this.#page.set({ chosen: [composer], composer });
    const keyed = (text, key, action) => button(text, { class: "small", "data-key": `${key}-${composer}` }, action);
    return element("li", { "data-composer": composer },
      write(element("bdi.name"), name, 80), element("span.muted", {}, origin,
        write(element("bdi"), this.#page.nameOf(fork.composer), 80), ` (${fork.composer}) · ${counted(steps, "step")}${isLive ? "" : " · ended"}`),
      keyed("Choose", "choose", show), keyed("Compare", "compare", () => this.#compare(fork.composer, composer)),
      isLive ? keyed("End", "end", () => this.#end(composer)) : null);
  }
}
