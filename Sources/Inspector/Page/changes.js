// A list of changes: path, old value, new value.

import { element, toggle } from "./dom.js";
import { integer, write } from "./text.js";
import { Tree, brief, pathText } from "./tree.js";

const most = 200;

/** Returns an element with changes as the protocol has them: `{"path", "old", "new"}`. */
export function changeList(changes, id) {
  const rows = changes.slice(0, most).map(changeRow);
  if (changes.length > most) rows.push(element("li.muted", { text: `${integer(changes.length - most)} more` }));
  if (changes.length === 0) rows.push(element("li.muted", { text: "No change." }));
  return element("ul.changes", { id }, ...rows);
}

function changeRow(change) {
  const path = write(element("bdi.path"), pathText(change.path) || "all", 400);
  const row = element("li.change", {}, path);
  const values = element("span.values", {},
    valueOf(change.old, "old"), element("span.muted", { text: " → " }), valueOf(change.new, "new"));
  row.append(values);
  if ((change.old?.children?.length ?? 0) + (change.new?.children?.length ?? 0) === 0) return row;
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
  row.append(more, trees);
  return row;
}

function valueOf(node, name) {
  if (!node) return element("span.muted", { text: name === "old" ? "absent" : "removed" });
  return write(element(`bdi.${name}`), brief(node), 300);
}
