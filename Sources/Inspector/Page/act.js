// Sends an action to a composer, where the program allows it.

import { button, element } from "./dom.js";
import { losesDigits, parse } from "./json.js";
import { write } from "./text.js";

export class Act {
  #page;
  #names = "";

  constructor(page, target) {
    this.#page = page;
    this.composer = element("bdi", { id: "act-composer" });
    this.cases = element("select", { id: "act-case", "aria-label": "Case of the action", onchange: () => this.#fill() });
    this.text = element("textarea", {
      id: "act-text", rows: "4", spellcheck: "false", "aria-label": "Action as JSON", placeholder: '{"open": {"id": 7}}',
      onkeydown: (event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        this.#send();
      },
    });
    this.sendButton = button("Send", { id: "act-send", class: "primary", title: "Control-Enter" }, () => this.#send());
    this.result = element("p", { id: "act-result", role: "status" });
    this.element = element("details", { id: "act", hidden: true },
      element("summary", {}, "Send to ", this.composer), this.cases, this.text, this.sendButton, this.result);
    target.append(this.element);
    page.watch(["composers", "composer", "chosen"], () => this.#show());
    page.connection.addEventListener("open", () => this.#show());
  }

  /** Opens the panel and moves the focus to it. */
  open() {
    if (this.element.hidden) return;
    this.element.open = true;
    this.text.focus();
  }

  #show() {
    const composer = this.#page.composers.get(this.#page.current);
    this.element.hidden = !(this.#page.connection.hello?.canAct && composer?.canSend);
    if (this.element.hidden) return;
    write(this.composer, composer.name, 80);
    const names = JSON.stringify([composer.composer, composer.actions]);
    if (names === this.#names) return;
    this.#names = names;
    const options = (composer.actions ?? []).map((name) => write(element("option", { value: name }), name, 80));
    this.cases.replaceChildren(element("option", { value: "", text: "Choose a case…" }), ...options);
    this.cases.hidden = options.length === 0;
    this.text.value = "";
    this.#report("", false);
  }

  async #fill() {
    const name = this.cases.value;
    if (name === "") return;
    try {
      const { action } = await this.#page.connection.request("template", { composer: this.#page.current, name });
      this.text.value = JSON.stringify(action, null, 2);
      this.#report("", false);
    } catch (error) {
      this.#report(error.message, true);
    }
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
      await this.#page.connection.request("send", { composer: this.#page.current, action });
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
