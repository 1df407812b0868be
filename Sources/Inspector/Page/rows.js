// The parts of a row of an event: what it is, where it came from, and what it changed.

import { element } from "./dom.js";
import { shortened, visible, write } from "./text.js";

/** Returns the kind and the text of the source of a step, or of the origin of an effect. */
export function sourceOf(row) {
  const source = row.source ?? row.origin;
  if (!source) return null;
  const texts = {
    outside: () => "outside",
    step: () => `step ${source.step}`,
    effect: () => `effect ${source.effect}`,
    shared: () => `${source.name} ${source.step ?? ""}`,
    stateEffect: () => `state ${source.id ?? ""}`,
    middleware: () => `middleware ${source.step ?? ""}`,
    failure: () => `failure of ${source.effect ?? ""}`,
  };
  return { kind: source.kind, text: (texts[source.kind] ?? (() => source.kind))() };
}

/** Returns the name of an effect: `effect 4 timer`, `effect 5 run query`. */
export function effectName({ effect, effectKind, id }) {
  return ["effect", effect, effectKind, id].filter((part) => part !== undefined && part !== "").join(" ");
}

/** Returns what happened: `{ mark, kind, text }`. */
export function titleOf(row) {
  if (row.kind === "started") return { mark: "▶", kind: "started", text: `${effectName(row)} started` };
  if (row.kind === "ended") {
    const end = (row.by ? ` by step ${row.by.step}` : "") + (row.error ? `: ${row.error}` : "");
    return { mark: "■", kind: row.outcome ?? "completed", text: `${effectName(row)} ${row.outcome ?? "ended"}${end}` };
  }
  if (row.text) return { mark: "", kind: "step", text: row.text };
  return { mark: "◇", kind: "change", text: row.change ?? "" };
}

/** Returns a label with the colour of its source. */
export function sourceLabel(row) {
  const source = sourceOf(row);
  if (!source) return element("span.source");
  return write(element("bdi.source", { "data-source": source.kind, title: visible(source.text, 300) }), source.text, 60);
}

/** Shows what happened in an element, with short UUIDs. */
export function writeTitle(target, row) {
  const title = titleOf(row);
  target.dataset.kind = title.kind;
  const text = write(document.createElement("bdi"), shortened(title.text), 300);
  if (title.mark === "") target.replaceChildren(text);
  else target.replaceChildren(element("span.mark", { text: title.mark, "aria-hidden": "true" }), text);
}
