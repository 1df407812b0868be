// Sends an action to a composer, where the program allows it.

import { button, element } from "./dom.js";
import { losesDigits, parse, pretty } from "./json.js";
import { write } from "./text.js";

const hiddenValue = "•••";

export class Act {
  #page;
  #composer = null;
  #names = "";
  #drafts = new Map(); // By composer: `{ name, texts }`, the chosen case, and by case the text that was written.
  #turn = 0; // A later choice ends a request for a template.

  constructor(page, target) {
    this.#page = page;
    this.composer = element("bdi", { id: "act-composer" });
    this.hint = element("p.muted", { id: "act-hint", hidden: true });
    this.cases = element("select", { id: "act-case", "aria-label": "Case of the action", onchange: () => this.#choose() });
    this.choices = element("div.choices", { id: "act-choices" });
    this.text = element("textarea", {
      id: "act-text", rows: "8", spellcheck: "false", "aria-label": "Action as JSON", placeholder: '{"open": {"id": 7}}',
      oninput: () => this.#keep(),
      onkeydown: (event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        this.#send();
      },
    });
    this.sendButton = button("Send", { id: "act-send", class: "primary", title: "Control-Enter" }, () => this.#send());
    this.result = element("p", { id: "act-result", role: "status" });
    this.form = element("div", {}, this.cases, this.choices, this.text,
      element("div.answer", {}, this.sendButton, this.result));
    this.element = element("details", { id: "act", hidden: true },
      element("summary", {}, "Send to ", this.composer), this.hint, this.form);
    target.append(this.element);
    page.watch(["composers", "composer", "chosen"], () => this.#show());
    page.connection.addEventListener("open", () => this.#show());
    page.addEventListener("act", ({ detail }) => this.#fill(detail.text));
  }

  /** Opens the panel and moves the focus to it. */
  open() {
    if (this.element.hidden || this.form.hidden) return;
    this.element.open = true;
    this.text.focus();
  }

  #show() {
    const composer = this.#page.composers.get(this.#page.current);
    this.element.hidden = composer === undefined;
    if (composer === undefined) return;
    write(this.composer, composer.name, 80);
    this.#hint(composer);
    const names = JSON.stringify([composer.composer, composer.actions]);
    if (names === this.#names) return;
    this.#names = names;
    this.#composer = composer.composer;
    const options = (composer.actions ?? []).map((name) => write(element("option", { value: name }), name, 80));
    this.cases.replaceChildren(element("option", { value: "", text: "Choose a case…" }), ...options);
    this.cases.hidden = options.length === 0;
    this.cases.value = this.#draft.name;
    this.text.value = this.#draft.texts.get(this.#draft.name) ?? "";
    this.choices.replaceChildren();
    this.#report("", false);
  }

  // Says why nothing can be sent.
  #hint(composer) {
    const canAct = this.#page.connection.hello?.canAct !== false;
    const canSend = canAct && composer.canSend;
    this.form.hidden = !canSend;
    this.hint.hidden = canSend;
    if (canSend) return;
    this.hint.textContent = !canAct ? "Acting is turned off. Set canAct in the configuration of the inspector to send actions."
      : !composer.isLive ? "This composer has ended: nothing can be sent to it. A fork of it can go on from one of its states, see Recordings."
      : "The actions of this composer are not Codable: the page cannot write them.";
  }

  get #draft() {
    const draft = this.#drafts.get(this.#composer) ?? { name: "", texts: new Map() };
    this.#drafts.set(this.#composer, draft);
    return draft;
  }

  #keep() {
    this.#draft.texts.set(this.#draft.name, this.text.value);
  }

  // Shows what was written for the chosen case, or its template.
  #choose() {
    const { texts } = this.#draft;
    const name = this.#draft.name = this.cases.value;
    this.choices.replaceChildren();
    if (texts.has(name)) {
      this.#turn += 1;
      this.text.value = texts.get(name);
    } else if (name !== "") this.#template(name, []);
  }

  async #template(name, choices) {
    const turn = ++this.#turn;
    try {
      const template = await this.#page.connection.request("template", { composer: this.#composer, name, choices });
      if (turn !== this.#turn) return;
      this.text.value = pretty(template.action);
      this.#draft.texts.delete(name);
      const focused = document.activeElement?.dataset.path;
      this.choices.replaceChildren(...(template.choices ?? []).map((choice) => this.#choice(name, choice, template.choices)));
      if (focused !== undefined) this.choices.querySelector(`[data-path="${CSS.escape(focused)}"]`)?.focus();
      this.#report("", false);
    } catch (error) {
      if (turn === this.#turn) this.#report(error.message, true);
    }
  }

  // The cases of an enum inside the action.
  #choice(name, { path, name: chosen, names }, choices) {
    const place = path.map((key) => key.replace(/^_(?=\d+$)/, "")).join(".");
    const select = element("select", { "data-path": path.join("/"), onchange: () => {
      const others = choices.filter((other) => other.path !== path).map(({ path, name }) => ({ path, name }));
      this.#template(name, [...others, { path, name: select.value }]);
    } }, ...names.map((value) => write(element("option", { value }), value, 80)));
    select.value = chosen;
    return element("label", {}, write(element("bdi.muted"), place, 80), select);
  }

  // Shows an action that was sent before, to send it again.
  #fill(text) {
    this.#turn += 1;
    this.cases.value = this.#draft.name = "";
    this.choices.replaceChildren();
    this.text.value = text;
    this.#keep();
    this.#report(text.includes(hiddenValue) ? `Hidden values are ${hiddenValue}: write them.` : "", false);
  }

  async #send() {
    let action;
    try {
      action = parse(this.text.value);
    } catch (error) {
      return this.#report(`Not JSON: ${error.message}`, true);
    }
    if (losesDigits(this.text.value)) {
      return this.#report("Not sent: this browser would change the long numbers of the action. Use another one.", true);
    }
    try {
      await this.#page.connection.request("send", { composer: this.#composer, action });
      this.#report("Sent.", false);
    } catch (error) {
      this.#report(error.message, true);
    }
  }

  #report(text, isError) {
    write(this.result, text, 1000);
    this.result.className = isError ? "error" : "muted";
  }
}
