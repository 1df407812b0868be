// The details of the chosen event: its action, its changes and its causes.

import { button, copy, debounced, element } from "./dom.js";
import { changeList } from "./changes.js";
import { sourceLabel, titleOf } from "./rows.js";
import { dateAndTime, integer, write } from "./text.js";
import { Tree } from "./tree.js";
import { whyList } from "./why.js";

const mostActions = 20;

export class Detail {
  #page;
  #element;
  #showSoon = debounced(30, () => this.#show());

  constructor(page, target) {
    this.#page = page;
    this.#element = target;
    page.watch(["event"], () => this.#showSoon());
    page.connection.addEventListener("open", () => this.#showSoon());
    page.addEventListener("open", () => {
      target.hidden = false;
      target.focus();
    });
  }

  close() {
    this.#page.set({ event: null });
  }

  async #show() {
    const { event, connection } = this.#page;
    this.#element.hidden = event === null;
    if (event === null) return this.#element.replaceChildren();
    if (!connection.isOpen) return;
    try {
      const [detail, why] = await Promise.all([connection.request("event", { event }), connection.request("why", { event })]);
      if (event === this.#page.event) this.#fill(detail, why);
    } catch (error) {
      if (event === this.#page.event) this.#fail(event, error);
    }
  }

  #fill({ row, action: actions, changes, moreChanges }, why) {
    const isStep = row.kind === "step";
    const parts = [this.#head(row)];
    const buttons = [];
    if (isStep) {
      parts.push(element("h3", { text: actions.length > 1 ? `Actions (${integer(actions.length)})` : "Action" }),
        actionTrees(actions, row));
      parts.push(element("h3", { text: `Changes (${integer(changes.length + moreChanges)})` }),
        changeList(changes, moreChanges, "detail-changes"));
      const text = row.text || row.change || "";
      buttons.push(button("Copy action", { id: "detail-copy" }, (click) => copy(text, click.target)));
    }
    if (row.composer !== undefined) {
      const text = isStep ? "State after this step" : "State after this event";
      buttons.unshift(button(text, { id: "detail-state" }, () => this.#toState(row)));
    }
    buttons.push(button("Show in list", { id: "detail-reveal" }, () => {
      this.#page.set({ tab: "steps" });
      this.#page.go(row.event);
    }));
    parts.splice(1, 0, element("div.buttons", {}, ...buttons));
    parts.push(element("h3", { text: "Why" }), whyList(this.#page, row, why));
    this.#replace(parts);
  }

  #head(row) {
    const title = titleOf(row);
    const name = row.socket !== undefined ? row.kind
      : isNaN(row.step) ? `Effect ${row.effect}` : `Step ${integer(row.step)}`;
    return element("div.detail-head", {},
      element("h2", {},
        write(element("bdi"), this.#page.nameOfSource(row), 80), element("span.muted", { text: ` · ${name}` })),
      this.#closeButton(),
      element("p", {},
        write(element("bdi.title", { id: "detail-title", "data-kind": title.kind }), title.text, 400)),
      element("p.muted", { id: "detail-facts" },
        sourceLabel(row), ` ${dateAndTime(row.time)} · event ${integer(row.event)}`));
  }

  #fail(event, error) {
    const text = error.code === -32004 ? `Event ${integer(event)} is gone: the inspector keeps the newest ones.` : error.message;
    this.#replace([element("div.detail-head", {}, element("h2", { text: `Event ${integer(event)}` }), this.#closeButton()),
      write(element("p.error", { id: "detail-error" }), text)]);
  }

  #replace(parts) {
    const focused = this.#element.contains(document.activeElement) ? document.activeElement.id : null;
    this.#element.replaceChildren(...parts);
    this.#element.scrollTop = 0;
    if (focused !== null) (document.getElementById(focused || "detail") ?? this.#element).focus();
  }

  #closeButton() {
    const properties = { id: "detail-close", class: "close", "aria-label": "Close details", title: "Close (Escape)" };
    return button("×", properties, () => this.close());
  }

  #toState(row) {
    this.#page.set({ tab: "state", stateEvent: row.event, composer: row.composer });
  }
}

// One tree for each action of the step.
function actionTrees(actions, row) {
  const trees = actions.slice(0, mostActions).map((action) => {
    const tree = new Tree({ label: "Action" });
    tree.setValue(action);
    return tree.element;
  });
  if (actions.length > mostActions) trees.push(element("p.muted", { text: `${integer(actions.length - mostActions)} more` }));
  if (actions.length === 0) {
    trees.push(write(element("p.muted"), row.change ? `No action: ${row.change}.` : "No action.", 300));
  }
  return element("div", { id: "detail-action" }, ...trees);
}
