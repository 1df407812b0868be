// Starts the page and joins its parts.
// A new tab is a view in a file of its own, see tabs.js, and one entry in `views` below.

import { Act } from "./act.js";
import { Clocks } from "./clocks.js";
import { Composers } from "./composers.js";
import { Connection } from "./connection.js";
import { Detail } from "./detail.js";
import { button } from "./dom.js";
import { EffectsView } from "./effects.js";
import { startKeys } from "./keys.js";
import { Page } from "./page.js";
import { RecordingsView } from "./recordings.js";
import { ServersView } from "./servers.js";
import { SocketsView } from "./sockets.js";
import { StateView } from "./state.js";
import { startStatus } from "./status.js";
import { StepsView } from "./steps.js";
import { StreamsView } from "./streams.js";
import { Tabs } from "./tabs.js";
import { visible } from "./text.js";

const address = new URL("socket", location.href);
address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
address.hash = "";
address.search = "";

const connection = new Connection(address);
const page = new Page(connection);
const side = document.getElementById("side");
const composers = new Composers(page, side);
new Clocks(page, side);
const act = new Act(page, side);
const views = [
  new StepsView(page), new EffectsView(page), new StateView(page), new SocketsView(page), new ServersView(page),
  new RecordingsView(page), new StreamsView(page),
];
const tabs = new Tabs(page, views, document.getElementById("tabs"), document.getElementById("views"));
const detail = new Detail(page, document.getElementById("detail"));

// On a narrow page the composers are a section that opens above the views.
const isSideShown = () => document.body.classList.contains("shows-side");
const sideToggle = button("Composers", { id: "side-toggle", "aria-controls": "side" }, () => showSide(!isSideShown()));
function showSide(isShown) {
  document.body.classList.toggle("shows-side", isShown);
  sideToggle.setAttribute("aria-expanded", String(isShown));
}
showSide(false);

// Closes the composers of a narrow page, and returns whether they were open.
function closeSide() {
  if (!isSideShown() || !sideToggle.checkVisibility()) return false;
  showSide(false);
  sideToggle.focus();
  return true;
}
document.getElementById("header").prepend(sideToggle);
page.watch(["chosen", "composers"], () => {
  const names = page.chosen.map((number) => page.nameOf(number)).join(", ");
  sideToggle.textContent = page.chosen.length === 0 ? "Composers" : visible(names, 30);
});

page.addEventListener("act", () => {
  showSide(true);
  act.open();
});

startStatus(connection);
startKeys({ page, tabs, detail, composers, act, showSide, closeSide });
connection.connect();
