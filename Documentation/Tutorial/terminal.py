"""Runs programs, and draws what they print as pictures of a terminal.

    terminal.py SVG TITLE PROMPT COMMAND...

Each line has the second at which it was printed. The picture follows the reader's light or dark mode.
"""

import html
import os
import pty
import re
import subprocess
import sys
import time

WIDTH, LINE, TOP, LEFT = 720, 21, 74, 18

STYLE = """
  .window { fill: #ffffff; stroke: #d3d7de; } .bar { fill: #f0f2f5; }
  text { font: 14px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }
  .out { fill: #1c2128; } .prompt { fill: #0b5cad; } .weak { fill: #57606a; } .good { fill: #1a6b2d; }
  @media (prefers-color-scheme: dark) {
    .window { fill: #14171c; stroke: #39414d; } .bar { fill: #1e232b; }
    .out { fill: #e4e8ee; } .prompt { fill: #79b8ff; } .weak { fill: #a3adba; } .good { fill: #7ee08f; }
  }
"""


def run(command):
    """The lines that a program prints, each with the second at which it does."""
    began = time.monotonic()
    # A program that prints to a terminal does not keep its lines until it ends.
    terminal, output = pty.openpty()
    with subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL) as process:
        os.close(output)
        lines = []
        try:
            for line in open(terminal, encoding="utf-8"):
                lines.append((round(time.monotonic() - began), line.rstrip()))
        except OSError:  # Linux reports the end of a terminal as an error.
            pass
    if process.returncode != 0:
        sys.exit(f"{command} failed")
    return lines


def of_tests(lines):
    """What the run of tests has printed about the tests themselves, without names of suites."""
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for _, line in lines]
    return [(None, line) for line in plain if re.match(r"^(✔ Test |✘)", line)]


def draw(title, prompt, lines):
    height = TOP + LINE * len(lines) + 6
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{html.escape(title)}">',
        f"<style>{STYLE}</style>",
        f'<rect class="window" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>',
        f'<path class="bar" d="M1 30V9a8 8 0 0 1 8-8H{WIDTH - 9}a8 8 0 0 1 8 8V30Z"/>',
        f'<text class="weak" x="{WIDTH / 2}" y="20" text-anchor="middle">{html.escape(title)}</text>',
        f'<text class="prompt" x="{LEFT}" y="53">$ {html.escape(prompt)}</text>',
    ]
    for number, (second, line) in enumerate(lines):
        y = TOP + LINE * number
        kind = "out good" if line.startswith("✔") else "out"
        parts.append(f'<text class="{kind}" x="{LEFT}" y="{y}">{html.escape(line, quote=False)}</text>')
        if second is not None:
            parts.append(f'<text class="weak" x="{WIDTH - LEFT}" y="{y}" text-anchor="end">{second} s</text>')
    return "\n".join(parts + ["</svg>", ""])


def main():
    target, title, prompt, *command = sys.argv[1:]
    lines = run(command)
    with open(target, "w", encoding="utf-8") as file:
        file.write(draw(title, prompt, of_tests(lines) if "test" in command else lines))


if __name__ == "__main__":
    main()
