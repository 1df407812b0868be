// The state of the connection, and what is known of the program.

import { write } from "./text.js";

/** Shows the connection in the header, and in a banner while there is none. */
export function startStatus(connection) {
  const label = document.getElementById("connection");
  const banner = document.getElementById("banner");

  connection.addEventListener("status", ({ detail }) => {
    const { state } = detail;
    label.textContent = state === "open" ? "connected" : state;
    label.dataset.state = state;
    banner.hidden = state === "open" || state === "connecting";
    if (state === "open") return greet(connection.hello);
    if (state === "refused") return write(banner, `${detail.reason} Reload the page from the program.`);
    const text = state === "lost" ? "The connection is lost. Connecting again…"
      : "The program has ended, or its inspector has stopped. The next start prints a new address: open that one. "
        + "What is shown here is the last that was received.";
    // A screen reader reads each change.
    if (banner.textContent !== text) banner.textContent = text;
  });
}

function greet(hello) {
  write(document.getElementById("program"), hello.program, 80);
  document.getElementById("process").textContent = `process ${hello.process}`;
  document.title = `${hello.program.slice(0, 60)} – Inspector`;
}
