// The virtual clocks of the program: what each shows, and the buttons that pause and step it.

import { button, element } from "./dom.js";
import { seconds, write } from "./text.js";

export class Clocks {
  #page;
  #clocks = [];
  #bars = new Map();

  constructor(page, target) {
    this.#page = page;
    this.element = element("section", { id: "clocks", "aria-label": "Virtual clocks", hidden: true });
    target.append(this.element);
    page.watch(["composers"], () => this.#fill());
    page.connection.on("clocks", ({ clocks }) => this.#show(clocks));
    page.connection.addEventListener("open", () => this.#fill());
    page.connection.subscribe("clocks");
  }

  #show(clocks) {
    this.#clocks = clocks;
    for (const [number, bar] of this.#bars) {
      if (clocks.some(({ clock }) => clock === number)) continue;
      bar.element.remove();
      this.#bars.delete(number);
    }
    // A bar is kept while its clock lives, and with it the focus.
    for (const { clock } of clocks) {
      if (this.#bars.has(clock)) continue;
      const bar = new ClockBar(clock, (method, params) => this.#act(bar, method, params));
      this.#bars.set(clock, bar);
      this.element.append(bar.element);
    }
    this.element.hidden = clocks.length === 0;
    this.#fill();
  }

  #fill() {
    const composers = [...this.#page.composers.values()];
    for (const clock of this.#clocks) {
      const names = composers.filter((composer) => composer.clock === clock.clock && composer.isLive).map(({ name }) => name);
      this.#bars.get(clock.clock)?.fill(clock, names, this.#page.connection.hello?.canAct === true);
    }
  }

  async #act(bar, method, params) {
    try {
      await this.#page.connection.request(method, params);
      bar.report("");
    } catch (error) {
      bar.report(error.message);
    }
  }
}

/** One clock. Calls `act` with a method of the protocol and its params. */
class ClockBar {
  constructor(number, act) {
    this.name = element("bdi.clock-name");
    this.time = element("span.clock-time", { title: "Virtual time since the beginning" });
    this.next = element("span.clock-next", { title: "Time of the next work" });
    this.state = element("span.clock-state", { role: "status" });
    this.pause = button("Pause", { class: "clock-pause" }, () => (
      act(this.pause.dataset.method, { clock: number })));
    this.step = button("Step", { class: "clock-step", title: "Run up to the next moment with due work" },
      () => act("stepClock", { clock: number }));
    this.seconds = element("input.clock-seconds", {
      type: "number", min: "0", step: "any", value: "1", title: "Seconds", "aria-label": "Seconds to advance by",
      onkeydown: (event) => event.key === "Enter" && advance(),
    });
    const advance = () => {
      const by = this.seconds.valueAsNumber;
      if (by > 0) act("stepClock", { clock: number, by });
      else this.report("Advance by more than 0 seconds.");
    };
    this.advance = button("Advance by", { class: "clock-advance" }, advance);
    this.buttons = element("div.clock-buttons", {}, this.pause, this.step,
      element("span.group", {}, this.advance, this.seconds), "s");
    this.error = element("p.error", { role: "alert", hidden: true });
    this.element = element("div.clock", { role: "group", "aria-label": `Virtual clock ${number}`, "data-clock": number },
      element("div.clock-line", {}, this.name, this.time),
      element("div.clock-line.muted", {}, this.state, this.next), this.buttons, this.error);
  }

  fill({ clock, elapsed, nextDue, isPaused, isWaiting }, names, canAct) {
    write(this.name, names.length === 0 ? `Clock ${clock}` : `Clock ${clock}: ${names.slice(0, 3).join(", ")}`
      + (names.length > 3 ? `, ${names.length - 3} more` : ""), 120);
    this.name.title = this.name.textContent;
    this.time.textContent = seconds(elapsed);
    // Known while the program advances the clock.
    const none = isWaiting ? "nothing is due" : "";
    this.next.textContent = nextDue === undefined ? none : `next at ${seconds(nextDue)}`;
    const state = !isPaused ? "runs" : isWaiting ? "paused" : "paused, not advanced now";
    if (this.state.textContent !== state) this.state.textContent = state;
    this.element.dataset.state = !isPaused ? "runs" : isWaiting ? "waits" : "paused";
    this.pause.textContent = isPaused ? "Resume" : "Pause";
    this.pause.dataset.method = isPaused ? "resumeClock" : "pauseClock";
    this.buttons.hidden = !canAct;
    for (const each of [this.step, this.advance, this.seconds]) each.disabled = !isPaused;
    if (!isPaused) this.report("");
  }

  /** Shows an error, or none. */
  report(text) {
    write(this.error, text, 400);
    this.error.hidden = text === "";
  }
}
