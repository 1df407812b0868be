// The view of recordings: files and tests of a composer's steps, forks, and comparisons.

import { Comparison } from "./comparison.js";
import { button, copy, element, working } from "./dom.js";
import { Forks } from "./forks.js";
import { StepRange } from "./range.js";
import { save } from "./saving.js";
import { TestExport } from "./testexport.js";
import { bytes, counted, visible, write } from "./text.js";

const mostBytes = 64 * 1024 * 1024;

export class RecordingsView {
  id = "recordings";
  title = "Recordings";
  #page;
  #isVisible = false;
  #shown = ""; // The composer that is shown, with what it can do.

  constructor(page) {
    this.#page = page;
    this.range = new StepRange(page);
    this.test = new TestExport(page, this.range);
    this.comparison = new Comparison(page);
    this.forks = new Forks(page, this.range, (first, second) => this.comparison.run(first, second));
    this.composer = element("select", {
      id: "recordings-composer", "aria-label": "Composer", onchange: () => page.set({ composer: Number(this.composer.value) }),
    });
    const copyButton = button("Copy", { id: "recording-copy" }, () => this.#export((text) => copy(text, copyButton)));
    this.buttons = element("div.buttons", {}, button("Download JSON lines", { id: "recording-download", class: "primary" }, () => (
      this.#export((text) => save(`${page.nameOf(page.current)}.jsonl`, text, "application/jsonl")))), copyButton);
    this.result = element("p", { id: "recording-result", role: "status" });
    this.fixed = element("p.muted", { id: "recording-refused", hidden: true,
      text: "The state and the actions of this composer are not Codable: they cannot be written to a file or a test. Let both conform to Codable." });
    this.exporting = element("section.card", { "aria-label": "Recording" }, element("h3", { text: "Recording" }),
      element("div.form", {}, element("label", { for: "recordings-composer", text: "Composer" }), this.composer),
      this.range.element, this.fixed, this.buttons, this.result);
    this.none = element("p.none", { id: "recordings-empty", text: "No composer yet. Import a file, or let the program bind a composer." });
    this.own = element("div.columns", { hidden: true },
      element("div.cards", {}, this.exporting, this.forks.element, this.comparison.element),
      element("div.cards", {}, this.test.element));
    this.element = element("div.view", { id: "view-recordings" },
      element("div.scroll", {}, this.#importing(), this.none, this.own));
    page.watch(["composers", "composer", "chosen"], () => this.#show());
    page.connection.addEventListener("open", () => this.#show());
  }

  show(isVisible) {
    this.#isVisible = isVisible;
    this.#show();
    this.range.show(isVisible);
  }

  #show() {
    if (!this.#isVisible) return;
    const { composers, current } = this.#page;
    const composer = composers.get(current);
    this.importing.hidden = this.#page.connection.hello?.canAct === false;
    this.none.hidden = composer !== undefined;
    this.own.hidden = composer === undefined;
    this.range.setComposer(composer ? current : null);
    this.#list();
    this.forks.update();
    this.comparison.update();
    const key = JSON.stringify([current, composer?.canExport, composer?.canFork]);
    if (!composer || key === this.#shown) return;
    this.#shown = key;
    this.buttons.hidden = this.test.element.hidden = !composer.canExport;
    this.fixed.hidden = composer.canExport;
    this.#report("", false);
    this.test.setComposer(composer);
    this.forks.setComposer(composer);
    this.comparison.setComposer(composer);
  }

  #list() {
    const { composers, current } = this.#page;
    const key = JSON.stringify([...composers.values()].map(({ composer, name, isLive }) => [composer, name, isLive]));
    if (this.composer.dataset.key !== key) {
      this.composer.dataset.key = key;
      this.composer.replaceChildren(...[...composers.values()].map(({ composer, name, isLive }) => (
        write(element("option", { value: composer }), `${name} (${composer})${isLive ? "" : ", ended"}`, 80))));
    }
    this.composer.value = String(current ?? "");
  }

  async #export(use) {
    try {
      const params = { composer: this.#page.current, format: "jsonLines", ...(await this.range.params()) };
      const { text } = await working(this.result, "Writing the steps…", () => this.#page.connection.request("export", params));
      await use(text);
      this.#report(`${counted(text.split("\n").length - 1, "line")}, ${bytes(new Blob([text]).size)}.`, false);
    } catch (error) {
      this.#report(error.message, true);
    }
  }

  #report(text, isError) {
    write(this.result, text, 1000);
    this.result.className = isError ? "error" : "muted";
  }

  // A file is chosen, or dropped anywhere on the view.
  #importing() {
    this.file = element("input", { id: "import-file", type: "file", accept: ".jsonl,.ndjson,.json,.txt", onchange: async () => {
      await this.#import(this.file.files);
      this.file.value = "";
    } });
    this.imported = element("p", { id: "import-result", role: "status" });
    this.importing = element("section.card.import", { id: "import", "aria-label": "Import" },
      element("h3", { text: "Import" }),
      element("div.fields", {}, element("label", { for: "import-file", text: "Open a file of JSON lines, or drop it here" }), this.file),
      this.imported);
    const target = this.importing;
    for (const name of ["dragenter", "dragover"]) {
      target.addEventListener(name, (event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "copy";
        target.classList.add("dropping");
      });
    }
    target.addEventListener("dragleave", (event) => {
      if (!target.contains(event.relatedTarget)) target.classList.remove("dropping");
    });
    target.addEventListener("drop", (event) => {
      event.preventDefault();
      target.classList.remove("dropping");
      this.#import(event.dataTransfer.files);
    });
    return target;
  }

  async #import(files) {
    try {
      for (const file of files) {
        if (file.size > mostBytes) throw new Error(`${file.name} has ${bytes(file.size)}; at most ${bytes(mostBytes)} are read.`);
        const address = new URL(`import?${encodeURIComponent(file.name)}`, location.href);
        const answer = await working(this.imported, `Reading ${visible(file.name, 100)}, ${bytes(file.size)}…`,
          () => fetch(address, { method: "POST", body: file }));
        if (!answer.ok) throw new Error(`${file.name}: ${(await answer.text()).trim()}`);
        const { composer } = await answer.json();
        await this.#page.loadComposers();
        this.#page.set({ chosen: [composer], composer });
        write(this.imported, `${file.name} is composer ${composer}.`, 300);
        this.imported.className = "muted";
      }
    } catch (error) {
      write(this.imported, error.message, 1000);
      this.imported.className = "error";
    }
  }
}
