import re

from programs import program
from test_why import send

ROWS = "#effects-list .row[data-outcome]"


def outcomes(browser):
    return browser.run(f"""
      return [...document.querySelectorAll({ROWS!r})].filter((row) => row.checkVisibility()).map((row) => row.dataset.outcome)""")


def test_outcomes(browser):
    """Effects are bars in time, with their outcomes"""
    acting = program("acting")
    browser.open(acting.url)
    for action in ('{"load": {"query": "a"}}', '{"fail": {}}', '{"wait": {}}', '{"cancel": {}}', '{"wait": {}}'):
        send(browser, action)
    browser.click("#tab-effects")
    browser.until("each outcome", lambda: {"completed", "failed", "cancelled", "running"} <= set(outcomes(browser)))
    shown = browser.texts(f"{ROWS} .id")
    assert any("delay" in text for text in shown) and any("run wait" in text for text in shown), shown
    width = "return document.querySelector('#effects-list [data-outcome=running] .bar').getBoundingClientRect().width"
    before = browser.run(width)
    browser.until("the bar grows", lambda: browser.run(width) > before)
    time = lambda: browser.text("#effects-list [data-outcome=running] .time")
    shown = time()
    browser.until("the time grows", lambda: time() != shown)
    browser.screenshot("effects")


def test_ends(browser):
    """The end of an effect has its kind and its id"""
    acting = program("acting")
    browser.open(acting.url)
    for action in ('{"wait": {}}', '{"cancel": {}}'):
        send(browser, action)
    browser.click('[data-kind-filter="ended"]')
    ends = lambda: [text for text in browser.texts("#steps-list .row[data-event] .action") if "run wait" in text]
    browser.until("the end", lambda: any(re.search(r"run wait cancelled by step \d+$", text) for text in ends()))
    browser.click('[data-kind-filter="ended"]')


def test_running(browser):
    """Only running effects are listed, and one shows where it came from"""
    browser.open(program("dashboard").url)
    browser.click("#tab-effects")
    browser.click("#effects-running")
    browser.until("two that run", lambda: outcomes(browser) == ["running", "running"])
    assert "2 running" in browser.text("#effects-status")
    browser.click_row(f"{ROWS} .from", "step")
    browser.until("its origin", lambda: browser.is_shown("#detail-title") and "Step" in browser.text("#detail h2"))
