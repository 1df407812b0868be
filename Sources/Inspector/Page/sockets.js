// The view of sockets: a table of them, and below it the messages of the chosen one.

import { announcing, debounced, element, toggle } from "./dom.js";
import { VirtualList } from "./list.js";
import { Messages } from "./messages.js";
import { bytes, counted, duration, integer, visible, write } from "./text.js";
import { both, endOf, ratioText } from "./traffic.js";

const most = 500;

const columns = ["Socket", "Side", "State", "Opened", "Messages", "Bytes", "Queued", "Round trip", "Deflate", "End"];

export class SocketsView {
  id = "sockets";
  title = "Sockets";
  #page;
  #list;
  #messages;
  #sockets = new Map();
  #shown = [];
  #chosen = null;
  #isLiveOnly = false;
  #more = 0; // The number of the sockets that are not listed, and of all that are live.
  #live = 0;
  #isVisible = false;
  #isKnown = false; // Whether the list of sockets has arrived.
  #announce = announcing(() => this.status.textContent);
  #chooseSoon = debounced(80, (number) => this.#choose(number));

  constructor(page) {
    this.#page = page;
    this.search = element("input", {
      id: "sockets-search", type: "search", placeholder: "Filter sockets  ( / )", "aria-label": "Filter sockets",
      spellcheck: "false", oninput: debounced(100, () => {
        this.#arrange();
        this.#list.toTop();
        this.#announce();
      }),
    });
    const live = toggle("Live only", false, { id: "sockets-live", title: "Only sockets that are not closed" }, (isOn) => {
      this.#isLiveOnly = isOn;
      if (this.#isVisible) this.#subscribe();
      this.#arrange();
    });
    this.status = element("span.status.muted", { id: "sockets-status" });
    this.none = element("p.none", { id: "sockets-empty", hidden: true });
    this.#list = new VirtualList({
      id: "sockets-list", label: "Sockets", head: heads(), make: makeRow,
      fill: (row, position) => this.#fill(row, position),
      place: (row) => this.#shown.findIndex(({ socket }) => socket === Number(row.dataset.socket)),
      onCursor: (position, click) => {
        const { socket } = this.#shown[position];
        if (click) this.#choose(socket);
        else this.#chooseSoon(socket);
      },
      onOpen: (position) => {
        this.#choose(this.#shown[position]?.socket);
        this.#messages.list.element.focus();
      },
    });
    this.#messages = new Messages(page, (number) => this.#sockets.get(number)?.name ?? `socket ${number}`);
    this.element = element("div.view.halves", { id: "view-sockets" },
      element("div.half", {},
        element("div.toolbar", {}, this.search, live, this.status), this.#list.element, this.none),
      this.#messages.element);
    page.connection.on("sockets", (params) => this.#receive(params));
    page.addEventListener("go", ({ detail }) => this.#reveal(detail).catch(console.warn));
    this.#arrange();
  }

  /** The list that keys move: that with the focus. */
  get list() {
    return this.#messages.element.contains(document.activeElement) ? this.#messages.list : this.#list;
  }

  /** Follows the messages of the chosen socket, or stops. */
  toggleFollow() {
    this.#messages.toggleFollow();
  }

  show(isVisible) {
    this.#messages.show(isVisible);
    this.#isVisible = isVisible;
    if (isVisible) this.#subscribe();
    else this.#page.connection.unsubscribe("sockets");
  }

  #subscribe() {
    this.#page.connection.subscribe("sockets", this.#isLiveOnly ? { limit: most, isLive: true } : { limit: most });
  }

  #receive({ sockets, moreSockets, live }) {
    this.#isKnown = true;
    [this.#more, this.#live] = [moreSockets, live];
    this.#sockets = new Map(sockets.map((socket) => [socket.socket, socket]));
    if (this.#chosen === null && sockets.length === 1) this.#choose(sockets[0].socket);
    this.#arrange();
    this.#messages.update(this.#sockets.get(this.#chosen));
  }

  #arrange() {
    const text = this.search.value.trim().toLowerCase();
    const all = [...this.#sockets.values()];
    this.#shown = all.filter((socket) => (socket.isLive || !this.#isLiveOnly)
      && (text === "" || [socket.name, socket.side, socket.state, socket.detail, socket.reconnects ? "reconnects" : "", endOf(socket)].join(" ")
        .toLowerCase().includes(text)));
    this.status.textContent = `${counted(this.#shown.length, "socket")}, ${integer(this.#live)} live`
      + (this.#more > 0 ? `, ${integer(this.#more)} more not listed` : "");
    this.none.hidden = this.#shown.length > 0 || !this.#isKnown;
    this.none.textContent = all.length > 0 ? "No socket matches. Clear the filter, or show those that are closed too."
      : "No socket yet. Those that the program connects or accepts from now on appear here.";
    this.#list.setRange(0, this.#shown.length);
    this.#list.refresh();
    const position = this.#shown.findIndex((socket) => socket.socket === this.#chosen);
    if (position >= 0 && this.#list.cursor !== null && this.#list.cursor !== position) this.#list.setCursor(position);
  }

  #choose(number = null) {
    if (this.#chosen === number) return;
    this.#chosen = number;
    this.#messages.choose(number, this.#sockets.get(number));
    this.#list.refresh();
  }

  // Shows the message that is the cause of a step.
  async #reveal(event) {
    const { row } = await this.#page.connection.request("event", { event });
    if (row.socket === undefined) return;
    this.#page.set({ tab: this.id, event: null });
    this.#choose(row.socket);
    this.#messages.reveal(row);
  }

  #fill(row, position) {
    const socket = this.#shown[position];
    if (!socket) return;
    row.dataset.socket = socket.socket;
    row.dataset.state = stateOf(socket);
    row.setAttribute("aria-selected", String(socket.socket === this.#chosen));
    const key = JSON.stringify(socket);
    if (row.dataset.key === key) return;
    row.dataset.key = key;
    const [name, side, state, opened, messages, size, queued, trip, deflate, end] = row.children;
    const { metrics } = socket;
    write(name.firstChild, socket.name, 200);
    name.lastChild.hidden = !socket.reconnects;
    side.textContent = socket.side;
    write(state, socket.detail ?? socket.state, 200);
    opened.textContent = integer(socket.connections);
    messages.textContent = metrics ? both(integer(metrics.messagesReceived), integer(metrics.messagesSent)) : "";
    size.textContent = metrics ? both(bytes(metrics.bytesReceived), bytes(metrics.bytesSent)) : "";
    queued.textContent = metrics?.queuedBytes > 0 ? bytes(metrics.queuedBytes) : "";
    trip.textContent = metrics?.roundTrip === undefined ? "" : duration(metrics.roundTrip);
    deflate.textContent = ratioText(socket);
    write(end, endOf(socket), 200);
    row.title = visible(`${socket.name}\n${socket.detail ?? socket.state}\n${endOf(socket)}`.trim(), 600);
  }
}

function stateOf(socket) {
  // One that waits to connect again has no connection.
  if (socket.isLive) return socket.reconnects && socket.state !== "connected" ? "connecting" : socket.state;
  return socket.error ? "failed" : "closed";
}

function heads() {
  const titles = {
    Opened: "The connections that were opened", Messages: "Received and sent",
    Bytes: "Of the connection, compressed, received and sent", Queued: "Bytes that are not written yet",
    Deflate: "Bytes of the messages divided by those of the connection, which has a handshake and headers too",
  };
  return element("div.head.socket", { role: "row" }, ...columns.map((text) => (
    element("span", { role: "columnheader", text, title: titles[text] }))));
}

function makeRow() {
  const names = ["side", "state", "opened", "messages", "size", "queued", "trip", "deflate", "end"];
  return element("div.socket", {},
    element("span.name", { role: "gridcell" }, element("bdi"), element("span.badge", { text: "↻", title: "Reconnects", role: "img", "aria-label": "Reconnects", hidden: true })),
    ...names.map((name) => element(`span.${name}`, { role: "gridcell" })));
}
