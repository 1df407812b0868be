// Texts for the figures and the ends of sockets and servers.

const closeCodes = {
  1000: "normal", 1001: "going away", 1002: "protocol error", 1003: "unsupported data", 1005: "no code",
  1006: "without a close frame", 1007: "invalid data", 1008: "policy violation", 1009: "message too big",
  1010: "missing extension", 1011: "internal error", 1012: "service restart", 1013: "try again later",
  1014: "bad gateway", 1015: "TLS failed",
};

const statuses = {
  200: "OK", 301: "moved", 302: "found", 304: "not modified", 400: "bad request", 401: "unauthorized", 403: "forbidden",
  404: "not found", 405: "method not allowed", 408: "timeout", 413: "too large", 426: "upgrade required",
  429: "too many requests", 431: "headers too large", 500: "server error", 501: "not implemented", 503: "unavailable",
};

/** Writes a close code with its meaning: `1001 going away`. */
export function closeText(code) {
  return `${code} ${closeCodes[code] ?? ""}`.trim();
}

/** Writes a status of HTTP with its meaning: `403 forbidden`. */
export function statusText(status) {
  return `${status} ${statuses[status] ?? ""}`.trim();
}

/** Returns how a socket has ended: its close code and its error; for one that reconnects, its last error. */
export function endOf(socket) {
  const code = socket.isLive || socket.closeCode === undefined ? "" : closeText(socket.closeCode);
  return [code, socket.error].filter(Boolean).join(" · ");
}

/** Returns the ratio of the messages' bytes to those of the connection: `2.9×`, or nothing without compression. */
export function ratioText({ extensions, metrics, messageBytesReceived, messageBytesSent }) {
  const wire = (metrics?.bytesReceived ?? 0) + (metrics?.bytesSent ?? 0);
  if (!extensions.includes("permessage-deflate") || wire === 0) return "";
  return `${((messageBytesReceived + messageBytesSent) / wire).toFixed(1)}×`;
}

/** Returns the two directions of a figure: `↓ 80 ↑ 1`. */
export function both(received, sent) {
  return `↓ ${received}  ↑ ${sent}`;
}
