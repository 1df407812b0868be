// The view of servers: their connections, their traffic in the last minute, and how connections have ended.

import { element } from "./dom.js";
import { bytes, duration, integer, rate, write } from "./text.js";
import { closeText, statusText } from "./traffic.js";

const most = 60;
const namespace = "http://www.w3.org/2000/svg";
const messages = (value) => `${rate(value) || "0"}/s`;
const size = (value) => `${bytes(Math.round(value))}/s`;
const rates = {
  messagesReceived: ["Messages received", messages], messagesSent: ["Messages sent", messages],
  bytesReceived: ["Bytes received", size], bytesSent: ["Bytes sent", size],
};
const figures = {
  open: ["Open", integer, "Connections that are WebSockets now"],
  handshaking: ["Handshaking", integer, "Connections that are not WebSockets now"],
  accepted: ["Accepted", integer, "Connections so far"],
  opened: ["Opened", integer, "Connections that became WebSockets so far"],
  queuedBytes: ["Queued", bytes, "Bytes that are not written yet"],
  heldBytes: ["Held", bytes, "Bytes of messages that are unfinished or not delivered"],
  loopLag: ["Loop lag", duration, "How late the last timer of the event loop fired"],
  timedOut: ["Timed out", integer, "Connections that sent no request in time"],
  failedTLS: ["TLS failed", integer, "Connections whose TLS handshake failed"],
};

export class ServersView {
  id = "servers";
  title = "Server";
  #page;
  #cards = new Map();

  constructor(page) {
    this.#page = page;
    this.none = element("p.none", { id: "servers-empty", hidden: true,
      text: "No server yet. Those that the program starts from now on appear here, while they listen." });
    this.cards = element("div.servers", { id: "servers" });
    this.element = element("div.view", { id: "view-servers" }, element("div.scroll", { tabindex: "0" }, this.none, this.cards));
    page.connection.on("servers", (params) => this.#receive(params));
    page.connection.addEventListener("open", () => {
      for (const card of this.#cards.values()) card.restart();
    });
  }

  show(isVisible) {
    for (const card of this.#cards.values()) card.restart();
    if (isVisible) this.#page.connection.subscribe("servers");
    else this.#page.connection.unsubscribe("servers");
  }

  #receive({ servers }) {
    this.none.hidden = servers.length > 0;
    const now = performance.now() / 1000;
    const gone = new Set(this.#cards.keys());
    for (const server of servers) {
      gone.delete(server.url);
      if (!this.#cards.has(server.url)) {
        const card = new Card(server.url);
        this.#cards.set(server.url, card);
        this.cards.append(card.element);
      }
      this.#cards.get(server.url).show(server, now);
    }
    for (const url of gone) {
      this.#cards.get(url).element.remove();
      this.#cards.delete(url);
    }
  }
}

/** One server. */
class Card {
  #figures = new Map();
  #lines = new Map();
  #counts = new Map();
  #last = null; // The totals and the time of the last point.

  constructor(url) {
    for (const [key, [label, , title]] of Object.entries(figures)) this.#figures.set(key, figure(label, title, key));
    for (const [key, [label, text]] of Object.entries(rates)) this.#lines.set(key, new Sparkline(label, key, text));
    for (const [key, label] of [["closed", "Closed by code"], ["refused", "Refused by status"], ["answered", "Answered by status"]]) {
      this.#counts.set(key, element("div.counts", { "data-counts": key }, element("h4", { text: label }), element("table", { "aria-label": label })));
    }
    this.element = element("section.server", { "data-url": url },
      element("h2", {}, write(element("bdi"), url, 300)),
      element("dl.figures", {}, ...this.#figures.values()),
      element("div.lines", {}, ...[...this.#lines.values()].map((line) => line.element)),
      element("div.tables", {}, ...this.#counts.values()));
  }

  /** Forgets the last totals, which are too old for a rate. */
  restart() {
    this.#last = null;
  }

  show(server, now) {
    for (const [key, [, text]] of Object.entries(figures)) {
      this.#figures.get(key).lastChild.textContent = text(server[key] ?? 0);
    }
    for (const [key, counts] of this.#counts) {
      fillCounts(counts, server[key] ?? {}, key === "closed" ? closeText : statusText);
    }
    const isRestarted = this.#last !== null && Object.keys(rates).some((key) => server[key] < this.#last.server[key]);
    if (this.#last === null || isRestarted) this.#last = { server, now };
    const seconds = now - this.#last.now;
    if (seconds < 0.95) return;
    for (const [key, line] of this.#lines) line.add((server[key] - this.#last.server[key]) / seconds);
    this.#last = { server, now };
  }
}

/** A rate in the last minute, as a line, with its value. */
class Sparkline {
  #values = [];
  #text;

  constructor(label, key, text) {
    this.#text = text;
    this.path = document.createElementNS(namespace, "path");
    this.area = document.createElementNS(namespace, "path");
    this.area.setAttribute("class", "area");
    const drawing = document.createElementNS(namespace, "svg");
    drawing.setAttribute("viewBox", "0 0 120 28");
    drawing.setAttribute("preserveAspectRatio", "none");
    drawing.setAttribute("aria-hidden", "true");
    drawing.append(this.area, this.path);
    this.value = element("span.value", { text: "…" });
    this.most = element("span.most.muted");
    this.element = element("div.line", { "data-rate": key },
      element("span.label", { text: label }), this.value, drawing, this.most);
  }

  add(value) {
    this.#values.push(value);
    if (this.#values.length > most) this.#values.shift();
    const highest = Math.max(...this.#values);
    const height = (value) => 27 - (highest === 0 ? 0 : (value / highest) * 25);
    const step = 120 / (most - 1);
    const first = 120 - (this.#values.length - 1) * step;
    const points = this.#values.map((value, index) => `${(first + index * step).toFixed(1)} ${height(value).toFixed(1)}`);
    this.path.setAttribute("d", `M${points.join("L")}`);
    this.area.setAttribute("d", `M${first.toFixed(1)} 28L${points.join("L")}L120 28Z`);
    this.value.textContent = this.#text(value);
    this.most.textContent = highest === 0 ? "" : `at most ${this.#text(highest)}`;
  }
}

function figure(label, title, key) {
  return element("div.figure", { title, "data-figure": key }, element("dt", { text: label }), element("dd"));
}

function fillCounts(target, counts, text) {
  const codes = Object.keys(counts).map(Number).sort((a, b) => counts[b] - counts[a] || a - b);
  target.hidden = codes.length === 0;
  const key = JSON.stringify(counts);
  if (target.dataset.key === key) return;
  target.dataset.key = key;
  target.lastChild.replaceChildren(...codes.map((code) => element("tr", {},
    element("th", { scope: "row", text: text(code) }), element("td", { text: integer(counts[code]) }))));
}
