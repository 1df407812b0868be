"""Checks the reports of the suite, and prints them as a table.

    judge.py NUMBER ROLE=INDEX...

NUMBER is how many cases each report has to have. The exit status is 0 when all of them are OK: what
the suite calls NON-STRICT or UNIMPLEMENTED is not. INFORMATIONAL is, where there is no right answer.
"""

import json
import sys

SECTIONS = {
    1: "framing",
    2: "pings and pongs",
    3: "reserved bits",
    4: "opcodes",
    5: "fragmentation",
    6: "UTF-8",
    7: "close",
    9: "limits and performance",
    10: "fragments of the sender's choice",
    12: "permessage-deflate, payloads",
    13: "permessage-deflate, parameters",
}
GOOD = {"OK", "INFORMATIONAL"}


def section(case):
    return int(case.split(".")[0])


def is_good(result):
    return {result["behavior"], result["behaviorClose"]} <= GOOD


number = int(sys.argv[1])
reports, problems = {}, []
for argument in sys.argv[2:]:
    role, path = argument.split("=")
    with open(path) as file:
        # One agent: the testee.
        (cases,) = json.load(file).values()
    reports[role] = cases
    if len(cases) != number:
        problems.append(f"{role}: {len(cases)} cases, not {number}")
    for case, result in cases.items():
        if not is_good(result):
            verdict, close = result["behavior"], result["behaviorClose"]
            problems.append(f"{role} {case}: {verdict}, close {close}")


def row(name, matches):
    """The number of OK cases, of all cases, and the seconds, in each role."""
    cells = []
    for cases in reports.values():
        chosen = [result for case, result in cases.items() if matches(section(case))]
        seconds = sum(result["duration"] for result in chosen) / 1000
        cells.append(f"{sum(map(is_good, chosen))} of {len(chosen)} | {seconds:.1f}")
    return f"| {name} | " + " | ".join(cells) + " |"


print("| section | " + " | ".join(f"{role} | s" for role in reports) + " |")
print("| --- |" + " --- |" * (2 * len(reports)))
ran = {section(case) for cases in reports.values() for case in cases}
for identifier, name in SECTIONS.items():
    if identifier in ran:
        print(row(f"{identifier} {name}", lambda case: case == identifier))
print(row("all", lambda case: True))
print(*problems, sep="\n")
sys.exit(bool(problems))
