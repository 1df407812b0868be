// A client of the protocol: JSON-RPC 2.0 over a WebSocket that reconnects while the program may still be there.

const version = 1;
const mostBytes = 1 << 20; // Of a request.
const mostAttempts = 3;

/** An error that the server answered, or the lack of a connection (code 0). */
export class RequestError extends Error {
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/**
 * Emits `status` when its state changes: to `open`, to `lost` while it connects again, to `ended` when the program is gone
 * for good, or to `refused`. Emits `open` after each `hello`, and notifications under their method.
 */
export class Connection extends EventTarget {
  state = "connecting";
  hello = null;
  #url;
  #socket = null;
  #lastID = 0;
  #pending = new Map();
  #subscriptions = new Map();
  #attempt = 0;

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
    socket.onopen = () => this.#greet();
    socket.onmessage = (message) => this.#receive(message.data);
    socket.onclose = (close) => this.#closed(close);
  }

  /** Sends a request and returns its result. */
  request(method, params = {}) {
    if (this.#socket?.readyState !== WebSocket.OPEN) {
      return Promise.reject(new RequestError({ code: 0, message: "The program is not connected." }));
    }
    const id = ++this.#lastID;
    const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    // The program would close the connection of a much longer one.
    if (new Blob([text]).size > mostBytes) {
      return Promise.reject(new RequestError({ code: 0, message: "The request has more than 1 MiB." }));
    }
    this.#socket.send(text);
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
      this.#set("refused", { reason: error.message });
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
      // The program could not read which request it is.
      else if (message.error) this.#rejectAll(message.error);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.error) pending?.reject(new RequestError(message.error));
    else pending?.resolve(message.result);
  }

  #closed(close) {
    this.#rejectAll({ code: 0, message: "The connection is lost." });
    if (this.state === "refused") return;
    // An inspector that stops closes with 1001, "going away". A program that has ended otherwise refuses further
    // connections. Its next start has another secret, and so has another program behind the same port.
    if (close.code === 1001 || close.code === 1000 || this.#attempt >= mostAttempts) return this.#set("ended");
    this.#set("lost");
    setTimeout(() => this.connect(), 250 * 2 ** this.#attempt++);
  }

  #rejectAll(error) {
    for (const { reject } of this.#pending.values()) reject(new RequestError(error));
    this.#pending.clear();
  }

  #set(state, detail = {}) {
    this.state = state;
    this.dispatchEvent(new CustomEvent("status", { detail: { state, ...detail } }));
  }
}
