// A list of changes: path, old value, new value.

import { button, element, toggle } from "./dom.js";
import { integer, write } from "./text.js";
import { Tree, brief } from "./tree.js";

/**
 * Returns an element with changes of a value as the protocol has them, and the number of those that it left out. `whole` is
 * the name of the value itself; each path is a link if `open(names)` shows its part.
 */
export function changeList(changes, moreChanges, id, { whole = "the state", open = null } = {}) {
  const rows = changes.map((change) => changeRow(change, whole, open));
  if (moreChanges > 0) rows.push(element("li.muted", { text: `${integer(moreChanges)} more` }));
  if (changes.length === 0) rows.push(element("li.muted", { text: "No change." }));
  return element("ul.changes", { id }, ...rows);
}

function changeRow(change, whole, open) {
  const path = write(element("bdi.path"), change.path || whole, 400);
  const link = open && button("", { class: "link", title: "Show in the state" }, () => open(change.names));
  link?.append(path);
  const row = element("li.change", {}, link ?? path);
  const values = element("span.values", {}, ...valuesOf(change));
  row.append(values);
  if (!change.old?.children?.length && !change.new?.children?.length) return row;
  const trees = element("div.trees", { hidden: true });
  const more = toggle("values", false, { class: "small", "aria-expanded": "false" }, (isOn) => {
    if (trees.childElementCount === 0) {
      for (const [label, node] of [["Old", change.old], ["New", change.new]]) {
        if (!node) continue;
        const tree = new Tree({ label });
        tree.setValue(node);
        trees.append(element("h4", { text: label }), tree.element);
      }
    }
    trees.hidden = !isOn;
    more.setAttribute("aria-expanded", String(isOn));
  });
  values.append(" ", more);
  row.append(trees);
  return row;
}

function valuesOf({ old, new: value, moved }) {
  const text = (style, node) => write(element(`bdi.${style}`), brief(node), 300);
  const word = (word) => element("span.muted", { text: word });
  if (moved) return [word(`moved from position ${integer(moved.from)} to ${integer(moved.to)}`)];
  if (!old) return [word("added "), text("new", value)];
  if (!value) return [word("removed "), text("old", old)];
  return [text("old", old), word(" → "), text("new", value)];
}
