// Sends an action to a composer, where the program allows it.

import { button, element } from "./dom.js";
import { losesDigits, parse, pretty } from "./json.js";
import { isOfFile } from "./page.js";
import { write } from "./text.js";

const hiddenValue = "•••";

export class Act {
  #page;
  #composer = null;
  #names = "";
  #drafts = new Map(); // By composer: `{ name, cases }`, the chosen case, and by case `{ text, choices }`.
  #turn = 0; // Whatever the user does ends a request for a template.

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
    if (this.element.hidden) return;
    this.element.open = true;
    (this.form.hidden ? this.element.firstChild : this.text).focus();
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
    this.#showDraft();
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
      : isOfFile(composer) ? "These steps come from a file: nothing can be sent to them."
      : !composer.isLive ? "This composer has ended: nothing can be sent to it." + (composer.canFork ? " A fork goes on from one of its states, see Recordings." : "")
      : "The actions of this composer are not Decodable: they cannot be made from JSON.";
  }

  get #draft() {
    const draft = this.#drafts.get(this.#composer) ?? { name: "", cases: new Map() };
    this.#drafts.set(this.#composer, draft);
    return draft;
  }

  #showDraft() {
    const { name, cases } = this.#draft;
    const { text = "", choices = [] } = cases.get(name) ?? {};
    this.#turn += 1;
    this.cases.value = name;
    this.text.value = text;
    this.#showChoices(name, choices);
  }

  #keep() {
    this.#turn += 1;
    const { name, cases } = this.#draft;
    cases.set(name, { ...cases.get(name), text: this.text.value });
  }

  // Shows what was written for the chosen case, or its template.
  #choose() {
    const draft = this.#draft;
    draft.name = this.cases.value;
    this.#showDraft();
    if (draft.name !== "" && !draft.cases.has(draft.name)) this.#template(draft, draft.name, []);
  }

  // Fills in a template; one with another case of an enum inside it keeps what was written for the rest.
  async #template(draft, name, choices, path = null) {
    const turn = ++this.#turn;
    const composer = this.#composer;
    try {
      const template = await this.#page.connection.request("template", { composer, name, choices });
      if (turn !== this.#turn) return;
      const text = pretty(path === null ? template.action : merged(template.action, this.text.value, path));
      draft.cases.set(name, { text, choices: template.choices ?? [] });
      this.text.value = text;
      this.#showChoices(name, template.choices ?? []);
      this.#report("", false);
    } catch (error) {
      if (turn === this.#turn) this.#report(error.message, true);
    }
  }

  #showChoices(name, choices) {
    const focused = this.choices.contains(document.activeElement) ? document.activeElement.dataset.path : null;
    this.choices.replaceChildren(...choices.map((choice) => this.#choice(name, choice, choices)));
    if (focused !== null) this.choices.querySelector(`[data-path="${CSS.escape(focused)}"]`)?.focus();
  }

  // The cases of an enum inside the action.
  #choice(name, { path, name: chosen, names }, choices) {
    const place = path.map((key) => key.replace(/^_(?=\d+$)/, "")).join(".");
    const select = element("select", { "data-path": path.join("/"), onchange: () => {
      const others = choices.filter((other) => other.path !== path).map(({ path, name }) => ({ path, name }));
      this.#template(this.#draft, name, [...others, { path, name: select.value }], path);
    } }, ...names.map((value) => write(element("option", { value }), value, 80)));
    select.value = chosen;
    return element("label", {}, write(element("bdi.muted"), place, 80), select);
  }

  // Shows an action that was sent before, to send it again.
  #fill(text) {
    if (this.form.hidden) return;
    const draft = this.#draft;
    draft.name = "";
    draft.cases.set("", { text, choices: [] });
    this.#showDraft();
    this.#report(text.includes(hiddenValue) ? `Hidden values are ${hiddenValue}: write them.` : "", false);
  }

  async #send() {
    const composer = this.#composer;
    const report = (text, isError) => composer === this.#composer && this.#report(text, isError);
    let action;
    try {
      action = parse(this.text.value);
    } catch (error) {
      return report(`Not JSON: ${error.message}`, true);
    }
    if (losesDigits(this.text.value)) {
      return report("Not sent: this browser would change the long numbers of the action. Use another one.", true);
    }
    try {
      await this.#page.connection.request("send", { composer, action });
      report("Sent.", false);
    } catch (error) {
      report(error.message, true);
    }
  }

  #report(text, isError) {
    write(this.result, text, 1000);
    this.result.className = isError ? "error" : "muted";
  }
}

// A template with the values of a text, except at and below a path.
function merged(template, text, path) {
  let written;
  try {
    written = parse(text);
  } catch {
    return template;
  }
  const merge = (part, value, rest) => {
    const isObject = (thing) => typeof thing === "object" && thing !== null && !Array.isArray(thing);
    if (rest !== null && rest.length === 0) return part;
    if (!isObject(part) || !isObject(value)) return rest === null ? value : part;
    return Object.fromEntries(Object.entries(part).map(([key, child]) => (
      [key, Object.hasOwn(value, key) ? merge(child, value[key], rest?.[0] === key ? rest.slice(1) : null) : child])));
  };
  return merge(template, written, path);
}
