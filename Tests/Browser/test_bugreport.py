"""The steps 2 and 4 of the article "The perfect bug report", on the page."""

from browser import Failure
from programs import program
from test_layout import check

NODES = "#state-tree .node"


def open_tasks(browser):
    tasks = program("tasks")
    tasks.wait("The inspector runs until")
    browser.open(tasks.url)


def expand(browser, end):
    """Opens the node whose path has this end, and returns the path."""
    selector = f'{NODES}[data-path$="{end}"]'
    path = browser.until(f"the node {end}", lambda: browser.attribute(selector, "data-path"))

    def is_open():
        return browser.attribute(selector, "aria-expanded") == "true"

    def click():
        # The tree may be drawn anew between finding the node and clicking it.
        browser.click(selector)
        try:
            return browser.until("the click's effect", is_open, seconds=3)
        except Failure:
            return False

    browser.until(f"the open node {end}", lambda: is_open() or click())
    return path


def choose_wrong_value(browser):
    """Goes to the step that has done a task, and chooses the value in its state."""
    open_tasks(browser)
    browser.type("#steps-search", "isDone: false → true")
    browser.click_row("#steps-list .row[data-event]", "isDone: false → true")
    browser.until("the change", lambda: "isDone" in browser.text("#detail"))
    browser.click("#detail-state")
    item = browser.until("the task", lambda: browser.run(
        r"return /items\[id: ([0-9A-F-]{36})\]\.isDone/.exec(document.querySelector('#detail').textContent)?.[1]"))
    browser.until("the state", lambda: browser.all(NODES))
    path = ""
    for end in ("sync", "sync.tasks", "sync.tasks.items", f"sync.tasks.items[id: {item}]"):
        path = expand(browser, end)
    browser.click(f'{NODES}[data-path="{path}.isDone"]')
    browser.until("the value", lambda: browser.value("#right-value") == "true")
    assert browser.attribute("#wrong-path", "title") == f"{path}.isDone", browser.text("#wrong-path")
    return path


def test_article(browser):
    """A wrong value is found, corrected, and expected by a test"""
    path = choose_wrong_value(browser)
    browser.type("#right-value", "fals")
    browser.click("#right-expect")
    browser.until("no JSON", lambda: "The right value is not JSON" in browser.text("#state-error"))
    browser.type("#right-value", "false")
    browser.screenshot("wrong-value")
    browser.click("#right-expect")
    browser.until("the correction", lambda: browser.text("#test-set li") == f"{path}.isDoneshould be false Remove")
    step = browser.value("#range-to")
    assert step and browser.value("#range-from") == step, step
    browser.type("#test-name", "a done task is open")
    browser.type("#test-make", "App(SharedValue(TaskList()))")
    browser.until("the steps", lambda: browser.text("#range-status").endswith(tuple("0123456789")))
    browser.click("#test-create")
    source = browser.until("the test", lambda: "@Test func `a done task is open`()" in (text := browser.text("#test-source")) and text)
    assert "@testable import tasks" in source and "the corrected one" in source, source[:600]
    assert "recording.replay(into: App(SharedValue(TaskList())))" in source, source[-400:]
    assert all(len(line) <= 100 for line in source.splitlines() if line.startswith("  // step")), source[:900]
    browser.screenshot("right-value")
    # Another first step leaves the right value, another last one does not have it.
    browser.type("#range-from", str(int(step) - 1))
    browser.until("the correction with another first step", lambda: browser.text("#test-set li") == f"{path}.isDoneshould be false Remove")
    browser.type("#range-to", str(int(step) - 1))
    browser.until("another step", lambda: f"after step {step}" in browser.text("#test-set"))
    browser.click("#test-create")
    browser.until("the reason", lambda: browser.text("#test-result").startswith(f"The right values belong to step {step}"))
    browser.click("#test-set-step")
    browser.until("the last step", lambda: browser.value("#range-to") == step and browser.text("#test-result") == "")
    browser.click("#test-set button")
    browser.until("no correction", lambda: not browser.is_shown("#test-set"))
    browser.click("#test-create")
    browser.until("the recorded states", lambda: "still returns the recorded states" in browser.text("#test-source"))


def test_layout(browser):
    """A value is corrected in both widths and themes"""
    for scheme in ("light", "dark"):
        for width in (1400, 600):
            browser.size(width)
            browser.theme(scheme)
            choose_wrong_value(browser)
            check(browser, f"{scheme}-{width}-wrong-value")
