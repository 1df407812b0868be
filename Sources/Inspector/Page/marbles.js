// Marble diagrams of the streams that are watched, on one time axis.

import { button, element, toggle } from "./dom.js";
import { clock, duration, integer, visible, write } from "./text.js";

const most = 8;
const mostMarbles = 5000;
const spans = { 5: "5 s", 15: "15 s", 60: "1 min", 300: "5 min" };
const kinds = { next: "element", error: "error", completed: "completed", disposed: "disposed of" };
const edge = 14; // Pixels beside the axis, so that marbles at its ends are whole.
const middle = 14;
const radius = 7;

/** A panel of the watched streams. `onChange` is called when they change. */
export class Marbles {
  #connection;
  #onChange;
  #tracks = new Map();
  #span = 15;
  #pausedAt = null;
  #skipped = 0;
  #isVisible = false;
  #ticking = 0;

  constructor(connection, onChange) {
    this.#connection = connection;
    this.#onChange = onChange;
    this.status = element("span.status.muted", { id: "marbles-status" });
    this.pause = toggle("Pause", false, { id: "marbles-pause" }, (isOn) => {
      this.#pausedAt = isOn ? Date.now() / 1000 : null;
      this.#draw();
    });
    const span = element("select", { id: "marbles-span", "aria-label": "Time shown", onchange: () => {
      this.#span = Number(span.value);
      this.#draw();
    } }, ...Object.entries(spans).map(([value, text]) => element("option", { value, text, selected: value === "15" })));
    this.axis = element("canvas.axis-canvas", { "aria-hidden": "true" });
    this.rows = element("div.tracks", { id: "marbles-tracks" }, this.axis);
    this.text = element("p.marble-text", { id: "marbles-text", role: "status" });
    this.element = element("section.marbles", { id: "marbles", "aria-label": "Marbles", hidden: true },
      element("div.toolbar", {}, element("h2", { text: "Marbles" }), this.pause, element("label", { text: "Time " }, span), this.status,
        element("span.push"), button("×", { class: "close", id: "marbles-close", "aria-label": "Close the marbles", title: "Close (Escape)" },
          () => this.clear())),
      this.rows, this.text);
    connection.on("marbles", (params) => this.#receive(params));
    new ResizeObserver(() => this.#draw()).observe(this.element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  get isEmpty() {
    return this.#tracks.size === 0;
  }

  has(number) {
    return this.#tracks.has(number);
  }

  show(isVisible) {
    this.#isVisible = isVisible;
    this.#schedule();
  }

  showOnly(label) {
    for (const number of [...this.#tracks.keys()]) if (number !== label.number) this.#remove(number);
    if (!this.has(label.number)) this.#add(label);
    this.#changed();
  }

  toggle(label) {
    if (this.has(label.number)) this.#remove(label.number);
    else if (this.#tracks.size < most) this.#add(label);
    this.#changed();
  }

  clear() {
    for (const number of [...this.#tracks.keys()]) this.#remove(number);
    this.#changed();
  }

  /** Watches the streams again, after a reconnect. */
  watchAgain() {
    for (const track of this.#tracks.values()) if (!track.hasEnded) this.#watch(track);
  }

  #add(label) {
    const track = new Track(label, {
      onRemove: () => {
        this.#remove(label.number);
        this.#changed();
      },
      onShow: (marble) => this.#describe(track, marble),
    });
    this.#tracks.set(label.number, track);
    this.axis.before(track.element);
    this.#watch(track);
  }

  async #watch(track) {
    try {
      await this.#connection.request("watch", { stream: track.number });
    } catch (error) {
      track.fail(error.message);
    }
  }

  #remove(number) {
    const track = this.#tracks.get(number);
    this.#tracks.delete(number);
    track.element.remove();
    if (!track.hasEnded) this.#connection.request("unwatch", { stream: number }).catch(() => {});
  }

  #changed() {
    if (this.isEmpty) {
      this.#skipped = 0;
      this.text.textContent = "";
    }
    this.element.hidden = this.isEmpty;
    this.#schedule();
    this.#onChange();
  }

  #schedule() {
    clearInterval(this.#ticking);
    if (!this.#isVisible || this.isEmpty) return;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.#ticking = setInterval(() => this.#pausedAt === null && this.#draw(), isCalm ? 1000 : 100);
    this.#draw();
  }

  #receive({ marbles, skipped }) {
    for (const marble of marbles) this.#tracks.get(marble.stream)?.add(marble);
    this.#skipped += skipped;
    this.status.textContent = this.#skipped > 0 ? `${integer(this.#skipped)} elements were too many to be sent` : "";
  }

  #draw() {
    if (!this.#isVisible || this.isEmpty) return;
    const to = this.#pausedAt ?? Date.now() / 1000;
    const scale = { from: to - this.#span, to };
    const colors = colorsOf(this.element);
    for (const track of this.#tracks.values()) track.draw(scale, colors);
    drawAxis(this.axis, this.#span, colors);
  }

  #describe(track, marble) {
    if (marble === null) return this.text.replaceChildren();
    const kind = marble.kind === "next" ? "" : `${kinds[marble.kind] ?? marble.kind} `;
    this.text.dataset.kind = marble.kind;
    this.text.replaceChildren(element("span.muted", { text: `${clock(marble.time)}  ` }), write(element("bdi.muted"), `${track.name}  `, 60),
      kind, write(element("bdi"), marble.text ?? "", 1000));
    this.#draw();
  }
}

/** The line of one stream. */
class Track {
  hasEnded = false;
  #marbles = [];
  #chosen = null;
  #scale = { from: 0, to: 1 };
  #start = Date.now() / 1000;
  #onShow;

  constructor({ number, name, place }, { onRemove, onShow }) {
    this.number = number;
    this.name = name;
    this.#onShow = onShow;
    const title = visible(`${name} ${place}`, 200);
    this.canvas = element("canvas.track-canvas", {
      tabindex: "0", role: "img", "aria-label": `Marbles of ${title}. The arrow keys choose a marble.`, "data-stream": number,
    });
    this.problem = element("span.error", { hidden: true });
    this.element = element("div.marble-track", {},
      element("div.track-label", {}, write(element("bdi.name"), name, 60), " ", write(element("bdi.muted"), place, 80), this.problem,
        button("×", { class: "close", "aria-label": `Remove ${title}` }, onRemove)),
      this.canvas);
    this.canvas.addEventListener("pointermove", (event) => this.#point(event));
    this.canvas.addEventListener("pointerleave", () => document.activeElement !== this.canvas && this.#choose(null));
    this.canvas.addEventListener("pointerdown", (event) => this.#point(event));
    this.canvas.addEventListener("blur", () => this.#choose(null));
    this.canvas.addEventListener("keydown", (event) => this.#pressed(event));
  }

  add(marble) {
    this.#marbles.push(marble);
    if (this.#marbles.length > mostMarbles * 1.2) this.#marbles.splice(0, this.#marbles.length - mostMarbles);
    if (marble.kind !== "next") this.hasEnded = true;
    this.canvas.dataset.count = this.#marbles.length;
    this.canvas.dataset.last = marble.kind;
  }

  /** Shows why the stream is not watched. */
  fail(text) {
    this.hasEnded = true;
    this.problem.hidden = false;
    write(this.problem, ` ${text}`, 200);
  }

  draw(scale, colors) {
    this.#scale = scale;
    const context = contextOf(this.canvas);
    const width = this.canvas.clientWidth;
    const end = this.hasEnded ? Math.min(scale.to, this.#marbles.at(-1)?.time ?? this.#start) : scale.to;
    const start = Math.max(this.#start, scale.from);
    context.strokeStyle = colors.line;
    context.lineWidth = 2;
    if (end > start) line(context, this.#x(start), middle, this.#x(end), middle);
    const shown = this.#visible();
    let taken = -Infinity;
    shown.forEach((marble, index) => {
      const x = this.#x(marble.time);
      const next = index + 1 < shown.length ? this.#x(shown[index + 1].time) : width;
      if (marble.kind !== "next") return drawEnd(context, marble, x, colors);
      // Of many at one place the first is drawn.
      if (x - taken < 1.5 && marble !== this.#chosen) return;
      taken = x;
      drawElement(context, marble, x, next - x, colors);
    });
    if (this.#chosen !== null) ring(context, this.#x(this.#chosen.time), colors);
  }

  #x(time) {
    const { from, to } = this.#scale;
    return edge + ((time - from) / (to - from)) * (this.canvas.clientWidth - 2 * edge);
  }

  #visible() {
    const { from, to } = this.#scale;
    return this.#marbles.slice(firstFrom(this.#marbles, from)).filter((marble) => marble.time <= to);
  }

  #point(event) {
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    let nearest = null;
    let distance = 12;
    for (const marble of this.#visible()) {
      const away = Math.abs(this.#x(marble.time) - x);
      if (away <= distance) [nearest, distance] = [marble, away];
    }
    if (nearest !== null || document.activeElement !== this.canvas) this.#choose(nearest);
  }

  #choose(marble) {
    if (marble === this.#chosen) return;
    this.#chosen = marble;
    this.#onShow(marble);
  }

  #pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = this.#marbles;
    const index = all.indexOf(this.#chosen);
    const targets = {
      ArrowLeft: index < 0 ? all.length - 1 : Math.max(0, index - 1), ArrowRight: index < 0 ? all.length - 1 : Math.min(all.length - 1, index + 1),
      Home: Math.min(all.length - 1, firstFrom(all, this.#scale.from)), End: all.length - 1,
    };
    if (!(event.key in targets)) return;
    if (all.length > 0) this.#choose(all[targets[event.key]]);
    event.preventDefault();
  }
}

// The index of the first marble that is not before a time.
function firstFrom(marbles, time) {
  let [low, high] = [0, marbles.length];
  while (low < high) {
    const half = (low + high) >> 1;
    if (marbles[half].time < time) low = half + 1;
    else high = half;
  }
  return low;
}

function contextOf(canvas) {
  const ratio = devicePixelRatio || 1;
  const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

function colorsOf(target) {
  const style = getComputedStyle(target);
  const value = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    font: value("mono"), text: value("text"), muted: value("muted"), line: value("muted"), fill: value("chosen"), edge: value("accent"),
    error: value("failed"), completed: value("completed"), disposed: value("muted"),
  };
}

function line(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

function drawElement(context, marble, x, room, colors) {
  context.fillStyle = colors.fill;
  context.strokeStyle = colors.edge;
  context.lineWidth = 1.5;
  context.beginPath();
  context.arc(x, middle, Math.max(2.5, Math.min(radius, room / 2)), 0, 2 * Math.PI);
  context.fill();
  context.stroke();
  const text = visible(marble.text ?? "", 40);
  context.fillStyle = colors.text;
  context.font = `10px ${colors.font}`;
  context.textBaseline = "middle";
  if (text.length <= 2 && room >= 2 * radius) {
    context.textAlign = "center";
    context.fillText(text, x, middle + 0.5);
    return;
  }
  const letters = Math.floor((room - 4) / 6.1);
  if (letters < Math.min(6, text.length)) return;
  context.textAlign = "left";
  context.fillText(text.length > letters ? text.slice(0, letters - 1) + "…" : text, x - radius + 1, middle + radius + 8);
}

function drawEnd(context, marble, x, colors) {
  context.lineWidth = 2.5;
  context.strokeStyle = colors[marble.kind] ?? colors.muted;
  if (marble.kind === "error") {
    line(context, x - 6, middle - 6, x + 6, middle + 6);
    line(context, x - 6, middle + 6, x + 6, middle - 6);
    return;
  }
  if (marble.kind === "disposed") context.setLineDash([3, 3]);
  line(context, x, middle - 10, x, middle + 10);
  context.setLineDash([]);
}

function ring(context, x, colors) {
  context.strokeStyle = colors.edge;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, middle, radius + 3.5, 0, 2 * Math.PI);
  context.stroke();
}

function drawAxis(canvas, span, colors) {
  const context = contextOf(canvas);
  const width = canvas.clientWidth - 2 * edge;
  context.strokeStyle = context.fillStyle = colors.muted;
  context.lineWidth = 1;
  context.font = `10px ${colors.font}`;
  context.textBaseline = "top";
  const parts = 5;
  for (let part = 0; part <= parts; part++) {
    const x = edge + (width * part) / parts;
    line(context, x, 0, x, 4);
    context.textAlign = part === 0 ? "left" : part === parts ? "right" : "center";
    const seconds = span * (1 - part / parts);
    context.fillText(seconds === 0 ? "now" : `−${duration(seconds)}`, part === 0 ? x - edge + 2 : part === parts ? x + edge - 2 : x, 6);
  }
}
