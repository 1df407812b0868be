// The messages and states of one socket, in both directions, and what each of them has caused.

import { curlCommand, isAddress, pythonCommand } from "./commands.js";
import { announcing, button, copy, debounced, element, press, toggle } from "./dom.js";
import { EventList } from "./events.js";
import { VirtualList } from "./list.js";
import { bytes, clock, counted, dateAndTime, duration, integer, visible, write } from "./text.js";
import { both, endOf, ratioText } from "./traffic.js";
import { whyList } from "./why.js";

const kinds = { received: "Received", sent: "Sent", socket: "States" };
const shownLength = 100_000; // Of a message's text, in UTF-16 units.
const arrows = { received: "↓", sent: "↑", socket: "•" };

export class Messages {
  #page;
  #nameOf;
  #events;
  #number = null;
  #kinds = new Set(Object.keys(kinds));
  #isVisible = false;
  #event = null; // The event whose text is shown.
  #target = null; // The event to scroll to when it has arrived.
  #announce = announcing(() => (this.#events.searched < 1 ? null : this.status.textContent));
  #showSoon = debounced(60, (row) => this.#showRow(row));

  /** `nameOf` returns the name of a socket. */
  constructor(page, nameOf) {
    this.#page = page;
    this.#nameOf = nameOf;
    this.#events = new EventList(page.connection);
    this.name = element("bdi.name", { id: "socket-name" });
    this.facts = element("span.facts.muted", { id: "socket-facts" });
    this.cutButton = button("Cut", { id: "socket-cut", title: "Drop the connection, without a close frame" }, () => this.#cut());
    this.delayField = element("input", {
      id: "socket-delay", type: "number", min: "0", max: "60000", step: "50", value: "500", "aria-label": "Delay in milliseconds",
      title: "Milliseconds", onkeydown: (key) => key.key === "Enter" && this.#slow(Number(this.delayField.value)),
    });
    this.slowButton = button("Slow down", { id: "socket-slow", title: "Delay both directions by these milliseconds" },
      () => this.#slow(Number(this.delayField.value)));
    this.fullSpeed = button("Full speed", { id: "socket-full-speed", title: "End the delay" }, () => this.#slow(0));
    this.slowing = element("span.group", { role: "group", "aria-label": "Delay" }, this.delayField, " ms ", this.slowButton, this.fullSpeed);
    this.python = button("Copy as Python", { id: "socket-python" }, () => copy(pythonCommand(this.name.dataset.url), this.python));
    this.curl = button("Copy as curl", { id: "socket-curl" }, () => copy(curlCommand(this.name.dataset.url), this.curl));
    this.error = element("p.error", { id: "socket-error", role: "alert", hidden: true });
    this.search = element("input", {
      id: "messages-search", type: "search", placeholder: "Search messages", "aria-label": "Search messages",
      spellcheck: "false", oninput: debounced(200, () => {
        this.#filter();
        this.#announce();
      }),
    });
    this.followButton = toggle("Follow", true, { id: "messages-follow", title: "Stay at the end" }, (on) => this.list.follow(on));
    this.status = element("span.status.muted", { id: "messages-status" });
    this.empty = element("p.none", { id: "messages-empty" });
    this.list = new VirtualList({
      id: "messages-list", label: "Messages of the socket", head: heads(), make: makeRow,
      fill: (row, position) => this.#fill(row, position),
      onCursor: (position, click) => this.#moved(position, click !== undefined),
      onOpen: (position) => this.#open(position),
      onVisible: (first, end) => this.#events.want(first, end),
      onFollow: (isOn) => press(this.followButton, isOn),
      onEnd: () => {
        this.list.follow(true);
        this.list.step(Infinity);
      },
    });
    this.detail = element("section.message", { id: "message", "aria-label": "Message", tabindex: "-1", hidden: true });
    this.content = element("div.content", { hidden: true },
      element("div.toolbar", {}, this.name, this.facts, this.cutButton, this.slowing, this.python, this.curl), this.error,
      element("div.toolbar", {}, this.search, this.#kindToggles(), this.followButton, this.status),
      element("div.beside", {}, element("div.half", {}, this.list.element, this.empty), this.detail));
    this.hint = element("p.none", { id: "socket-none", text: "Choose a socket to see its messages." });
    this.element = element("section.half", { "aria-label": "Chosen socket" }, this.content, this.hint);
    this.list.follow(true);
    this.#events.addEventListener("reset", () => this.#reset());
    this.#events.addEventListener("grown", () => this.#grown());
    this.#events.addEventListener("loaded", () => this.list.refresh());
  }

  toggleFollow() {
    this.followButton.click();
  }

  /** Lists events only while the view is visible. */
  show(isVisible) {
    this.#isVisible = isVisible;
    this.#filter();
  }

  /** Shows another socket; null for none. */
  choose(number, socket) {
    this.#number = number;
    this.#close();
    this.list.follow(true);
    this.content.hidden = number === null;
    this.hint.hidden = number !== null;
    this.error.hidden = true;
    this.update(socket);
    this.#filter();
  }

  /** Shows what the server sent of the socket. */
  update(socket) {
    if (!socket) return;
    write(this.name, socket.name, 200);
    // The query is hidden, because it may have secrets.
    const hasQuery = socket.name.endsWith("?...");
    this.name.dataset.url = hasQuery ? socket.name.slice(0, -4) : socket.name;
    this.python.hidden = this.curl.hidden = socket.side !== "client" || !isAddress(this.name.dataset.url);
    const note = hasQuery ? ". The query of the URL is hidden here: add it" : "";
    this.python.title = `A command that prints the messages of this URL, and sends what is typed. It needs: pip install websockets${note}`;
    this.curl.title = `A command that shows the handshake with this URL${note}`;
    this.cutButton.hidden = !this.#page.connection.hello?.canAct || !socket.isLive;
    this.slowing.hidden = this.cutButton.hidden || socket.state !== "connected";
    this.fullSpeed.hidden = socket.delay === undefined;
    const { metrics } = socket;
    const ratio = ratioText(socket);
    const facts = [
      socket.detail ?? socket.state,
      socket.delay === undefined ? null : `slowed down by ${integer(socket.delay)} ms`,
      socket.reconnects ? counted(socket.connections, "connection") : null,
      metrics && `messages ${both(integer(metrics.messagesReceived), integer(metrics.messagesSent))}`,
      metrics && `frames ${both(integer(metrics.framesReceived), integer(metrics.framesSent))}`,
      metrics && `bytes ${both(bytes(metrics.bytesReceived), bytes(metrics.bytesSent))}`,
      ratio && `${bytes(socket.messageBytesReceived + socket.messageBytesSent)} uncompressed (${ratio})`,
      metrics?.queuedBytes > 0 ? `${bytes(metrics.queuedBytes)} queued` : null,
      metrics?.roundTrip === undefined ? null : `round trip ${duration(metrics.roundTrip)}`,
      socket.extensions, endOf(socket),
    ];
    write(this.facts, facts.filter(Boolean).join(" · "), 600);
    this.facts.title = visible(this.facts.textContent, 600);
  }

  /** Scrolls to an event of the socket, and shows its text. */
  reveal(row) {
    this.#target = row.event;
    this.#showRow(row);
    this.#scrollToTarget().catch(console.warn);
  }

  async #scrollToTarget() {
    if (this.#target === null || this.#events.searched < 1 || this.#events.count === 0) return;
    const target = this.#target;
    this.#target = null;
    const { position, isExact } = await this.#events.find(target);
    if (!isExact) return;
    this.list.follow(false);
    this.list.setCursor(position, { isCentred: true });
  }

  #filter() {
    if (this.#number === null || !this.#isVisible) return this.#events.setFilter(null);
    const filter = { composers: [this.#number], kinds: [...this.#kinds] };
    const text = this.search.value.trim();
    if (text !== "") filter.text = text;
    this.#events.setFilter(filter);
  }

  #reset() {
    this.list.setCursor(null);
    this.#grown();
    this.list.refresh();
  }

  #grown() {
    const { count, dropped, searched } = this.#events;
    this.list.setRange(Math.min(dropped, count), count);
    this.status.textContent = counted(Math.max(0, count - dropped), "event")
      + (dropped > 0 ? `, ${integer(dropped)} older ones are gone` : "");
    this.empty.hidden = count > dropped;
    const isFiltered = this.search.value.trim() !== "" || this.#kinds.size < Object.keys(kinds).length;
    this.empty.textContent = searched < 1 ? "Searching…"
      : isFiltered ? "No event matches. Clear the search, or show all kinds." : "No message yet.";
    this.#scrollToTarget().catch(console.warn);
  }

  #moved(position, isClick) {
    const row = this.#events.row(position);
    if (!row) return;
    if (isClick) this.#showRow(row);
    else if (this.#event !== null) this.#showSoon(row);
  }

  async #open(position) {
    const row = await this.#events.fetch(position);
    if (!row) return;
    await this.#showRow(row);
    this.detail.focus();
  }

  #fill(element, position) {
    const row = this.#events.row(position);
    const [direction, time, size, text] = element.children;
    element.classList.toggle("waiting", !row);
    element.setAttribute("aria-selected", String(row?.event === this.#event && this.#event !== null));
    if (!row) {
      for (const cell of element.children) cell.textContent = "";
      text.textContent = row === null ? "older events are gone" : "…";
      delete element.dataset.event;
      return;
    }
    element.dataset.event = row.event;
    element.dataset.kind = row.kind;
    direction.textContent = arrows[row.kind] ?? "";
    direction.title = kinds[row.kind] ?? row.kind;
    direction.setAttribute("aria-label", row.kind);
    time.textContent = clock(row.time);
    time.title = `${dateAndTime(row.time)} · event ${row.event}`;
    size.textContent = row.size === undefined ? "" : bytes(row.size);
    write(text, row.text ?? "", 300);
  }

  async #showRow(row) {
    this.#event = row.event;
    this.list.refresh();
    let whole = row.text ?? "";
    const copyButton = button("Copy text", { id: "message-copy" }, () => copy(whole, copyButton));
    const shown = write(element("pre", { id: "message-text", tabindex: "0" }), whole);
    const why = element("div", {}, element("p.muted", { text: "…" }));
    this.detail.replaceChildren(
      element("div.detail-head", {},
        element("h3", { text: `${kinds[row.kind] ?? row.kind}${row.size === undefined ? "" : ` · ${bytes(row.size)}`}` }),
        button("×", { id: "message-close", class: "close", "aria-label": "Close the message", title: "Close" }, () => {
          this.#close();
          this.list.element.focus();
        }),
        element("p.muted", { text: `${dateAndTime(row.time)} · event ${integer(row.event)}` })),
      shown,
      element("div.buttons", {}, copyButton), element("h3", { text: "Why" }), why);
    this.detail.hidden = false;
    try {
      if (row.kind !== "socket") {
        const { text, base64 } = await this.#page.connection.request("message", { event: row.event });
        if (row.event !== this.#event) return;
        whole = text ?? base64;
        write(shown, whole, shownLength);
      }
      const answer = await this.#page.connection.request("why", { event: row.event });
      if (row.event !== this.#event) return;
      const place = {
        nameOfSource: (other) =>
          other.composer === undefined ? this.#nameOf(other.socket) : this.#page.nameOf(other.composer),
        go: (event) => event !== row.event && this.#page.go(event),
      };
      const list = whyList(place, row, answer);
      list.id = "message-why";
      const isAlone = answer.causes.length + answer.effects.length === 0;
      why.replaceChildren(isAlone ? element("p.muted", { id: "message-why", text: "It has no cause and no effect that the inspector knows." }) : list);
    } catch (error) {
      if (row.event === this.#event) why.replaceChildren(write(element("p.error"), error.message));
    }
  }

  #close() {
    this.#event = null;
    this.detail.hidden = true;
    this.detail.replaceChildren();
    this.list.refresh();
  }

  #cut() {
    return this.#act("cut", {});
  }

  #slow(milliseconds) {
    return this.#act("slow", { milliseconds });
  }

  async #act(method, params) {
    try {
      await this.#page.connection.request(method, { socket: this.#number, ...params });
      this.error.hidden = true;
    } catch (error) {
      write(this.error, error.message);
      this.error.hidden = false;
    }
  }

  #kindToggles() {
    const toggles = Object.entries(kinds).map(([kind, text]) => toggle(text, true, { "data-message-filter": kind }, (isOn) => {
      if (isOn) this.#kinds.add(kind);
      else this.#kinds.delete(kind);
      // A list without kinds would have steps.
      if (this.#kinds.size === 0) {
        for (const other of Object.keys(kinds)) this.#kinds.add(other);
        for (const other of toggles) press(other, true);
      }
      this.#filter();
    }));
    return element("span.group", { role: "group", "aria-label": "Kinds" }, ...toggles);
  }
}

function heads() {
  const texts = ["", "Time", "Size", "Text"];
  return element("div.head.frame", { role: "row" }, ...texts.map((text) => element("span", { role: "columnheader", text })));
}

function makeRow() {
  const names = ["direction", "time", "size", "text"];
  return element("div.frame", {}, ...names.map((name) => element(`${name === "text" ? "bdi" : "span"}.${name}`, { role: "gridcell" })));
}
