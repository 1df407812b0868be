from programs import program
from selenium.webdriver.common.keys import Keys
from test_layout import check

ROWS = "#streams-list .row[data-stream]"


def open_streams(browser):
    browser.open(program("dashboard").url)
    browser.click("#tab-streams")
    # The first list reads the debug information of the program.
    browser.until("streams", lambda: len(browser.texts(ROWS)) > 3, 60)


def rows(browser):
    """The visible streams as (level, operator, place, number of elements)."""
    return browser.run(f"""
      return [...document.querySelectorAll({ROWS!r})].filter((row) => row.checkVisibility())
        .map((row) => [Number(row.getAttribute("aria-level")), row.querySelector(".label").textContent,
                       row.querySelector(".place").textContent, Number(row.querySelector(".count").textContent.replaceAll(",", ""))])""")


def watch(browser, text):
    """Shows the marbles of the last stream with this text."""
    browser.click_row(ROWS, text)
    browser.until("marbles", lambda: browser.is_shown("#marbles canvas.track-canvas"))


def test_graph(browser):
    """Subscriptions are trees of operators, with their places, counts and last elements"""
    open_streams(browser)
    shown = rows(browser)
    assert shown[0][0] == 1 and max(level for level, *_ in shown) >= 2, shown
    assert any(place.startswith("DashboardComposer.swift:") for _, _, place, _ in shown), shown
    counts = lambda: sum(count for *_, count in rows(browser))
    before = counts()
    browser.until("the counts grow", lambda: counts() > before)
    assert any(browser.texts(f"{ROWS} .last")), "no last element"
    browser.screenshot("streams")


def test_filter(browser):
    """A filter keeps the streams with its text, and the way to them"""
    open_streams(browser)
    browser.type("#streams-search", "connections")
    browser.until("fewer streams", lambda: " of " in browser.text("#streams-status").split(" streams")[0])
    shown = [operator for _, operator, _, _ in rows(browser)]
    assert "connections" in shown and shown[0] == "subscribe", shown
    browser.type("#streams-search", "no such operator")
    browser.until("the hint", lambda: browser.text("#streams-empty") == "No stream matches.")


def test_marbles(browser):
    """A chosen stream has its marbles in time, which the keyboard chooses too"""
    open_streams(browser)
    lively = lambda: max(rows(browser), key=lambda row: row[3])
    name = browser.until("a lively stream", lambda: lively()[1] if lively()[3] > 5 else None)
    watch(browser, name)
    count = lambda: int(browser.attribute("#marbles canvas.track-canvas", "data-count") or 0)
    received = browser.until("elements", lambda: count() if count() > 3 else None, 30)
    browser.screenshot("marbles")
    browser.click("#marbles-pause")
    browser.run("document.querySelector('#marbles canvas.track-canvas').focus()")
    browser.keys(Keys.ARROW_LEFT)
    browser.until("the marble's text", lambda: name in browser.text("#marbles-text"))
    browser.keys(Keys.ESCAPE)
    browser.until("no marbles", lambda: not browser.is_shown("#marbles"))
    return f"{name}: {received} elements"


def test_untraced(browser):
    """A program that does not trace its streams says how to"""
    browser.open(program("acting").url, "#tab=streams")
    browser.until("the hint", lambda: "tracesStreams" in (browser.text("#streams-hint") or ""))
    browser.screenshot("no-streams")


def test_layout(browser):
    """The view of streams fits, in both widths and themes"""
    for scheme in ("light", "dark"):
        for width in (1400, 600):
            browser.size(width)
            browser.theme(scheme)
            open_streams(browser)
            watch(browser, "interval" if any("interval" in text for text in browser.texts(ROWS)) else "map")
            check(browser, f"{scheme}-{width}-streams")
