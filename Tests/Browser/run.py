"""Runs the tests of the modules test_*.py, all or those whose names have one of the arguments."""

import importlib
import pathlib
import sys

import programs
from runner import run, tests_of

here = pathlib.Path(__file__).parent


def tests():
    for file in sorted(here.glob("test_*.py")):
        for name, test in tests_of(importlib.import_module(file.stem)):
            yield f"{file.stem[5:]}: {name}", test


if __name__ == "__main__":
    try:
        sys.exit(run(tests(), sys.argv[1:]))
    finally:
        programs.end_all()
