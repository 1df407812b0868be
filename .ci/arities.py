#!/usr/bin/env python3
"""Writes the overloads of combineLatest and zip for two to eight sources, from one template.

  .ci/arities.py          writes CombineLatest.swift and Zip.swift
  .ci/arities.py --check  fails when one of the files differs from what the template gives

Not a parameter pack: all sources must be of one kind, drivers with drivers and observables with observables.
For a pack that is the requirement `(each Source).SequenceKind == SequenceKind`, which Swift 6.3 refuses
("same-element requirements are not yet supported"). The kind cannot be left out, or an observable that fails
could become a part of a driver.
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "Sources/Reactive/Operators/Combining"
NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}

TEMPLATE = """
  {selector_doc}
  @preconcurrency @inlinable public static func {name}<{types}>(
    {parameters},
    resultSelector: @escaping @Sendable ({types}) throws(SelectorError) -> Element
  ) -> Combined {{
    combining {{
      let s = ({states})
      return {{ try resultSelector({elements}) }}
    }}
  }}

  {tuple_doc}
  @inlinable public static func {name}<{types}>({parameters}) -> Combined where Element == ({types}) {{ {name}({sources}) {{ ({arguments}) }} }}
"""

OPERATORS = {
    "CombineLatest.swift": {
        "name": "combineLatest",
        "state": "latest",
        "selector_doc": """\
  /// Emits the result of `resultSelector` for the latest elements of both sources.
  ///
  /// The first result follows once every source has emitted; each later element makes another one.
  /// Completes when all sources have completed, or when the only running source emits although
  /// another one has completed without an element: no result can follow then. The first error, or
  /// one that `resultSelector` throws, ends the result.
  ///
  ///                      -1------2--|
  ///                      ---a--b------|
  ///     combineLatest(+) ---1a-1b2b---|""",
        "tuple_doc": """\
  /// Emits the latest elements of both sources as a tuple, at each element once both have emitted.""",
        "later_selector_doc":
            "/// Emits the result of `resultSelector` for the latest elements of {} sources, as for two.",
        "later_tuple_doc": "/// Emits the latest elements of {} sources as a tuple, as for two.",
    },
    "Zip.swift": {
        "name": "zip",
        "state": "queue",
        "selector_doc": """\
  /// Emits the result of `resultSelector` for the first elements, then for the second, and so on.
  ///
  /// Elements are queued, without a limit, until each source has emitted its element. Completes
  /// when all sources have completed. The first error, or one that `resultSelector` throws, ends
  /// the result.
  ///
  ///            -1---2------3-|
  ///            ---a--b-|
  ///     zip(+) ---1a-2b------|""",
        "tuple_doc": """\
  /// Emits the first elements as a tuple, then the second ones, and so on.""",
        "later_selector_doc":
            "/// Emits the result of `resultSelector` for the elements of {} sources in step, as for two.",
        "later_tuple_doc": "/// Emits the elements of {} sources in step as tuples, as for two.",
    },
}


def overloads(operator, count):
    types = "ABCDEFGH"[:count]
    names = types.lower()

    def doc(kind):
        if count == 2:
            return operator[f"{kind}_doc"].strip()
        return operator[f"later_{kind}_doc"].format(NUMBERS[count])

    return TEMPLATE.format(
        name=operator["name"],
        selector_doc=doc("selector"),
        tuple_doc=doc("tuple"),
        types=", ".join(types),
        sources=", ".join(names),
        parameters=", ".join(f"_ {name}: some Peer<{name.upper()}>" for name in names),
        states=", ".join(f"$0.{operator['state']}({name})" for name in names),
        elements=", ".join(f"s.{index}()" for index in range(count)),
        arguments=", ".join(f"${index}" for index in range(count)),
    )


def generated(operator):
    text = "// Written by .ci/arities.py from one template for all numbers of sources. Do not edit.\n\n"
    text += "extension CombinableType {"
    text += "".join(overloads(operator, count) for count in range(2, 9)) + "}\n"
    formatter = ["swift", "format", "--configuration", str(ROOT / ".swift-format"), "-"]
    return subprocess.run(formatter, input=text, text=True, capture_output=True, check=True).stdout


def main():
    for file, operator in OPERATORS.items():
        path = FOLDER / file
        text = generated(operator)
        if sys.argv[1:] != ["--check"]:
            path.write_text(text)
        elif path.read_text() != text:
            sys.exit(f"{file} is not what .ci/arities.py writes.")


main()
