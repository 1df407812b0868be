// The view of a composer's state after any of its steps, and of what differs between two of them.

import { button, copy, debounced, element, latest, press, toggle } from "./dom.js";
import { changeList } from "./changes.js";
import { EventList } from "./events.js";
import { losesDigits, parse } from "./json.js";
import { writeTitle } from "./rows.js";
import { clock, counted, integer, shortened, visible, write } from "./text.js";
import { Tree } from "./tree.js";

const mostPrefilled = 5000;

export class StateView {
  id = "state";
  title = "State";
  #page;
  #steps;
  #tree;
  #isVisible = false;
  #shown = null; // What is shown: `{ composer, event, requested }`.
  #position = -1; // That of the shown step; the one before the first step is the beginning.
  #goal = null; // The position of the last move until it is shown, so that fast clicks add up.
  #goalEvent = null;
  #chosen = null; // The chosen value: `{ path, text, prefill }` with what was shown then.
  #wanted = null; // The names that lead to the value that is chosen when the next state is shown.
  #marked = null; // The step to compare with: `{ composer, event, step }`.
  #isPlaced = false; // Whether the slider's position is final: the search for the steps has passed it.
  #update = latest(() => this.#show());
  #place = latest(() => this.#showPlace(this.#shown.event));
  #moveTo = latest((position) => this.#move(position));
  #prefill = debounced(150, (chosen) => this.#prefillFrom(chosen));

  constructor(page) {
    this.#page = page;
    this.#steps = new EventList(page.connection);
    this.name = element("bdi.name", { id: "state-composer" });
    this.slider = element("input", {
      id: "state-slider", type: "range", min: "0", max: "0", step: "1", "aria-label": "Step",
      oninput: () => this.#go(Number(this.slider.value)),
    });
    const move = (distance) => () => this.#go((this.#goal ?? this.#position) + distance);
    this.before = button("‹", { id: "state-before", "aria-label": "Step before", title: "Step before" }, move(-1));
    this.after = button("›", { id: "state-after", "aria-label": "Step after", title: "Step after" }, move(1));
    this.latestButton = toggle("Latest", true, { id: "state-latest", title: "Follow the last step" }, (isOn) => {
      this.#page.set({ stateEvent: isOn ? null : this.#shown?.event ?? null });
    });
    this.place = element("span.status.muted", { id: "state-place" });
    this.action = element("span.action", { id: "state-action" });
    this.markedOption = element("option", { value: "marked", text: "the marked step", disabled: true });
    this.compare = element("select", { id: "state-compare", onchange: () => this.#update() },
      element("option", { value: "", text: "nothing" }), element("option", { value: "before", text: "the step before" }),
      this.markedOption);
    const mark = button("Mark this step", { id: "state-mark", title: "Compare other steps with this one" }, () => this.#mark());
    const copyButton = button("Copy JSON", { id: "state-copy" }, () => this.#copy(copyButton, this.#shown));
    this.copyValue = button("Copy value", { id: "state-copy-value", title: "Copy the chosen value as JSON", disabled: true },
      () => this.#copy(this.copyValue, this.#chosen));
    this.difference = element("div.difference", { id: "state-difference", hidden: true });
    this.error = element("p.error", { id: "state-error", role: "alert", hidden: true });
    this.#tree = new Tree({ id: "state-tree", label: "State", load: (path, from, count) => this.#load(path, from, count),
      choose: (entry) => this.#chooseValue(entry) });
    this.wrong = element("bdi.path", { id: "wrong-path" });
    this.right = element("input", { id: "right-value", type: "text", spellcheck: "false", autocomplete: "off", "aria-label": "Right value as JSON",
      placeholder: "JSON", onkeydown: (event) => event.key === "Enter" && this.#correct() });
    this.wrongEvent = element("span.muted", { id: "wrong-event" });
    this.correction = element("div.toolbar", { id: "state-correction", hidden: true },
      element("span", {}, "Wrong? ", this.wrongEvent, " ", this.wrong, " should be "), this.right,
      button("Expect it in a test", { id: "right-expect", title: "Export a test that fails until the reducer returns this value" }, () => this.#correct()));
    this.element = element("div.view", { id: "view-state" },
      element("div.toolbar", {}, this.name, this.before, this.slider, this.after, this.latestButton, this.place),
      element("div.toolbar", {}, element("label", { text: "Compare with " }, this.compare), mark, copyButton, this.copyValue,
        this.action),
      element("div.scroll", {}, this.error, this.difference, this.#tree.element),
      // Below the tree, which stays where it is when a value is chosen.
      this.correction);
    this.#steps.addEventListener("grown", () => this.#grown());
    page.watch(["composer", "chosen", "stateEvent"], () => this.#isVisible && this.#choose());
    page.watch(["composers"], () => this.#isVisible && this.#shown === null && this.#choose());
    page.addEventListener("value", ({ detail }) => {
      this.#wanted = detail.names;
      this.#update();
    });
    page.connection.addEventListener("open", () => this.#isVisible && this.#choose());
  }

  show(isVisible) {
    this.#isVisible = isVisible;
    if (isVisible) this.#choose();
    else this.#steps.setFilter(null);
  }

  #choose() {
    const composer = this.#page.current;
    if (composer === null) return;
    // The last step goes on by itself, and may be kept; another one is chosen.
    const { stateEvent } = this.#page;
    if (stateEvent !== this.#goalEvent) this.#goal = null;
    if (composer !== this.#shown?.composer) this.#showMark(composer);
    const isSame = this.#chosen?.requested === stateEvent || (this.#chosen?.requested === null && this.#chosen.event === stateEvent);
    if (this.#chosen?.composer !== composer || !isSame) this.#chooseNone();
    this.#steps.setFilter({ composers: [composer], kinds: ["step"] });
    press(this.latestButton, this.#page.stateEvent === null);
    write(this.name, this.#page.nameOf(composer), 80);
    this.#update();
  }

  #grown() {
    this.slider.min = String(this.#beginning);
    this.slider.max = String(Math.max(this.#steps.dropped, this.#steps.count - 1));
    if (!this.#isVisible) return;
    if (this.#page.stateEvent === null) {
      this.slider.value = this.slider.max;
      this.#update();
    } else if (!this.#isPlaced && this.#shown !== null) this.#place();
  }

  // The position of the state before the first step that is kept, which is that of event 0.
  get #beginning() {
    return this.#steps.dropped - 1;
  }

  #go(position) {
    this.#goal = Math.max(this.#beginning, Math.min(this.#steps.count - 1, position));
    this.#moveTo(this.#goal);
  }

  async #move(position) {
    const event = position <= this.#beginning ? 0 : (await this.#steps.fetch(position))?.event;
    if (event === undefined) return;
    this.#goalEvent = event;
    this.#page.set({ stateEvent: event });
  }

  async #show() {
    const { connection, current: composer, stateEvent } = this.#page;
    if (composer === null || !connection.isOpen) return;
    try {
      const wanted = stateEvent ?? await this.#lastEvent();
      const { value, event } = await connection.request("state", wanted === undefined ? { composer } : { composer, event: wanted });
      this.#shown = { composer, event, requested: stateEvent };
      const other = await this.#other(composer, event);
      const difference = other === null || other === event ? null
        : await connection.request("diff", { composer, from: other, to: event });
      this.error.hidden = true;
      await this.#tree.setValue(value, difference?.changes);
      this.#showDifference(difference);
      if (this.#wanted !== null) this.#tree.reveal(this.#wanted);
      this.#wanted = null;
      await this.#showPlace(event);
    } catch (error) {
      const isUnknown = error.code === -32003 && stateEvent === 0;
      write(this.error, error.code === -32004 ? "This step is gone: the inspector keeps the newest ones."
        : isUnknown ? "The state before the first step is not known: a file has only the states after its steps." : error.message);
      this.error.hidden = false;
      if (!isUnknown) return;
      this.#shown = { composer, event: 0, requested: 0 };
      this.#showDifference(null);
      this.#tree.setValue(null);
      await this.#showPlace(0);
    }
  }

  // The last step that the list has, so that the state and its place belong together; undefined while it is not known.
  async #lastEvent() {
    if (this.#steps.count <= this.#steps.dropped || this.#steps.searched < 1) return undefined;
    return (await this.#steps.fetch(this.#steps.count - 1))?.event;
  }

  #showDifference(difference) {
    this.difference.hidden = difference === null;
    if (difference === null) return this.difference.replaceChildren();
    const { changes, moreChanges } = difference;
    this.difference.replaceChildren(element("h3", { text: counted(changes.length + moreChanges, "change") }),
      changeList(changes, moreChanges, "state-changes"));
  }

  async #showPlace(event) {
    this.#isPlaced = this.#steps.searched >= 1;
    for (const control of [this.before, this.slider, this.after]) control.disabled = !this.#isPlaced;
    this.#position = event === 0 ? this.#beginning : (await this.#steps.find(event)).position;
    if (this.#position === this.#goal) this.#goal = null;
    const row = this.#position <= this.#beginning ? null : await this.#steps.fetch(this.#position);
    const isMoving = document.activeElement === this.slider && this.#page.stateEvent !== null;
    if (!isMoving) this.slider.value = String(this.#position);
    this.place.textContent = row && this.#isPlaced
      ? `step ${integer(row.step)} · event ${integer(row.event)} · ${clock(row.time)}`
      : event === 0 ? "the beginning" : `event ${integer(event)}`;
    this.slider.setAttribute("aria-valuetext", this.place.textContent);
    if (row) writeTitle(this.action, row);
    else this.action.replaceChildren();
    this.action.title = visible(row?.text ?? "", 500);
  }

  // The event to compare with, or null.
  async #other(composer, event) {
    if (this.compare.value === "marked") return this.#marked?.composer === composer ? this.#marked.event : null;
    if (this.compare.value !== "before") return null;
    const { position } = await this.#steps.find(event);
    if (position < 0) return null;
    return position <= this.#steps.dropped ? 0 : (await this.#steps.fetch(position - 1))?.event ?? null;
  }

  #mark() {
    if (this.#shown === null) return;
    const { composer, event } = this.#shown;
    this.#marked = { composer, event };
    this.#showMark(composer);
    this.compare.value = "marked";
    this.#update();
  }

  // The step of another composer cannot be compared with: its mark is kept for when that one is shown again.
  #showMark(composer) {
    const isKnown = this.#marked?.composer === composer;
    this.markedOption.disabled = !isKnown;
    this.markedOption.textContent = "the marked step" + (isKnown ? ` (event ${integer(this.#marked.event)})` : "");
    if (!isKnown && this.compare.value === "marked") this.compare.value = "";
  }

  // A value that is chosen in the tree is copied, and can be corrected.
  #chooseValue({ path, text, value }) {
    if (this.#shown === null || value.kind === "redacted") return this.#chooseNone();
    this.error.hidden = true;
    const isEdited = this.#chosen !== null && this.right.value !== this.#chosen.prefill;
    const isSame = this.#chosen?.text === text;
    this.#chosen = { ...this.#shown, path, text, prefill: isSame && isEdited ? this.#chosen.prefill : "" };
    this.copyValue.disabled = false;
    this.correction.hidden = path.length === 0 || this.#page.composers.get(this.#shown.composer)?.canExport !== true;
    write(this.wrong, shortened(text), 200);
    this.wrong.title = visible(text, 500);
    this.wrongEvent.textContent = this.#shown.event === 0 ? "At the beginning" : `After event ${integer(this.#shown.event)}`;
    if (isSame && isEdited) return;
    this.#prefillWith(jsonOf(value));
    if (this.#chosen.prefill === "" && !this.correction.hidden) this.#prefill(this.#chosen);
  }

  #chooseNone() {
    this.#chosen = null;
    this.copyValue.disabled = true;
    this.correction.hidden = true;
    this.#tree.chooseNone();
  }

  // The JSON of a value with parts, which the program has to make of the whole state.
  async #prefillFrom(chosen) {
    if (chosen !== this.#chosen) return;
    try {
      const { composer, event, path } = chosen;
      const { text } = await this.#page.connection.request("json", { composer, event, path });
      if (chosen === this.#chosen && this.right.value === "" && text.length <= mostPrefilled) this.#prefillWith(text);
    } catch (error) {
      console.info(error.message); // It can be written without.
    }
  }

  #prefillWith(text) {
    this.#chosen.prefill = text;
    this.right.value = text;
  }

  #fail(error) {
    write(this.error, error.message);
    this.error.hidden = false;
  }

  async #correct() {
    try {
      let json;
      try {
        json = parse(this.right.value);
      } catch (error) {
        throw new Error(`The right value is not JSON: ${error.message}`);
      }
      if (losesDigits(this.right.value)) throw new Error("This browser would change the long numbers of the value: use another one.");
      const { event, path, text } = this.#chosen;
      const { row } = await this.#page.connection.request("event", { event });
      this.error.hidden = true;
      this.#page.set({ tab: "recordings" });
      this.#page.dispatchEvent(new CustomEvent("correct", { detail: { row, path, text, json } }));
    } catch (error) {
      this.#fail(error);
    }
  }

  async #load(path, from, count) {
    const params = { composer: this.#shown.composer, event: this.#shown.event, path, from, count };
    return (await this.#page.connection.request("state", params)).value;
  }

  async #copy(target, { composer, event, path } = {}) {
    if (composer === undefined) return;
    this.error.hidden = true;
    try {
      const { text } = await this.#page.connection.request("json", { composer, event, path });
      await copy(text, target);
    } catch (error) {
      this.#fail(error);
    }
  }
}

// The JSON of a value without parts; empty for another one.
function jsonOf({ kind, text, size }) {
  if (size) return "";
  if (kind === "null") return "null";
  if (kind === "bool" || kind === "number") return text;
  return kind === "string" ? JSON.stringify(text) : "";
}
