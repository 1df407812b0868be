// JSON that is read and written without a change of its numbers, and what differs between two values.

const mostChanges = 200;
const mostChildren = 100;
const canKeepNumbers = typeof JSON.rawJSON === "function";

/** Parses JSON. A number with more digits than a double stays as it is, and `JSON.stringify` writes it so. */
export function parse(text) {
  return JSON.parse(text, (key, value, context) => {
    if (typeof value !== "number" || context?.source === undefined || String(value) === context.source) return value;
    return canKeepNumbers ? JSON.rawJSON(context.source) : value;
  });
}

/** Returns JSON on several lines, with sorted keys: `_0` before `_1`. */
export function pretty(value) {
  const sorted = (key, part) => (isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part);
  return JSON.stringify(value, sorted, 2);
}

/** Returns whether this browser would change a number of the text. */
export function losesDigits(text) {
  return !canKeepNumbers && /(?<![\d.eE"])-?\d{16,}/.test(text);
}

/** Returns the changes between two values of JSON, as the protocol has them, and the number of those left out. */
export function differences(old, value) {
  const changes = [];
  let count = 0;
  const add = (path, before, after) => {
    count += 1;
    if (changes.length >= mostChanges) return;
    const change = { path };
    if (before !== undefined) change.old = nodeOf(before);
    if (after !== undefined) change.new = nodeOf(after);
    changes.push(change);
  };
  const compare = (path, before, after) => {
    if (Array.isArray(before) && Array.isArray(after)) {
      for (let index = 0; index < Math.max(before.length, after.length); index++) {
        compare(`${path}[${index}]`, before[index], after[index]);
      }
    } else if (isObject(before) && isObject(after)) {
      for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
        const own = (object) => (Object.hasOwn(object, key) ? object[key] : undefined);
        compare(path === "" ? key : `${path}.${key}`, own(before), own(after));
      }
    } else if (JSON.stringify(before) !== JSON.stringify(after)) {
      add(path, before, after);
    }
  };
  compare("", old, value);
  return { changes, moreChanges: count - changes.length };
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRaw(value);
}

function isRaw(value) {
  return JSON.isRawJSON?.(value) ?? false;
}

// The node of the protocol for a value.
function nodeOf(value) {
  if (value === null) return { kind: "null" };
  if (typeof value === "string") return { kind: "string", text: value };
  if (typeof value === "boolean") return { kind: "bool", text: String(value) };
  if (typeof value === "number" || isRaw(value)) return { kind: "number", text: value.rawJSON ?? String(value) };
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const children = entries.slice(0, mostChildren).map(([name, child]) => ({ name, value: nodeOf(child) }));
  const node = { kind: isList ? "list" : "dictionary", type: "", children };
  if (entries.length > mostChildren) node.count = entries.length;
  return node;
}
