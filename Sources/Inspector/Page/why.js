// Why an event happened, and what it caused, in the order of time.

import { button, element } from "./dom.js";
import { sourceLabel, writeTitle } from "./rows.js";
import { difference, integer, write } from "./text.js";

const mostCauses = 30;

/** Returns an element with the causes of an event from the first on, the event, and its effects below it. */
export function whyList(page, row, { causes, effects, isCut }) {
  const list = element("ol.why", { id: "why" });
  const first = causes.at(-1) ?? row;
  const line = (other, depth) => {
    const link = button("", { class: "link", "data-event": other.event }, () => page.go(other.event));
    const title = element("span.action");
    writeTitle(title, other);
    link.append(title);
    const item = element("li", {}, element("span.time", { text: difference(other.time - first.time) }), link,
      sourceLabel(other), write(element("bdi.muted.composer"), page.nameOfSource(other), 60));
    link.style.marginLeft = `${Math.min(depth, 12) * 14}px`;
    if (other.event === row.event) {
      item.classList.add("this");
      item.setAttribute("aria-current", "true");
    }
    return item;
  };

  const chain = [...causes].reverse();
  const hidden = chain.length - mostCauses;
  if (hidden > 0) {
    const more = element("li", {}, button(`${integer(hidden)} causes between`, { class: "small" }, () => {
      more.replaceWith(...chain.slice(1, hidden + 1).map((cause) => line(cause, 0)));
    }));
    list.append(line(chain[0], 0), more, ...chain.slice(hidden + 1).map((cause) => line(cause, 0)));
  } else {
    list.append(...chain.map((cause) => line(cause, 0)));
  }
  list.append(line(row, 0));

  const waiting = effects.toReversed().map((node) => ({ node, depth: 1 }));
  while (waiting.length > 0) {
    const { node, depth } = waiting.pop();
    list.append(line(node.row, depth));
    for (const child of (node.children ?? []).toReversed()) waiting.push({ node: child, depth: depth + 1 });
  }
  if (isCut) list.append(element("li.muted", { text: "It caused more events than are shown." }));
  return list;
}
