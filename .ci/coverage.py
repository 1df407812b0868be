#!/usr/bin/env python3
"""The lines of the sources that the tests run, by module, and the others with the reasons for them.

  .ci/run build tests redis   builds with counters, and runs the tests
  .ci/coverage.py             reports what they counted
  .ci/coverage.py --list      the same, with each line that no test runs

It fails when a module is below the goal, and when a line in a `Protocol/` folder is neither run nor listed
in Tests/Coverage.md. A row there names a file, the text of the first line of a range that is not run, or
`all`, and the reason; its lines are not counted. A row that matches nothing fails too.

Not counted are:
- the lines of `preconditionFailure` and `fatalError`: a test that runs them ends its process, which then
  writes no counts
- a line that only closes a block and follows a line that is run, such as the end of an endless loop
- what programs run that a test kills
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNTS = ROOT / ".build/coverage"
LIST = ROOT / "Tests/Coverage.md"
GOAL = 95.0
TRAP = re.compile(r"\b(preconditionFailure|fatalError)\(")


@dataclass
class Range:
    """Consecutive lines that no test runs."""
    file: str
    first: int
    last: int
    text: str

    def __str__(self) -> str:
        lines = f"{self.first}" if self.first == self.last else f"{self.first}-{self.last}"
        return f"{self.file}:{lines}: {self.text}"


@dataclass
class Reason:
    """A row of the list."""
    file: str
    text: str
    why: str
    matches: int = 0

    def covers(self, one: Range) -> bool:
        """A row with the text of a line is for one range, so that a new one with the same line is seen."""
        return self.text == "all" or (self.text == one.text and self.matches == 0)


def run(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def counts() -> dict[str, dict[int, int]]:
    """How often each line that has code was run, by file."""
    products = pathlib.Path(run("swift", "build", "--show-bin-path").strip())
    binary = next(products.glob("*PackageTests.xctest"))
    # Those of the toolchain: others may not read its counters.
    tools = pathlib.Path(shutil.which("swift") or "swift").resolve().parent
    counters = [str(file) for file in COUNTS.glob("*.profraw")]
    run(f"{tools}/llvm-profdata", "merge", "-sparse", "-o", f"{COUNTS}/all.profdata", *counters)
    report = run(f"{tools}/llvm-cov", "export", "-format=lcov", f"-instr-profile={COUNTS}/all.profdata", str(binary))
    found: dict[str, dict[int, int]] = collections.defaultdict(dict)
    file = None
    for line in report.splitlines():
        kind, _, value = line.partition(":")
        if kind == "SF":
            path = pathlib.Path(value)
            file = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT / "Sources") else None
        elif kind == "DA" and file:
            number, count = map(int, value.split(",")[:2])
            # A generic function has counts for each specialisation.
            found[file][number] = found[file].get(number, 0) + count
    return found


def without_traps(lines: list[str], counted: dict[int, int]) -> dict[int, int]:
    """The same without the lines of calls that end the process."""
    left = dict(counted)
    for number in counted:
        if TRAP.search(lines[number - 1]):
            depth, at = 0, number
            while at <= len(lines):
                depth += lines[at - 1].count("(") - lines[at - 1].count(")")
                left.pop(at, None)
                if depth <= 0:
                    break
                at += 1
    return left


def ranges(file: str, lines: list[str], counted: dict[int, int]) -> list[Range]:
    found: list[Range] = []
    for number in sorted(counted):
        if counted[number] > 0:
            continue
        between = range(found[-1].last + 1, number) if found else ()
        if found and not any(counted.get(at, 0) > 0 for at in between) and number - found[-1].last < 4:
            found[-1].last = number
        elif lines[number - 1].strip() not in ("}", "})", "} else {"):
            found.append(Range(file, number, number, lines[number - 1].strip()))
    return found


def reasons() -> list[Reason]:
    rows = [line for line in LIST.read_text().splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]
    return [Reason(file.strip("`"), text.strip("`").replace("\\|", "|"), why) for file, text, why in cells]


def main() -> int:
    if not list(COUNTS.glob("*.profraw")):
        print("Nothing was counted: run .ci/run build tests redis first.")
        return 1
    listed, found = reasons(), counts()
    modules: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    unlisted: list[Range] = []
    for file, counted in sorted(found.items()):
        lines = (ROOT / file).read_text().splitlines()
        counted = without_traps(lines, counted)
        missing = 0
        for one in ranges(file, lines, counted):
            row = next((row for row in listed if row.file == file and row.covers(one)), None)
            if row:
                row.matches += 1
            else:
                unlisted.append(one)
                missing += sum(counted[at] == 0 for at in range(one.first, one.last + 1) if at in counted)
        module = file.split("/")[1]
        names = [module] + ([f"{module}/Protocol"] if f"{module}/Protocol/" in file else [])
        for name in names:
            run_lines = sum(count > 0 for count in counted.values())
            modules[name][0] += run_lines
            modules[name][1] += run_lines + missing
    failed = False
    for name, (run_lines, all_lines) in sorted(modules.items()):
        share = 100 * run_lines / all_lines
        goal = 0 if name.endswith("/Protocol") else GOAL
        failed |= share < goal
        note = f"   below {goal} %" if share < goal else ""
        print(f"{name:24} {share:6.2f} % of {all_lines:6} lines{note}")
    protocol = [one for one in unlisted if "/Protocol/" in one.file]
    for one in unlisted if "--list" in sys.argv[1:] else protocol:
        print(f"not run: {one}")
    for row in listed:
        if row.matches == 0:
            print(f"{LIST.name}: nothing matches {row.file}: {row.text}")
            failed = True
    print(f"{len(unlisted)} ranges of lines are not run and not listed, {len(protocol)} of them in Protocol/")
    return 1 if failed or protocol else 0


if __name__ == "__main__":
    sys.exit(main())
