"""The programs whose pages are tested. Each starts when a test needs it, and ends with the tests."""

import os
import pathlib
import re
import signal
import subprocess
import threading
import time

BINARIES = pathlib.Path(os.environ["BINARIES"])
COMMANDS = {
    "dashboard": ["dashboard", "--plain", "--inspect", "--seconds", "900"],
    "chat": ["chat", "--inspect"],
    "clock": ["inspected-clock"],
    "tasks": ["tasks", "--plain", "--inspect", "--tasks", "5"],
    **{mode: ["inspected", mode] for mode in ("million", "hostile", "many", "acting", "sockets", "recordings")},
}


class Program:
    """A running program. `url` is that of its page."""

    def __init__(self, name):
        self.name = name
        self.lines = []
        command = COMMANDS[name]
        self.process = subprocess.Popen(
            [BINARIES / command[0], *command[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace")
        threading.Thread(target=self._read, daemon=True).start()
        self.url = self.wait(r"Inspector: (http://\S+)")

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip())

    def wait(self, pattern, seconds=120):
        """Waits for a line, and returns its group, or the line."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for line in list(self.lines):
                if match := re.search(pattern, line):
                    return match.group(match.lastindex or 0)
            if self.process.poll() is not None and not re.search(pattern, "\n".join(self.lines)):
                break
            time.sleep(0.05)
        raise AssertionError(f"{self.name} did not print {pattern}: {self.lines[-5:]}")

    def write(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()


_running = {}


def program(name):
    """The program of this name, which all tests share."""
    if name not in _running:
        _running[name] = Program(name)
    return _running[name]


def end_all():
    for running in _running.values():
        running.end()
