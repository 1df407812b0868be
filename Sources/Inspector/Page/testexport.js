// Writes a test in Swift that replays the steps of a range, with a corrected last state if the user has changed it.

import { changeList } from "./changes.js";
import { button, copy, debounced, element, working } from "./dom.js";
import { differences, losesDigits, parse } from "./json.js";
import { isOfFile } from "./page.js";
import { save } from "./saving.js";
import { counted, integer, write } from "./text.js";

export class TestExport {
  #page;
  #range;
  #composer = null;
  #last = null; // The row of the step whose state is corrected.
  #text = ""; // Its state as JSON.
  #set = new Map(); // By their texts, the paths of values that were marked as wrong: `{ path, text, json }`.
  #setStep = null; // The step in whose state they were marked.
  #to = null; // The last step of the range, as it is written.

  constructor(page, range) {
    this.#page = page;
    this.#range = range;
    const input = (id, placeholder) => element("input", { id, type: "text", placeholder, spellcheck: "false", autocomplete: "off" });
    this.name = input("test-name", "what the test shows, as a sentence");
    this.make = input("test-make", "");
    this.state = element("textarea", {
      id: "test-state", rows: "10", spellcheck: "false", "aria-label": "Corrected state as JSON",
      oninput: debounced(150, () => this.#compare()),
    });
    this.place = element("span.muted", { id: "test-place" });
    this.changes = element("div", { id: "test-changes", "aria-live": "polite" });
    this.correction = element("details", { id: "test-correction", ontoggle: () => this.correction.open && this.#load() },
      element("summary", { text: "Something is wrong after the last step: correct the state" }),
      element("div.fields", {}, this.place, button("Undo the correction", { id: "test-undo" }, () => this.#load(true))),
      this.state, this.changes);
    this.set = element("ul.changes", { id: "test-set", "aria-label": "Right values", hidden: true });
    this.note = element("p.muted", { id: "test-note", hidden: true,
      text: "These steps come from a file: write the type of the composer into the test." });
    this.button = button("Create the test", { id: "test-create", class: "primary" }, () => this.#create());
    this.result = element("p", { id: "test-result", role: "status" });
    const copyButton = button("Copy", { id: "test-copy" }, () => copy(this.source.textContent, copyButton));
    this.source = element("pre.source-text", { id: "test-source", tabindex: "0", "aria-label": "Source of the test" });
    this.output = element("div", { hidden: true },
      element("div.buttons", {}, copyButton,
        button("Download", { id: "test-download" }, () => save(`${this.#fileName}.swift`, this.source.textContent, "text/plain"))),
      this.source);
    this.element = element("section.card", { "aria-label": "Export a Swift test" },
      element("h3", { text: "Export a Swift test" }),
      element("p.muted", { text: "The test replays the actions of these steps, and expects their states." }), this.note,
      element("div.form", {}, element("label", { for: "test-name", text: "Name" }), this.name,
        element("label", { for: "test-make", text: "Creates the composer" }), this.make),
      this.set, this.correction, element("div.buttons", {}, this.button), this.result, this.output);
    range.addEventListener("change", () => this.#rangeChanged());
    page.addEventListener("correct", ({ detail }) => this.#expect(detail));
  }

  // A value that was marked as wrong in a state: the test ends with the step of that state.
  #expect({ row, path, text, json }) {
    if (row.composer !== this.#composer?.composer) return;
    if (this.#setStep !== row.step) this.#set.clear();
    this.#setStep = row.step;
    this.#set.set(text, { path, text, json });
    if (!this.#hasStepOfSet) this.#range.choose(row.step, row.step);
    this.#report("", false);
    this.#showSet();
    this.name.focus();
  }

  // Whether the range ends with the step in whose state values were marked.
  get #hasStepOfSet() { return this.#range.to.value === String(this.#setStep); }

  #showSet() {
    this.set.hidden = this.#set.size === 0;
    const other = this.#hasStepOfSet ? [] : [element("li.change", {},
      element("span.error", { text: `These are values after step ${this.#setStep}, with which the range does not end. ` }),
      button(`End with step ${this.#setStep}`, { id: "test-set-step", class: "small" }, () => this.#endWithStepOfSet()))];
    this.set.replaceChildren(...other, ...[...this.#set.values()].map(({ text, json }) => {
      const remove = button("Remove", { class: "small" }, () => {
        this.#set.delete(text);
        this.#report("", false);
        this.#showSet();
      });
      return element("li.change", {}, write(element("bdi.path"), text, 400), element("span.values", {}, "should be ",
        write(element("bdi.new"), JSON.stringify(json), 300), " ", remove));
    }));
  }

  #endWithStepOfSet() {
    const from = this.#range.from.value;
    this.#range.choose(from !== "" && Number(from) <= this.#setStep ? Number(from) : this.#setStep, this.#setStep);
  }

  /** Shows another composer, or none. */
  setComposer(composer) {
    this.#composer = composer;
    // A file that does not name the type has its own name as that of the type.
    const isUntyped = isOfFile(composer) && composer.type === composer.name;
    // Without an expression the program writes this one.
    this.make.value = "";
    this.make.placeholder = isUntyped ? "App()" : `${composer.type}()`;
    this.note.hidden = !isUntyped;
    this.name.value = "";
    this.output.hidden = true;
    this.#set.clear();
    this.#to = null;
    this.#rangeChanged();
  }

  #rangeChanged() {
    this.#report("", false);
    this.#showSet();
    // Another first step leaves the state after the last one as it is.
    if (this.#to === this.#range.to.value) return;
    this.#to = this.#range.to.value;
    this.#last = null;
    if (this.correction.open) this.#load();
  }

  // The state after the last step of the range, as it is.
  async #load(isForced = false) {
    if (this.#composer === null || (this.#last !== null && !isForced)) return;
    try {
      const last = isForced && this.#last !== null ? this.#last : await this.#range.last();
      const { text } = await this.#page.connection.request("json", { composer: this.#composer.composer, event: last.event });
      this.#last = last;
      this.#text = text;
      this.state.value = text;
      this.state.disabled = losesDigits(text);
      this.place.textContent = `State after step ${integer(last.step)}.`
        + (this.state.disabled ? " This browser would change its long numbers: use another one to correct it." : "");
      this.#compare();
    } catch (error) {
      this.#last = null;
      this.state.value = this.#text = "";
      this.changes.replaceChildren(write(element("p.error"), error.message, 1000));
    }
  }

  // Shows what was changed.
  #compare() {
    try {
      const correction = this.#correction();
      if (correction === null) {
        this.changes.replaceChildren(element("p.muted", { text: "Change the state above to what it should be." }));
        return;
      }
      const { changes, moreChanges } = correction;
      this.changes.replaceChildren(element("h4", { text: `The correction: ${counted(changes.length + moreChanges, "change")}` }),
        changeList(changes, moreChanges, "test-difference"));
    } catch (error) {
      this.changes.replaceChildren(write(element("p.error"), error.message, 1000));
    }
  }

  // The corrected state and its changes; null if nothing was changed.
  #correction() {
    if (!this.correction.open || this.#last === null || this.state.value === this.#text) return null;
    let state;
    try {
      state = parse(this.state.value);
    } catch (error) {
      throw new Error(`The corrected state is not JSON: ${error.message}`);
    }
    const found = differences(parse(this.#text), state);
    return found.changes.length === 0 ? null : { state, ...found };
  }

  async #create() {
    if (this.#composer === null) return;
    try {
      if (this.#set.size > 0 && !this.#hasStepOfSet) {
        throw new Error(`The right values belong to step ${this.#setStep}: end the range there, or remove them.`);
      }
      const params = { composer: this.#composer.composer, format: "swiftTest", ...(await this.#range.params()) };
      if (this.name.value.trim() !== "") params.name = this.name.value.trim();
      if (this.make.value.trim() !== "") params.make = this.make.value.trim();
      const correction = this.#correction();
      if (correction !== null) {
        params.expected = correction.state;
        // The program may have gone on since.
        params.to = this.#last.event;
      }
      const isCorrected = correction !== null || this.#set.size > 0;
      if (this.#set.size > 0) params.set = [...this.#set.values()].map(({ path, json }) => ({ path, json }));
      const { text } = await working(this.result, "Writing the test…", () => this.#page.connection.request("export", params));
      this.source.textContent = text;
      this.output.hidden = false;
      this.#report(!isCorrected ? "The test expects the recorded states."
        : "The test expects the corrected state: it fails until the reducer returns it.", false);
    } catch (error) {
      this.output.hidden = true;
      this.#report(error.message, true);
    }
  }

  // `AChangeMadeOfflineStaysTests` for the name of a test; that of the composer without one.
  get #fileName() {
    const words = this.name.value.match(/[\p{L}\p{N}]+/gu) ?? [];
    if (words.length > 0) return `${words.slice(0, 8).map((word) => word[0].toUpperCase() + word.slice(1)).join("").slice(0, 80)}Tests`;
    const made = this.make.value.trim() || (this.note.hidden ? this.make.placeholder : "");
    return `${made.split(/[(<]/)[0] || "Recorded"}RecordingTests`;
  }

  #report(text, isError) {
    write(this.result, text, 1000);
    this.result.className = isError ? "error" : "muted";
  }
}
