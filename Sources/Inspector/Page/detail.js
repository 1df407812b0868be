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
  #row = null;
  #showSoon = debounced(30, () => this.#show());

  constructor(page, target) {
    this.#page = page;
    this.#element = target;
    page.watch(["event"], () => this.#showSoon());
    page.watch(["composers"], () => this.#showButtons());
    page.watch(["chosen"], (changed) => {
      // The details of another composer than the one that is chosen would be taken for its own.
      const { chosen } = page;
      const isOther = this.#row?.composer !== undefined && chosen.length > 0 && !chosen.includes(this.#row.composer);
      if (isOther && !changed.includes("event")) this.close();
    });
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
    if (event === null) {
      this.#row = null;
      return this.#element.replaceChildren();
    }
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
    this.#row = row;
    this.error = element("p.error", { id: "detail-problem", role: "alert", hidden: true });
    if (isStep) {
      parts.push(element("h3", { text: actions.length > 1 ? `Actions (${integer(actions.length)})` : "Action" }),
        actionTrees(actions, row));
      parts.push(element("h3", { text: `Changes (${integer(changes.length + moreChanges)})` }),
        changeList(changes, moreChanges, "detail-changes", { open: (names) => this.#page.showValue(row.composer, row.event, names) }));
      if (actions.length > 0) {
        const copyButton = button("Copy action", { id: "detail-copy", title: "Copy the action as JSON" },
          () => this.#actions(row, (texts) => copy(texts.length === 1 ? texts[0] : `[${texts.join(",\n")}]`, copyButton)));
        buttons.push(copyButton);
      }
      if (actions.length === 1) {
        buttons.push(button("Send again", { id: "detail-send", title: "Write the action where actions are sent" },
          () => this.#actions(row, ([text]) => this.#page.act(row.composer, text))));
      }
    }
    if (row.composer !== undefined) {
      const fork = button("Fork from here", { id: "detail-fork", title: "Create a second composer that goes on from the state after this event" },
        async () => {
          fork.disabled = true;
          await this.#try(() => this.#page.fork(row.composer, row.event, { tab: "state" }));
          fork.disabled = false;
        });
      buttons.push(fork);
    }
    if (row.composer !== undefined) {
      const text = isStep ? "State after this step" : "State after this event";
      buttons.unshift(button(text, { id: "detail-state" }, () => this.#toState(row)));
    }
    buttons.push(button("Show in list", { id: "detail-reveal" }, () => {
      this.#page.set({ tab: "steps" });
      this.#page.go(row.event);
    }));
    parts.splice(1, 0, element("div.buttons", {}, ...buttons), this.error);
    parts.push(element("h3", { text: "Why" }), whyList(this.#page, row, why));
    this.#replace(parts);
    this.#showButtons();
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
    this.#row = null;
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

  // Calls `use` with the actions of a step as JSON.
  #actions({ event }, use) {
    return this.#try(async () => use((await this.#page.connection.request("actions", { event })).texts));
  }

  async #try(action) {
    const target = this.error;
    target.hidden = true;
    try {
      await action();
    } catch (error) {
      write(target, error.message, 1000);
      target.hidden = false;
    }
  }

  // Only what the composer allows now.
  #showButtons() {
    const composer = this.#page.composers.get(this.#row?.composer);
    for (const [id, isAllowed] of [["detail-send", composer?.canSend], ["detail-fork", composer?.canFork]]) {
      const found = document.getElementById(id);
      if (found) found.hidden = !isAllowed;
    }
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
