// The keys of the page, and the help that lists them.

import { button, element } from "./dom.js";

const help = (tabCount) => [
  ["/", "Search in the view"],
  ["j  k", "Next and previous row, also in the details"],
  ["↓  ↑", "Next and previous row; in the details they scroll"],
  ["Enter", "Open the details of the row"],
  ["Escape", "Leave a field, close the composers or the details"],
  ["End", "Go to the end and follow it"],
  ["f", "Follow the end of the list, or stop"],
  ["p", "Pause the list, or continue"],
  ["c", "Go to the composers"],
  ["Space", "Add or remove a composer"],
  ["← →", "Collapse and expand in a tree"],
  ["a", "Write an action"],
  ["Control-Enter", "Send the action"],
  [`1 – ${tabCount}`, "Choose a tab"],
  ["?", "Show this help"],
];

/** Handles the keys that work everywhere but in fields. */
export function startKeys({ page, tabs, detail, composers, act, showSide, closeSide }) {
  const dialog = document.getElementById("help");
  dialog.append(element("h2", { text: "Keyboard" }),
    element("dl", {}, ...help(tabs.count).flatMap(([key, text]) => [element("dt", {}, element("kbd", { text: key })), element("dd", { text })])),
    button("Close", { id: "help-close" }, () => dialog.close()));
  const showHelp = () => (dialog.open ? dialog.close() : dialog.showModal());
  document.getElementById("help-button").addEventListener("click", showHelp);

  const step = (distance) => {
    const { list } = tabs.view;
    if (!document.activeElement.closest("#detail")) list?.element.focus({ preventScroll: true });
    list?.step(distance);
  };

  const actions = {
    "/": () => (tabs.view.search ?? composers.search).focus(),
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    f: () => tabs.view.toggleFollow?.(),
    p: () => tabs.view.togglePause?.(),
    a: () => {
      showSide(true);
      act.open();
    },
    c: () => {
      showSide(true);
      composers.list.element.focus();
    },
    "?": showHelp,
    Escape: () => {
      if (closeSide() || page.event === null) return;
      detail.close();
      tabs.view.list?.element.focus();
    },
  };

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    // An open dialog has all keys but the one that opened it.
    if (dialog.open && event.key !== "?") return;
    const isMovedByItself = event.key.startsWith("Arrow")
      && event.target.closest(".list, [role=tree], [role=tablist], #detail") !== null;
    const isField = event.target.matches("input, textarea, select");
    if (isField && event.key === "Escape") {
      event.target.blur();
      (event.target.closest("#side") ? composers.list : tabs.view.list)?.element.focus();
    } else if (isField) {
      return;
    } else if (/^[1-9]$/.test(event.key)) {
      tabs.open(Number(event.key) - 1);
    } else if (event.key in actions && !isMovedByItself) {
      actions[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  });
}
