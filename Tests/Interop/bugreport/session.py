"""Plays the session of the article "The perfect bug report", and compares what it shows with what happens.

usage: session.py ARTICLE PACKAGE SCRATCH INSPECT

Runs the commands of the article's console blocks in PACKAGE, which is built in SCRATCH. Each line that the article shows
below a command must be in the command's output, in the same order: `…` stands for a part of a line, `...` for lines.
Numbers, ids and times may differ; later commands use those of this run. The Swift block must be the exported test, and the
diff block is applied. Prints each check; the exit status is the result.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

article, package, scratch, inspect = (pathlib.Path(path).resolve() for path in sys.argv[1:])
MEND = pathlib.Path("Sources/tasks/TaskList.swift")
TOKEN = re.compile(
    r"http://\S+"
    r"|[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}"
    r"|\d+(?:\.\d+)?")

# The numbers and ids of the article with those of this run.
known = {}
environment = dict(os.environ, NO_COLOR="1")


def check(what, found, context=""):
    if not found:
        print(f"FAILED: {what}\n{context}")
        raise SystemExit(1)
    print(f"ok: {what}", flush=True)


def words(line):
    """The line with single spaces: columns have other widths."""
    return " ".join(line.split())


def learn(shown, actual):
    """Whether the line of the article is the actual one, but for its numbers; these are noted."""
    pattern, tokens, end = "", [], 0
    for match in TOKEN.finditer(shown):
        pattern += re.escape(shown[end:match.start()]) + f"({TOKEN.pattern})"
        tokens.append(match.group())
        end = match.end()
    pattern = (pattern + re.escape(shown[end:])).replace("…", ".*")
    found = re.fullmatch(pattern, actual)
    if found:
        known.update(zip(tokens, found.groups()))
    return found is not None


def compare(what, shown, output):
    actual = iter([words(line) for line in output.splitlines()])
    for line in map(words, shown):
        if line and line != "...":
            check(f"{what}: {line}", any(learn(line, other) for other in actual), output)


def blocks(text):
    return [(kind, body.rstrip("\n")) for kind, body in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S)]


def commands(block):
    """The commands of a console block, each with the lines below it."""
    found = []
    for line in block.replace("\\\n", " ").split("\n"):
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


class Program:
    """The program with the fault, and what it prints."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, shell=True, cwd=package, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, start_new_session=True)
        self.output = ""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.output += line

    def wait(self, text):
        end = time.monotonic() + 60
        while text not in self.output and time.monotonic() < end and self.process.poll() is None:
            time.sleep(0.05)
        check("the program prints its last line", text in self.output, self.output)

    def interrupt(self):
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=30)


def run(command):
    """The status and the output of a command, with the numbers and ids of this run."""
    command = TOKEN.sub(lambda match: known.get(match.group(), match.group()), command)
    command = command.replace("swift run inspect", f"'{inspect}'")
    command = command.replace("swift test", f"swift test --package-path . --scratch-path '{scratch}'")
    result = subprocess.run(
        command, shell=True, cwd=package, env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=900)
    return result.returncode, result.stdout


def mend(diff):
    """Applies the article's diff, whose lines are the only ones like them."""
    lines = diff.split("\n")
    old, new = ("\n".join(line[1:] for line in lines if line[0] == sign) for sign in "-+")
    source = (package / MEND).read_text()
    check("the article shows the fault", source.count(old) == 1, source)
    (package / MEND).write_text(source.replace(old, new))
    check("and its mend is the source of the example",
          (package / MEND).read_text() == (article.parents[3] / "Examples/tasks" / MEND.name).read_text())


def play(program_command, rest):
    program = Program(program_command[0].replace("swift run tasks", f"exec '{scratch}/debug/tasks'"))
    try:
        program.wait(program_command[1][-1])
        compare("tasks", program_command[1], program.output)
        environment["URL"] = re.search(r"Inspector: (\S+)", program.output).group(1)
        is_mended = False
        for kind, body in rest:
            if kind == "diff":
                mend(body)
                is_mended = True
            elif kind == "swift":
                compare("the test", body.split("\n"), max((package / "Tests/TasksTests").glob("*.swift")).read_text())
            elif kind == "console":
                for command, shown in commands(body):
                    status, output = run(command)
                    is_test = command.startswith("swift test")
                    check(f"$ {words(command)}: exit status {status}", (status == 0) != (is_test and not is_mended), output)
                    compare("it prints", shown, output)
        check("the fault was mended", is_mended)
        check("Ctrl-C stops the inspector and ends the program", program.interrupt() == 0, program.output)
    finally:
        if program.process.poll() is None:
            os.killpg(program.process.pid, signal.SIGKILL)


found = blocks(article.read_text())
check("the article begins with the program", found[0][0] == "console")
play(commands(found[0][1])[0], found[1:])
