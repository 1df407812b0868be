// Moves the marbles of diagrams, and searches. Pages are complete without it.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
const TICKS_PER_SECOND = 2;

// -- Diagrams

function shape(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// All increasing lists of `count` numbers below `limit`, in the order of the table of answers.
function increasing(count, limit, first = 0) {
  if (count === 0) return [[]];
  const lists = [];
  for (let number = first; number <= limit - count; number++) {
    for (const rest of increasing(count - 1, limit, number + 1)) lists.push([number, ...rest]);
  }
  return lists;
}

function sentence(marble) {
  const seconds = `${marble.tick / TICKS_PER_SECOND} s`;
  if (marble.kind === 0) return `completes at ${seconds}`;
  if (marble.kind === 1) return `fails at ${seconds}`;
  return `${marble.label} at ${seconds}`;
}

class Diagram {
  constructor(figure) {
    const data = JSON.parse(figure.querySelector("script").textContent);
    this.figure = figure;
    this.svg = figure.querySelector("svg");
    this.inputs = data.inputs;
    this.rows = data.rows;
    this.labels = data.labels;
    this.colors = data.colors;
    this.geometry = data.geometry;
    this.answers = data.answers.split(";");
    this.places = this.inputs.map((input) => {
      const lists = increasing(input.seconds.length, input.slots);
      return new Map(lists.map((list, index) => [list.join(), index]));
    });
    this.handles = [...figure.querySelectorAll(".handle")];
    if (this.handles.length === 0) return;
    this.svg.setAttribute("role", "group");
    figure.querySelector(".hint[hidden]").hidden = false;
    for (const handle of this.handles) this.enable(handle);
  }

  enable(handle) {
    const input = Number(handle.dataset.input);
    const index = Number(handle.dataset.index);
    const row = this.inputs[input];
    const drawn = row.seconds[index];
    const move = (second) => {
      const low = index === 0 ? 0 : row.seconds[index - 1] + 1;
      const high = index === row.seconds.length - 1 ? row.slots - 1 : row.seconds[index + 1] - 1;
      const next = Math.min(Math.max(second, low), high);
      if (next === row.seconds[index]) return;
      row.seconds[index] = next;
      show();
      this.showAnswer();
    };
    const show = () => {
      const second = row.seconds[index];
      const shift = (second - drawn) * TICKS_PER_SECOND * this.geometry.tick;
      handle.setAttribute("transform", `translate(${shift} 0)`);
      handle.setAttribute("aria-valuenow", second);
      handle.setAttribute("aria-valuetext", `${second} s`);
    };
    handle.setAttribute("role", "slider");
    handle.setAttribute("tabindex", "0");
    handle.setAttribute("aria-label", `${row.marbles[index]} of ${row.name}`);
    handle.setAttribute("aria-valuemin", 0);
    handle.setAttribute("aria-valuemax", row.slots - 1);
    show();
    handle.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -99, End: 99 };
      if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      move(row.seconds[index] + steps[event.key]);
    });
    handle.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      handle.focus({ preventScroll: true });
      handle.setPointerCapture(event.pointerId);
      handle.classList.add("dragged");
      const drag = (moved) => move(this.second(moved));
      const end = () => {
        handle.classList.remove("dragged");
        handle.removeEventListener("pointermove", drag);
      };
      handle.addEventListener("pointermove", drag);
      handle.addEventListener("lostpointercapture", end, { once: true });
    });
  }

  // The second below the pointer.
  second(event) {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return Math.round((place.x - this.geometry.left) / this.geometry.tick / TICKS_PER_SECOND);
  }

  answer() {
    let number = 0;
    this.inputs.forEach((input, index) => {
      number = number * this.places[index].size + this.places[index].get(input.seconds.join());
    });
    return this.answers[number].split(",").map((row) => {
      const marbles = [];
      for (let at = 0; at < row.length; at += 2) {
        const kind = DIGITS.indexOf(row[at + 1]);
        marbles.push({ tick: DIGITS.indexOf(row[at]), kind, label: this.labels[kind - 2], color: this.colors[kind - 2] });
      }
      return marbles;
    });
  }

  showAnswer() {
    const sentences = this.figure.querySelectorAll(".sentence");
    const answer = this.answer();
    answer.forEach((marbles, row) => {
      this.svg.querySelector(`.answer[data-row="${row}"]`).replaceChildren(...this.marks(marbles, row));
      sentences[row].textContent = marbles.map(sentence).join(", ") || "nothing";
    });
    this.svg.querySelector("desc").textContent =
      answer.map((marbles, row) => `${this.rows[row]}: ${sentences[row].textContent}.`).join(" ");
  }

  marks(marbles, row) {
    const counts = new Map();
    // The end is behind the elements of the same time.
    const ends = marbles.filter(({ kind }) => kind < 2);
    return [...ends, ...marbles.filter(({ kind }) => kind >= 2)].map((marble) => {
      const depth = marble.kind < 2 ? 0 : counts.get(marble.tick) ?? 0;
      if (marble.kind >= 2) counts.set(marble.tick, depth + 1);
      return this.mark(marble, this.geometry.outputs[row] + depth * this.geometry.stack);
    });
  }

  mark({ tick, kind, label, color }, y) {
    const x = this.geometry.left + tick * this.geometry.tick;
    if (kind === 0) return shape("path", { class: "end", d: `M${x} ${y - 21}V${y + 21}` });
    if (kind === 1) {
      const [a, b, c, d] = [x - 9, x + 9, y - 9, y + 9];
      return shape("path", { class: "error", d: `M${a} ${c}L${b} ${d}M${b} ${c}L${a} ${d}` });
    }
    const width = Math.max(30, 8 * [...label].length + 14);
    return shape("g", { class: `marble c${color}` },
      shape("rect", { x: x - Math.floor(width / 2), y: y - 15, width, height: 30, rx: 15 }),
      shape("text", { x, y: y + 5 }, label));
  }
}

for (const figure of document.querySelectorAll("figure.diagram")) figure.diagram = new Diagram(figure);

// -- Search

// The weights of a word by its place in a page: title and other words, summary and headings, text.
const PLACES = [6, 3, 1];
const TEXT = 2;
// Pages that explain are found before types and lists.
const KINDS = { symbol: 0.6, overview: 0.4 };
// Words of questions that say nothing about their subject.
const COMMON = new Set(`an and are as at be between by can difference do does for from has have how in is it its my not of
  on or that the to use using vs what when where which why with without`.split(/\s+/));

// A word without its ending, which is the same for "inject", "injecting" and "injection".
function stem(word) {
  const whole = word.replace(/ification$/, "ify");
  const cut = whole.replace(/(?<=.{4})(ations?|ions?|ings?|ed|es|s|y|ies|e|er|ity)$/, "").replace(/(?<=.{3}[^s])s$/, "");
  return cut.replace(/(?<=..([^s]))\1$/, "");
}

class Search {
  constructor(form) {
    this.field = form.querySelector("input");
    this.list = form.querySelector("ul");
    this.root = document.documentElement.dataset.root;
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.list.querySelector("a")?.click();
    });
    this.field.addEventListener("focus", () => this.load());
    this.field.addEventListener("input", () => this.show());
    form.addEventListener("keydown", (event) => this.press(event));
    form.addEventListener("focusout", (event) => {
      if (!form.contains(event.relatedTarget)) this.list.hidden = true;
    });
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target.closest?.("input, textarea");
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.field.focus();
    });
  }

  // A page of a file system may not fetch a file, but may load a script.
  load() {
    if (this.isLoading) return;
    this.isLoading = true;
    const script = document.createElement("script");
    script.src = `${this.root}search-index.js`;
    script.addEventListener("load", () => {
      this.read(window.searchIndex);
      this.show();
    });
    document.head.append(script);
  }

  press(event) {
    const links = [this.field, ...this.list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "Escape") {
      this.list.hidden = true;
      this.field.focus();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      links[Math.min(Math.max(at + step, 0), links.length - 1)].focus();
    }
  }

  // Reads the index: each word with the pages that have it, and the first of a page's places that does.
  read(index) {
    this.index = index;
    this.lengths = new Uint16Array(index.pages.length);
    this.words = index.words.split("\n").map((line) => {
      const [word, lists] = line.split(" ");
      const places = new Map();
      lists.split(";").forEach((list, place) => {
        for (const page of list ? list.split(",") : []) places.set(parseInt(page, 36), place);
      });
      for (const page of places.keys()) this.lengths[page]++;
      return { word, stem: stem(word), places };
    });
    this.length = this.lengths.reduce((sum, length) => sum + length) / this.lengths.length;
  }

  // The weight of a term for each page that has it, its stem, or a word that begins with it.
  weights(term) {
    const root = stem(term);
    const weights = new Map();
    for (const { word, stem, places } of this.words) {
      const match = word === term ? 1 : stem === root ? 0.9 : word.startsWith(term) ? 0.6 : 0;
      if (match === 0) continue;
      for (const [page, place] of places) {
        // A word of a short text says more about its page than one of a long text.
        const share = place === TEXT ? Math.min((this.length / this.lengths[page]) ** 0.4, 2) : 1;
        const weight = match * PLACES[place] * share;
        weights.set(page, Math.max(weight, weights.get(page) ?? 0));
      }
    }
    return weights;
  }

  // The scores of the pages that have half of the terms, where a rare term counts more than a frequent one.
  relevance(terms) {
    const scores = new Map();
    let total = 0;
    for (const term of terms) {
      const weights = this.weights(term);
      const rarity = Math.log(1 + this.lengths.length / (weights.size + 1));
      total += rarity;
      for (const [page, weight] of weights) {
        const score = scores.get(page) ?? { weight: 0, share: 0 };
        score.weight += rarity * weight;
        score.share += rarity;
        scores.set(page, score);
      }
    }
    for (const [page, { weight, share }] of scores) {
      if (share < total / 2) scores.delete(page);
      else scores.set(page, weight * (share / total) ** 2);
    }
    return scores;
  }

  // The numbers of the pages, the best one first.
  find(query) {
    const text = query.trim().toLowerCase();
    const all = [...new Set(text.match(/[\p{L}\p{N}]+/gu))];
    const telling = all.filter((term) => term.length > 1 && !COMMON.has(term));
    const terms = telling.length > 0 ? telling : all;
    if (terms.length === 0) return [];
    const scores = this.relevance(terms);
    this.index.pages.forEach(([title, , kind, , ...words], page) => {
      const name = title.toLowerCase();
      const base = name.replace(/[^\p{L}\p{N}].*/u, "");
      let bonus = 0;
      if (name === text) bonus = 400;
      else if (base === text) bonus = 300;
      else if (name.startsWith(text)) bonus = 200;
      else if (words.some((word) => word.startsWith(text))) bonus = 150;
      else if (terms.every((term) => name.includes(term))) bonus = 50;
      if (bonus === 0 && !scores.has(page)) return;
      scores.set(page, (KINDS[kind] ?? 1) * ((scores.get(page) ?? 0) + bonus));
    });
    return [...scores.keys()].sort((a, b) => scores.get(b) - scores.get(a) || a - b).slice(0, 20);
  }

  show() {
    if (!this.index) return;
    const pages = this.find(this.field.value);
    this.list.replaceChildren(...pages.map((page) => {
      const [title, address, kind, summary] = this.index.pages[page];
      const link = document.createElement("a");
      link.href = this.root + address;
      const parts = [["strong", title], ["small", kind], ["span", summary]].map(([name, text]) => {
        const part = document.createElement(name);
        part.textContent = text;
        return part;
      });
      link.append(...parts.flatMap((part) => [part, " "]));
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
    if (pages.length === 0 && this.field.value.trim() !== "") {
      const item = document.createElement("li");
      item.textContent = "No page has these words.";
      this.list.append(item);
    }
    this.list.hidden = this.list.children.length === 0;
  }
}

for (const form of document.querySelectorAll("form.search")) new Search(form);
