#!/usr/bin/env python3
"""Puts bugs back that this package has had, and shows which of them the simulation finds.

    Tests/Simulate/Faults/run.py                 all faults, 10 minutes for each at most
    Tests/Simulate/Faults/run.py 3 17 --minutes 2

Copies the package to .build-faults/package, where each fault waits behind a switch, builds `simulate` there once,
checks that it finds nothing without a fault, and runs it for each fault until the first finding. Prints a table in
Markdown; the smallest stories are in .build-faults/stories.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from faults import FAULTS  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
WORK = ROOT / ".build-faults"
PACKAGE = WORK / "package"
STORIES = WORK / "stories"

SWITCH = """\
#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The fault that is put back.
@usableFromInline package enum PlantedFault {
  /// The number of the fault; 0 for none.
  @usableFromInline package static let number = getenv("PLANTED_FAULT").flatMap { Int32(atoi($0)) } ?? 0
}
"""


def write(path, text):
    """Writes a file unless it has this text: what is unchanged is not built again."""
    if not path.exists() or path.read_bytes() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def copy_package():
    """Copies the tracked files with all faults; ends the program when a fault does not fit."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True)
    names = [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).exists()]
    links = {name: os.readlink(ROOT / name) for name in names if (ROOT / name).is_symlink()}
    texts = {name: (ROOT / name).read_bytes() for name in names if name not in links}
    for fault in FAULTS:
        for file, old, new in fault.replacements:
            count = texts.get(file, b"").count(old.encode())
            if count != 1:
                sys.exit(f"fault {fault.number} does not fit: this is {count} times in {file}:\n{old}")
            texts[file] = texts[file].replace(old.encode(), new.encode())
    texts["Sources/Reactive/PlantedFault.swift"] = SWITCH.encode()
    for name, text in texts.items():
        write(PACKAGE / name, text)
    for name, target in links.items():
        path = PACKAGE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_symlink():
            path.symlink_to(target)
    # What was removed since the last copy.
    for folder in ["Sources", "Tests/Simulate", "Examples"]:
        for path in (PACKAGE / folder).rglob("*"):
            name = str(path.relative_to(PACKAGE))
            if (path.is_file() or path.is_symlink()) and name not in texts and name not in links:
                path.unlink()


def build():
    command = ["swift", "build", "-c", "release", "--product", "simulate"]
    if subprocess.run(command, cwd=PACKAGE).returncode != 0:
        sys.exit("The copy with all faults does not build.")


def search(number, arguments, seconds):
    """Runs the search with a fault; returns its output, its exit status and its seconds."""
    command = [str(PACKAGE / ".build/release/simulate"), *arguments]
    start = time.monotonic()
    process = subprocess.Popen(
        command, env={**os.environ, "PLANTED_FAULT": str(number)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        # The smallest story may take another minute.
        output, _ = process.communicate(timeout=seconds + 180)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
    return output, process.returncode, time.monotonic() - start


def run(fault, minutes):
    """Searches for a fault; returns whether it was found, and its row of the table."""
    apps = [part for app in fault.apps for part in ("--app", app)]
    arguments = [*apps, *fault.arguments, "--seeds", "1...1000000", "--minutes", str(minutes), "--first"]
    output, status, seconds = search(fault.number, arguments, minutes * 60)
    row = [str(fault.number), fault.what, fault.mended]
    story = re.search(
        r"^-- (\w+), found after ([0-9.]+) s\nSeed (\d+): (.*)\n((?:  .*\n|Not ended:\n)*)", output, re.MULTILINE)
    (STORIES / f"{fault.number}.txt").write_text(output)
    if story:
        app, seconds, seed, problem, lines = story.groups()
        problem = problem.replace("|", "\\|").replace("`", "'")
        return True, row + [f"{app}: {problem[:120]}", seed, seconds, str(lines.count("\n"))]
    if status not in (0, 1):
        return True, row + [f"the program ends with status {status}", "", f"{seconds:.0f}", ""]
    return False, row + ["not found", "", f"{seconds:.0f}", ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faults", nargs="*", type=int, help="numbers of the faults; all by default")
    parser.add_argument("--minutes", type=float, default=10, help="limit for each fault: 10")
    parser.add_argument("--seeds", default="1...50", help="seeds of each app without a fault: 1...50; 0 for none")
    options = parser.parse_args()
    STORIES.mkdir(parents=True, exist_ok=True)
    copy_package()
    build()
    if options.seeds != "0":
        output, status, seconds = search(0, ["--seeds", options.seeds], 36_000)
        print(output.splitlines()[-1] if output else "", f"({seconds:.0f} s)", file=sys.stderr)
        if status != 0:
            sys.exit(f"Without a fault something is found:\n{output}")
    print("| | what it does wrong | mended by | found by | seed | seconds | lines |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    chosen = [fault for fault in FAULTS if not options.faults or fault.number in options.faults]
    count = 0
    for fault in chosen:
        is_found, row = run(fault, options.minutes)
        count += is_found
        print(f"| {' | '.join(row)} |", flush=True)
    print(f"\n{count} of {len(chosen)} were found.")


main()
