// Builds elements. Texts of the program only ever become text nodes.

/** Creates an element: `element("button.small", { text: "Send", onclick: send }, ...children)`. */
export function element(name, properties = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const result = document.createElement(tag);
  if (classes.length > 0) result.className = classes.join(" ");
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key === "text") result.textContent = value;
    else if (key.startsWith("on")) result.addEventListener(key.slice(2), value);
    else if (value === true) result.setAttribute(key, "");
    else if (value !== false) result.setAttribute(key, value);
  }
  result.append(...children.filter((child) => child !== null && child !== undefined));
  return result;
}

/** Creates a button. */
export function button(text, properties, action) {
  return element("button", { type: "button", text, ...properties, onclick: action });
}

/** Creates a button that is on or off, and calls `change` with its new value. */
export function toggle(text, isOn, properties, change) {
  const result = button(text, { "aria-pressed": String(isOn), ...properties }, () => {
    const value = result.getAttribute("aria-pressed") !== "true";
    press(result, value);
    change(value);
  });
  return result;
}

/** Shows a toggle as on or off, without calling its `change`. */
export function press(toggle, isOn) {
  toggle.setAttribute("aria-pressed", String(isOn));
}

/** Returns a function that calls `action` once no call was made for `delay` milliseconds. */
export function debounced(delay, action) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), delay);
  };
}

/**
 * Returns a function that has a screen reader read a text, a second after the last call, or later while the text is null.
 * For texts that change all the time: a live region of their own would be read without an end.
 */
export function announcing(text) {
  const announce = debounced(1000, () => {
    const found = text();
    if (found === null) announce();
    else document.getElementById("announcement").textContent = found;
  });
  return announce;
}

/** Returns a function that runs an asynchronous action one at a time; only the last waiting call is kept. */
export function latest(action) {
  let isRunning = false;
  let waiting = null;
  return async function run(...values) {
    waiting = values;
    if (isRunning) return;
    isRunning = true;
    while (waiting !== null) {
      const next = waiting;
      waiting = null;
      try {
        await action(...next);
      } catch (error) {
        console.warn(error);
      }
    }
    isRunning = false;
  };
}

/** Runs an action, and shows in an element that it runs when it takes longer than most. */
export async function working(target, text, action) {
  const timer = setTimeout(() => {
    target.className = "muted";
    target.replaceChildren(`${text} `, element("progress", { "aria-hidden": "true" }));
  }, 200);
  try {
    return await action();
  } finally {
    clearTimeout(timer);
  }
}

/** Copies a text, and shows on the button whether it worked. */
export async function copy(text, button) {
  let isCopied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea.offscreen", { "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    isCopied = document.execCommand("copy");
    area.remove();
    button.focus();
  }
  const before = button.dataset.label ?? button.textContent;
  button.dataset.label = before;
  button.textContent = isCopied ? "Copied" : "Not copied";
  setTimeout(() => (button.textContent = before), 1200);
}
