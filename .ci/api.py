#!/usr/bin/env python3
"""The public API of each module as a file, API/MODULE.txt: a change of it is seen in the change's diff.

  .ci/api.py              writes the files
  .ci/api.py --check      fails when one differs from the code, and lists what differs

Each line is a declaration under the type that it belongs to, sorted; the text is that of the compiler. The
build for debugging is read: run `swift build` before. What has changed since the last release, a tag like
1.2.3, is listed with what can break a program: a line that is no longer there, a case that a `switch` lacks,
or a requirement without a default.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Protocols that the compiler adds, by rules of its version.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
MODULES = ["Reactive", "Compose", "Sockets", "ActionCable", "SocketsRedis", "Inspector", "ReactiveTesting"]


def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def graphs(module: str) -> list[dict]:
    """The symbol graphs of a module: its own, and those of its extensions of other modules' types."""
    build = pathlib.Path(output("swift", "build", "--show-bin-path").strip())
    target = json.loads(output("swiftc", "-print-target-info"))["target"]["triple"]
    with tempfile.TemporaryDirectory() as directory:
        output(
            "swift", "symbolgraph-extract", "-module-name", module, "-I", str(build / "Modules"),
            "-Xcc", f"-fmodule-map-file={build}/CReactiveSystem.build/module.modulemap", "-target", target,
            "-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir", directory)
        return [json.loads(path.read_text()) for path in sorted(pathlib.Path(directory).glob("*.symbols.json"))]


def spelling(fragments: list[dict]) -> str:
    return " ".join("".join(fragment["spelling"] for fragment in fragments).split())


def constraints(symbol: dict) -> str:
    """The constraints of the extension that a symbol is in; the declaration has only its own."""
    found = sorted(
        f"{one['lhs']}{' ==' if one['kind'] == 'sameType' else ':'} {one['rhs']}"
        for one in symbol.get("swiftExtension", {}).get("constraints", []))
    return f" [where {', '.join(found)}]" if found else ""


def availability(symbol: dict) -> str:
    marks = []
    for item in symbol.get("availability", []):
        if item.get("isUnconditionallyDeprecated"):
            marks.append("deprecated")
        if item.get("isUnconditionallyUnavailable"):
            marks.append("unavailable")
    return "".join(f"@{mark} " for mark in sorted(set(marks)))


def declarations(module: str) -> list[str]:
    """The lines of a module's file."""
    lines = collections.defaultdict(set)
    for graph in graphs(module):
        symbols = {symbol["identifier"]["precise"]: symbol for symbol in graph["symbols"]}
        relations = collections.defaultdict(set)
        conformances = collections.defaultdict(set)
        for relation in graph["relationships"]:
            relations[relation["kind"]].add(relation["source"])
            if relation["kind"] == "defaultImplementationOf":
                relations["defaulted"].add(relation["target"])
            if relation["kind"] in ("conformsTo", "inheritsFrom"):
                name = symbols.get(relation["target"], {}).get("pathComponents")
                conformances[relation["source"]].add(
                    ".".join(name) if name else relation.get("targetFallback", "").split(".", 1)[-1])
        for precise, symbol in symbols.items():
            if "::SYNTHESIZED::" in precise or symbol["kind"]["identifier"] == "swift.extension":
                continue
            *container, _ = symbol["pathComponents"]
            text = availability(symbol) + spelling(symbol["declarationFragments"]) + constraints(symbol)
            if precise in relations["requirementOf"]:
                default = " with a default" if precise in relations["defaulted"] else ""
                text = f"requirement{default}: {text}"
            parents = sorted(name for name in conformances[precise] if name and name not in IMPLIED)
            if parents:
                text += f" [is {', '.join(parents)}]"
            lines[".".join(container)].add(text)
    return [
        line for container in sorted(lines)
        for line in ([f"in {container}"] if container else ["at the top"]) +
        [f"  {text}" for text in sorted(lines[container])]
    ]


def entries(lines: list[str]) -> set[str]:
    """The declarations, each with the type that it belongs to."""
    found, container = set(), ""
    for line in lines:
        if line.startswith("  "):
            found.add(f"{container}: {line.strip()}")
        else:
            container = line
    return found


def breaks(added: str) -> bool:
    declaration = added.split(": ", 1)[1]
    return declaration.startswith(("case ", "requirement: "))


def report(module: str, before: list[str], now: list[str]) -> bool:
    """Prints what has changed, and returns whether a program may break by it."""
    removed, added = entries(before) - entries(now), entries(now) - entries(before)
    for entry in sorted(removed):
        print(f"{module}: - {entry}")
    for entry in sorted(added):
        print(f"{module}: + {entry}{'   (can break a program)' if breaks(entry) else ''}")
    return bool(removed) or any(map(breaks, added))


def last_release() -> str | None:
    tags = subprocess.run(
        ["git", "describe", "--tags", "--abbrev=0", "--match", "[0-9]*.[0-9]*.[0-9]*"],
        cwd=ROOT, capture_output=True, text=True)
    return tags.stdout.strip() or None


def of_release(release: str, path: str) -> list[str]:
    shown = subprocess.run(["git", "show", f"{release}:{path}"], cwd=ROOT, capture_output=True, text=True)
    return shown.stdout.splitlines()


def main() -> int:
    is_check = "--check" in sys.argv[1:]
    release, status, is_breaking = last_release(), 0, False
    print(f"The last release: {release or 'none yet'}")
    for module in MODULES:
        path = f"API/{module}.txt"
        file = ROOT / path
        now = declarations(module)
        if is_check:
            stored = file.read_text().splitlines() if file.exists() else []
            if stored != now:
                print(f"{path} is not what the code declares; .ci/api.py writes it:")
                report(module, stored, now)
                status = 1
        else:
            file.parent.mkdir(exist_ok=True)
            file.write_text("\n".join(now) + "\n")
        if release:
            is_breaking = report(module, of_release(release, path), now) or is_breaking
        print(f"{module}: {len(entries(now))} declarations")
    if release:
        print(f"Since {release}: " + ("a program may break" if is_breaking else "no program breaks"))
    return status


if __name__ == "__main__":
    sys.exit(main())
