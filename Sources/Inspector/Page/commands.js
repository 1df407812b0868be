// Commands for a terminal, which connect to the URL of a socket.

/** Returns whether a name is a URL that a command can connect to: one without spaces and control characters. */
export function isAddress(name) {
  return /^wss?:\/\/[^\s\p{C}]+$/u.test(name);
}

/** Returns a command that prints the messages of a URL and sends what is typed. */
export function pythonCommand(url) {
  return `python3 -m websockets ${quoted(url)}`;
}

/** Returns a command that shows the answer to the handshake, and the frames that follow. */
export function curlCommand(url) {
  const key = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
  const headers = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", `Sec-WebSocket-Key: ${key}`];
  const target = url.replace(/^ws/, "http");
  // An upgrade is that of HTTP/1.1. Brackets in the URL are not patterns.
  return `curl -i -N --http1.1 --globoff ${headers.map((header) => `-H ${quoted(header)}`).join(" ")} ${quoted(target)}`;
}

// In single quotes a shell replaces nothing.
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
