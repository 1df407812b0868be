// Compares the steps of two composers, such as a recording from a file and the program now.

import { changeList } from "./changes.js";
import { button, element, press, toggle, working } from "./dom.js";
import { sourceLabel, writeTitle } from "./rows.js";
import { clock, counted, integer, write } from "./text.js";

export class Comparison {
  #page;
  #isOfOutside = false;

  constructor(page) {
    this.#page = page;
    const menu = (id, label) => element("select", { id, "aria-label": label });
    this.first = menu("compare-first", "First composer");
    this.second = menu("compare-second", "Second composer");
    this.result = element("div", { id: "compare-result", "aria-live": "polite" });
    this.hint = element("p.muted");
    this.outside = toggle("Only from outside", false, { id: "compare-outside", title: "Compare only the steps from outside, and what they have changed" },
      (isOn) => this.#setOutside(isOn));
    this.fields = element("div.fields", {}, this.first, element("span", { text: "with" }), this.second, this.outside,
      button("Compare", { id: "compare-button", class: "primary" }, () => this.#compare()));
    this.element = element("section.card", { "aria-label": "Compare" },
      element("h3", { text: "Compare" }), this.hint, this.fields, this.result);
  }

  /** Chooses the composer as the first of the two. */
  setComposer({ composer, fork }) {
    const other = fork?.composer ?? [...this.#page.composers.keys()].findLast((number) => number !== composer);
    this.#choose(composer, other);
  }

  /** Compares a fork with its origin. */
  run(first, second) {
    this.#choose(first, second);
    this.element.scrollIntoView({ block: "nearest" });
    this.#compare();
  }

  #choose(first, second) {
    this.update();
    this.first.value = String(first ?? "");
    this.second.value = String(second ?? "");
    this.result.replaceChildren();
    // The effects of a fork, such as its socket, send other actions than those of its origin.
    const { composers } = this.#page;
    const isForkOf = (one, other) => composers.get(one)?.fork?.composer === other;
    this.#setOutside(isForkOf(first, second) || isForkOf(second, first));
  }

  #setOutside(isOn) {
    this.#isOfOutside = isOn;
    press(this.outside, isOn);
    this.update();
  }

  /** Lists the composers that the program has now. */
  update() {
    const composers = [...this.#page.composers.values()];
    const key = JSON.stringify(composers.map(({ composer, name }) => [composer, name]));
    this.fields.hidden = composers.length < 2;
    this.hint.textContent = composers.length < 2 ? "There is only one composer. Import a file or fork one to compare them."
      : this.#isOfOutside ? "The steps from outside are compared in their order: their actions, and what they have changed. The steps of effects are left out."
        : "The steps of two composers are compared in their order: their actions and states.";
    if (this.first.dataset.key === key) return;
    for (const target of [this.first, this.second]) {
      const { value } = target;
      target.dataset.key = key;
      target.replaceChildren(...composers.map(({ composer, name }) => (
        write(element("option", { value: composer }), `${name} (${composer})`, 80))));
      if (value !== "") target.value = value;
    }
  }

  async #compare() {
    const composers = [Number(this.first.value), Number(this.second.value)];
    const params = this.#isOfOutside ? { composers, sources: ["outside"] } : { composers };
    try {
      const { equalSteps, difference, isCut } = await working(this.result, "Comparing…",
        () => this.#page.connection.request("compare", params));
      const from = params.sources ? " from outside" : "";
      const equal = `${counted(equalSteps, "step")}${from} ${equalSteps === 1 ? "is" : "are"} equal`;
      if (!difference) {
        const end = isCut ? "The steps behind them are not compared." : "There is no difference.";
        return this.result.replaceChildren(element("p", { id: "compare-equal", text: `${equal}. ${end}` }));
      }
      const { position, rows, changes, moreChanges, actionChanges, moreActionChanges, advice } = difference;
      const ofActions = actionChanges.length === 0 ? [] : [
        element("h4", { text: `Changes from the first action to the second (${integer(actionChanges.length + moreActionChanges)})` }),
        changeList(actionChanges, moreActionChanges, "compare-action-changes", { whole: "the action" }),
      ];
      this.result.replaceChildren(
        element("p", { id: "compare-equal", text: `${equal}. The first difference is at position ${integer(position + 1)}:` }),
        element("ul.compared", {}, ...rows.map((row, index) => this.#line(row ?? null, composers[index], composers))),
        ...ofActions,
        element("h4", { text: `Changes from the first state to the second (${integer(changes.length + moreChanges)})` }),
        changeList(changes, moreChanges, "compare-changes"),
        write(element("p.muted", { id: "compare-advice", hidden: !advice }), advice ?? "", 300));
    } catch (error) {
      this.result.replaceChildren(write(element("p.error"), error.message, 1000));
    }
  }

  // A row with its composer, which is a link to the list of both composers' steps.
  #line(row, composer, composers) {
    const name = write(element("bdi.name"), this.#page.nameOf(composer), 80);
    if (row === null) return element("li", {}, name, element("span.muted", { text: "has no such step" }));
    const title = element("span.action");
    writeTitle(title, row);
    const link = button("", { class: "link", "data-event": row.event }, () => {
      this.#page.set({ tab: "steps", chosen: [...new Set(composers)] });
      this.#page.go(row.event);
    });
    link.append(title);
    return element("li", {}, name, element("span.muted", { text: `step ${integer(row.step)} · ${clock(row.time)}` }), link, sourceLabel(row));
  }
}
