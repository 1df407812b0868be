"""Runs tests in one browser, and prints each with its time."""

import pathlib
import signal
import sys
import time
import traceback

from browser import Browser


def tests_of(module):
    """Each test of a module by its name. A test takes the browser; its first line of documentation is its name."""
    for name, value in vars(module).items():
        if name.startswith("test_") and callable(value) and value.__module__ == module.__name__:
            yield value.__doc__.splitlines()[0].rstrip("."), value


def run(tests, words):
    """Runs all tests, or those whose names have one of the words, and returns 1 when one fails."""
    # The time limit ends the browser and the programs too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    failed = []
    started = time.monotonic()
    browser = Browser()
    try:
        for name, test in tests:
            if words and not any(word in name for word in words):
                continue
            began = time.monotonic()
            try:
                # A page of the last test may try to connect to its program, which has ended.
                browser.leave()
                browser.size(1400)
                browser.theme("light")
                browser.console()
                figures = test(browser) or ""
                problems = [line for line in browser.console()
                            if not any(part in line for part in getattr(test, "expected", ()))]
                assert not problems, "\n".join(problems)
                print(f"ok      {name} ({time.monotonic() - began:.1f} s) {figures}", flush=True)
            except Exception as error:  # noqa: BLE001: every problem is a failed test
                failed.append(name)
                print(f"FAILED  {name} ({time.monotonic() - began:.1f} s)", flush=True)
                where = traceback.extract_tb(error.__traceback__)
                at = next((frame for frame in reversed(where) if "test_" in frame.filename), where[-1])
                print(f"        {pathlib.Path(at.filename).name}:{at.lineno} {at.line}\n"
                      f"        {type(error).__name__}: {str(error)[:800]}", flush=True)
                browser.screenshot(f"failed-{len(failed)}")
    finally:
        browser.quit()
    print(f"{len(failed)} failed, {time.monotonic() - started:.0f} s")
    return 1 if failed else 0
