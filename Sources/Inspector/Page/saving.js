// Files that the user saves and opens.

import { element } from "./dom.js";

/** Saves a text as a file. */
export function save(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = element("a", { href: url, download: fileName(name), hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// A name without what systems do not allow in one.
function fileName(name) {
  return name.replace(/[\p{C}/\\:*?"<>|]+/gu, " ").replace(/\s+/g, " ").trim().slice(0, 80) || "recording";
}
