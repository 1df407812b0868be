// A client of the protocol: JSON-RPC 2.0 over a WebSocket that reconnects by itself.

const version = 1;
const incompatible = -32001;

/** An error that the server answered, or the lack of a connection (code 0). */
export class RequestError extends Error {
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Emits `status` when its state changes, `open` after each `hello`, and notifications under their method. */
export class Connection extends EventTarget {
  state = "connecting";
  hello = null;
  #url;
  #socket = null;
  #lastID = 0;
  #pending = new Map();
  #subscriptions = new Map();
  #attempt = 0;
  #hasConnected = false;

  constructor(url) {
    super();
    this.#url = url;
  }

  get isOpen() {
    return this.state === "open";
  }

  connect() {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    this.#hasConnected = false;
    socket.onopen = () => {
      this.#hasConnected = true;
      this.#greet();
    };
    socket.onmessage = (message) => this.#receive(message.data);
    socket.onclose = (close) => this.#closed(close);
  }

  /** Sends a request and returns its result. */
  request(method, params = {}) {
    if (this.#socket?.readyState !== WebSocket.OPEN) {
      return Promise.reject(new RequestError({ code: 0, message: "The program is not connected." }));
    }
    const id = ++this.#lastID;
    this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  /** Subscribes to a view, now and after each reconnect, until `unsubscribe`. */
  subscribe(view, params = {}) {
    this.#subscriptions.set(view, params);
    if (this.isOpen) this.request("subscribe", { view, ...params }).catch(console.warn);
  }

  unsubscribe(view) {
    if (!this.#subscriptions.delete(view) || !this.isOpen) return;
    this.request("unsubscribe", { view }).catch(console.warn);
  }

  /** Calls `handler` with the params of each notification of a method. */
  on(method, handler) {
    this.addEventListener(method, (event) => handler(event.detail));
  }

  async #greet() {
    try {
      this.hello = await this.request("hello", { version });
    } catch (error) {
      if (error.code === 0) return;
      this.#set(error.code === incompatible ? "incompatible" : "lost", { reason: error.message, data: error.data });
      this.#socket.close();
      return;
    }
    this.#attempt = 0;
    this.#set("open");
    for (const [view, params] of this.#subscriptions) this.subscribe(view, params);
    this.dispatchEvent(new Event("open"));
  }

  #receive(data) {
    const message = JSON.parse(data);
    if (message.id === undefined || message.id === null) {
      if (message.method) this.dispatchEvent(new CustomEvent(message.method, { detail: message.params }));
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.error) pending?.reject(new RequestError(message.error));
    else pending?.resolve(message.result);
  }

  #closed(close) {
    for (const { reject } of this.#pending.values()) {
      reject(new RequestError({ code: 0, message: "The connection is lost." }));
    }
    this.#pending.clear();
    if (this.state === "incompatible") return;
    // An inspector that stops closes with 1001, "going away". A program that has ended otherwise refuses the next
    // connection. It may start again.
    const hasEnded = close.code === 1001 || close.code === 1000 || this.state === "ended"
      || (this.state === "lost" && !this.#hasConnected);
    const delay = Math.min(hasEnded ? 5000 : 10000, 250 * 2 ** this.#attempt++);
    this.#set(hasEnded ? "ended" : "lost", { delay });
    setTimeout(() => this.connect(), delay);
  }

  #set(state, detail = {}) {
    this.state = state;
    this.dispatchEvent(new CustomEvent("status", { detail: { state, ...detail } }));
  }
}
