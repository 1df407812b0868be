// Shows texts, times and sizes. The texts come from the program and may hold anything.

// Control characters, and those that change the direction of other text or have no width. The joiners U+200C and U+200D
// are not among them: scripts and emoji need them.
const hidden = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/;
const hiddenAll = new RegExp(`(${hidden.source})`, "g");
const longest = 20000;

const names = ("NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS "
  + "RS US").split(" ");

function codePoint(code) {
  return "U+" + code.toString(16).toUpperCase().padStart(4, "0");
}

function picture(character) {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : codePoint(code);
}

/** Replaces hidden characters by pictures: a line feed becomes `␊`. */
export function visible(text, limit = longest) {
  const start = text.length > limit ? text.slice(0, limit) + "…" : text;
  return hidden.test(start) ? start.replace(hiddenAll, picture) : start;
}

/** Shows a text in an element, with hidden characters as marked names: many fonts lack the pictures. */
export function write(target, text, limit = longest) {
  const start = text.length > limit ? text.slice(0, limit) + "…" : text;
  if (!hidden.test(start)) {
    target.textContent = start;
    return target;
  }
  target.replaceChildren();
  start.split(hiddenAll).forEach((part, index) => {
    if (index % 2 === 0) return target.append(part);
    const mark = document.createElement("span");
    mark.className = "control";
    const code = part.charCodeAt(0);
    mark.textContent = names[code] ?? (code === 0x7f ? "DEL" : codePoint(code));
    target.append(mark);
  });
  return target;
}

/** Shortens UUIDs, which leave no room for what follows: `rows[id: 79CC…].isDone: true → false`. */
export function shortened(text) {
  return text.replace(/\b([\da-f]{4})[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, "$1…");
}

/** Writes a duration: `0.4 ms`, `12.3 s`, `3m 20s`. */
export function duration(seconds) {
  const size = Math.abs(seconds);
  if (size < 0.0000005) return "0";
  if (size < 0.001) return `${Math.round(seconds * 1e6)} µs`;
  if (size < 0.01) return `${(seconds * 1000).toFixed(1)} ms`;
  if (size < 1) return `${Math.round(seconds * 1000)} ms`;
  if (size < 100) return `${seconds.toFixed(1)} s`;
  if (size < 6000) return `${Math.floor(seconds / 60)}m ${Math.floor(size % 60)}s`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** Writes the time from one event to another, whose clock may be behind: `+12.3 s`, `−3m 20s`. */
export function difference(seconds) {
  return (seconds < 0 ? "−" : "+") + duration(Math.abs(seconds));
}

const precise = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });

/** Writes the time of a virtual clock: `1,234.5 s`. */
export function seconds(value) {
  return `${precise.format(value)} s`;
}

/** Writes the time of day with milliseconds. */
export function clock(time) {
  const date = new Date(time * 1000);
  if (Number.isNaN(date.getTime())) return String(time);
  const part = (value, length = 2) => String(value).padStart(length, "0");
  return `${part(date.getHours())}:${part(date.getMinutes())}:${part(date.getSeconds())}.`
    + part(date.getMilliseconds(), 3);
}

/** Writes a date with its time of day. */
export function dateAndTime(time) {
  const date = new Date(time * 1000);
  return Number.isNaN(date.getTime()) ? String(time) : `${date.toLocaleDateString()} ${clock(time)}`;
}

/** Writes a size in bytes. */
export function bytes(size) {
  if (size < 1024) return `${size} B`;
  if (size < 1024 * 1024) return `${(size / 1024).toFixed(1)} KiB`;
  return `${(size / 1024 / 1024).toFixed(1)} MiB`;
}

const grouped = new Intl.NumberFormat("en");

/** Writes an integer with separated groups of digits. */
export function integer(value) {
  return grouped.format(value);
}

/** Writes a number of things: `1 event`, `2 events`. */
export function counted(count, thing) {
  return `${integer(count)} ${thing}${count === 1 ? "" : "s"}`;
}

/** Writes a rate per second. */
export function rate(value) {
  if (!value) return "";
  if (value < 10) return value.toFixed(1);
  return value < 10000 ? String(Math.round(value)) : `${Math.round(value / 1000)}k`;
}
