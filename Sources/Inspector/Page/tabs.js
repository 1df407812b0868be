// The tabs of the views. A view has `id`, `title`, `element` and `show(isVisible)`; `list` and `search` if keys move them.

import { element } from "./dom.js";

export class Tabs {
  #page;
  #views;
  #tabs;

  constructor(page, views, bar, panels) {
    this.#page = page;
    this.#views = views;
    this.#tabs = views.map((view, index) => element("button.tab", {
      id: `tab-${view.id}`, type: "button", role: "tab", text: view.title, "aria-controls": `view-${view.id}`,
      title: `${view.title} (${index + 1})`, onclick: () => page.set({ tab: view.id }),
    }));
    bar.append(...this.#tabs);
    for (const view of views) {
      view.element.setAttribute("role", "tabpanel");
      view.element.setAttribute("aria-labelledby", `tab-${view.id}`);
      panels.append(view.element);
    }
    bar.addEventListener("keydown", (event) => {
      const distance = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (distance === undefined) return;
      this.open((this.#index + distance + views.length) % views.length);
      this.#tabs[this.#index].focus();
    });
    page.watch(["tab"], () => this.#show());
    this.#show();
  }

  get count() {
    return this.#views.length;
  }

  get view() {
    return this.#views[this.#index];
  }

  open(index) {
    if (this.#views[index]) this.#page.set({ tab: this.#views[index].id });
  }

  get #index() {
    return Math.max(0, this.#views.findIndex((view) => view.id === this.#page.tab));
  }

  #show() {
    const index = this.#index;
    this.#views.forEach((view, other) => {
      const isVisible = other === index;
      this.#tabs[other].setAttribute("aria-selected", String(isVisible));
      this.#tabs[other].tabIndex = isVisible ? 0 : -1;
      if (view.element.hidden !== !isVisible || view.wasShown !== isVisible) {
        view.element.hidden = !isVisible;
        view.wasShown = isVisible;
        view.show(isVisible);
      }
    });
  }
}
