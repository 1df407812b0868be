// The state of the connection, and what is known of the program.

import { write } from "./text.js";

/** Shows the connection in the header, and in a banner while there is none. */
export function startStatus(connection) {
  const label = document.getElementById("connection");
  const banner = document.getElementById("banner");
  let timer = 0;

  connection.addEventListener("status", ({ detail }) => {
    const { state } = detail;
    label.textContent = state === "open" ? "connected" : state;
    label.dataset.state = state;
    clearInterval(timer);
    banner.hidden = state === "open" || state === "connecting";
    if (state === "open") return greet(connection.hello);
    if (state === "incompatible") {
      const theirs = detail.data?.version ?? "another version";
      write(banner, `The program speaks version ${theirs} of the protocol, this page version 1. `
        + "Reload the page from the program.");
      return;
    }
    const reason = state === "ended" ? "The program has ended, or its inspector has stopped." : "The connection is lost.";
    const next = Date.now() + (detail.delay ?? 0);
    const count = () => {
      const seconds = Math.max(0, Math.ceil((next - Date.now()) / 1000));
      const attempt = seconds > 0 ? `Next attempt in ${seconds} s.` : "Connecting…";
      banner.textContent = `${reason} ${attempt} What is shown is the last that was received.`;
    };
    count();
    timer = setInterval(count, 1000);
  });
}

function greet(hello) {
  write(document.getElementById("program"), hello.program, 80);
  document.getElementById("process").textContent = `process ${hello.process}`;
  document.title = `${hello.program.slice(0, 60)} – Inspector`;
}
