"""Tests the pages of the site as files: nothing is served, and nothing is loaded from a network."""

import pathlib
import sys

from browser import Browser, Keys
from contrast import CONTRASTS
from runner import run, tests_of
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By

SITE = pathlib.Path("Documentation/site").resolve()
OPERATORS = sorted(page.stem for page in SITE.glob("operators/*.html") if page.stem != "index")

# A marble, by its input and its number, the second to which it is dragged, and the answer.
DRAGS = [
    ("map", 0, 1, 5, "10 at 1 s, 20 at 5 s, 30 at 6 s, completes at 8 s"),
    ("filter", 0, 1, 4, "4 at 4 s, 3 at 7 s, completes at 8 s"),
    ("debounce", 0, 1, 4, "a at 2.5 s, c at 6.5 s, completes at 9 s"),
    ("combineLatest", 1, 0, 0, "1a at 1 s, 2a at 4 s, 2b at 5 s, completes at 7 s"),
    ("zip", 0, 1, 6, "1a at 2 s, 2b at 6 s, completes at 7 s"),
    ("take-until", 1, 0, 2, "a at 1 s, completes at 2 s"),
    ("flatMapLatest", 0, 1, 7, "a1 at 2 s, a2 at 5 s, b1 at 8 s, b2 at 11 s, completes at 12 s"),
    ("retry-backoff", 0, 1, 2, "a1 at 1 s, a2 at 4.5 s, a3 at 8 s, completes at 12 s"),
    ("just", 0, 0, 6, "a at 6 s, completes at 6 s"),
    ("throttle", 0, 0, 0, "a at 0 s, b at 2.5 s, c at 5 s, completes at 8 s"),
]


def open_page(browser, place):
    browser.driver.get(f"file://{SITE}/{place}")


def drag(browser, place, second):
    """Drags a marble to a second, by the pointer."""
    handle = browser.driver.find_element(By.CSS_SELECTOR, place)
    x = browser.run("""
      const svg = arguments[0].ownerSVGElement;
      const { left, tick } = svg.closest("figure").diagram.geometry;
      return new DOMPoint(left + arguments[1] * 2 * tick, 0).matrixTransform(svg.getScreenCTM()).x""", handle, second)
    box = browser.run("const { x, width } = arguments[0].getBoundingClientRect(); return x + width / 2", handle)
    ActionChains(browser.driver, duration=20).click_and_hold(handle).move_by_offset(
        (x - box) / 2, 8).move_by_offset(x - box - (x - box) / 2, -4).release().perform()


def test_drag(browser):
    """A marble that is dragged changes the answer, on ten operators"""
    for name, number, index, second, answer in DRAGS:
        open_page(browser, f"operators/{name}.html")
        drag(browser, f'.handle[data-input="{number}"][data-index="{index}"]', second)
        shown = browser.text(".sentence")
        assert shown.startswith(answer), f"{name}: {shown}"
        drawn = browser.texts('.answer[data-row="0"] .marble text')
        assert len(drawn) == answer.count(" at ") - answer.count("completes"), f"{name}: {drawn}"
        assert answer in browser.text("desc"), name
    return f"{len(DRAGS)} operators"


def test_keyboard(browser):
    """A marble is moved by the arrow keys, and does not pass its neighbours"""
    open_page(browser, "operators/map.html")
    browser.run("document.querySelector('.handle').focus()")
    browser.keys(Keys.ARROW_RIGHT)
    assert browser.text(".sentence").startswith("10 at 2 s"), browser.text(".sentence")
    browser.keys(Keys.END)
    assert browser.text(".sentence").startswith("10 at 3 s, 20 at 4 s"), browser.text(".sentence")
    browser.keys(Keys.HOME)
    assert browser.text(".sentence").startswith("10 at 0 s"), browser.text(".sentence")
    assert browser.attribute(".handle", "aria-valuetext") == "0 s"
    assert browser.attribute(".handle", "aria-label") == "1 of source"


def test_same_drawing(browser):
    """The script draws what the generator has drawn, on every operator's page"""
    for name in OPERATORS:
        open_page(browser, f"operators/{name}.html")
        before, after = browser.run("""
          const figure = document.querySelector("figure.diagram");
          const state = () => [...figure.querySelectorAll(".answer, .sentence")].map((part) => part.innerHTML).join("\\n");
          const before = state();
          figure.diagram.showAnswer();
          return [before, state()]""")
        assert before == after, f"{name}: {before}\n{after}"
    return f"{len(OPERATORS)} pages"


def test_search(browser):
    """A search finds operators and articles by their words, without a network"""
    open_page(browser, "reactive/contract.html")
    browser.keys("/")
    browser.keys("thrott")
    browser.until("results", lambda: browser.texts("form.search li strong"))
    assert browser.texts("form.search li strong")[0] == "throttle"
    browser.keys(Keys.ARROW_DOWN, Keys.ENTER)
    browser.until("the page", lambda: browser.text("h1") == "throttle")
    browser.type("form.search input", "slow observers")
    browser.until("the contract", lambda: "The contract" in browser.texts("form.search li strong"))
    browser.keys(Keys.ESCAPE)
    assert not browser.is_shown("form.search ul")
    browser.type("form.search input", "xyzzy")
    browser.until("no page", lambda: browser.texts("form.search li") == ["No page has these words."])
    browser.type("form.search input", "merge")
    browser.until("merge", lambda: browser.texts("form.search li strong")[:1] == ["merge"])
    browser.keys(Keys.ENTER)
    browser.until("the page", lambda: browser.text("h1") == "merge")


# What a user types, and the recipe that is found first.
QUERIES = [
    ("autocomplete", "Search as you type"), ("exponential backoff", "Retry with back-off"),
    ("infinite scroll", "Pagination"), ("oauth", "Token refresh"), ("undo", "Undo and redo"),
    ("optimistic ui", "Optimistic update with rollback"), ("is typing", "Typing indicator"),
    ("who is online", "Presence"), ("offline banner", "Reconnecting with a status banner"),
    ("deduplicate", "Messages that arrive twice"), ("sigterm", "Graceful shutdown"),
]


def test_recipes(browser):
    """A recipe is found by the words that a user types, and from the first page"""
    open_page(browser, "operators/merge.html")
    for query, title in QUERIES:
        browser.type("form.search input", query)
        browser.until(query, lambda: browser.texts("form.search li strong")[:1] == [title])
    browser.keys(Keys.ENTER)
    browser.until("the recipe", lambda: browser.text("h1") == "Graceful shutdown")
    open_page(browser, "index.html")
    browser.click('main a[href="recipes/index.html"]')
    browser.click('a[href="countdown.html"]')
    browser.until("the recipe", lambda: browser.text("h1") == "Countdown")
    assert "final class Countdown" in browser.texts("pre")[0]
    assert "@Test func" in browser.texts("pre")[1]
    browser.click('header a[href="../recipes/index.html"]')
    browser.until("all recipes", lambda: browser.text("h1") == "Recipes")


# What users of other libraries ask, in their words, and the page with the answer.
QUESTIONS = [
    # RxSwift
    ("dispose bag memory leak", "reactive/tracing"),
    ("replay last value", "operators/replay"),
    ("combineLatest drops values", "operators/combineLatest"),
    ("how to stop a timer when view disappears", "recipes/cancelling-on-leaving-a-screen"),
    ("difference between share and replay", "reactive/sharing"),
    ("switchMap cancel previous request", "operators/flatMapLatest"),
    ("debounce search text field", "recipes/search-as-you-type"),
    ("catch error without completing the stream", "reactive/recovering"),
    ("BehaviorRelay vs BehaviorSubject", "operators/BehaviorRelay"),
    ("test with virtual clock", "recipes/testing-an-effect"),
    # The Composable Architecture, and other unidirectional architectures
    ("scope child store", "compose/embeddingchildren"),
    ("cancel in flight request", "compose/returningeffects"),
    ("test effect with virtual clock", "recipes/testing-an-effect"),
    ("dependency injection", "compose/injectingdependencies"),
    ("sheet navigation with optional state", "compose/navigating"),
    ("share state between features", "compose/sharingstate"),
    ("non exhaustive testing", "reactivetesting/testingcomposers"),
    ("binding to text field", "compose/timelines"),
    ("long running effect websocket", "sockets/socketeffects"),
    ("identified array forEach rows", "compose/embeddingchildren"),
    # Starscream, ws, Python's websockets, ActionCable
    ("reconnect with backoff", "sockets/reconnecting"),
    ("disable TLS verification for self signed certificate", "sockets/connecting"),
    ("broadcast to room", "sockets/servingtopics"),
    ("max frame size", "sockets/messages"),
    ("server behind nginx", "sockets/deploying"),
    ("ping interval", "sockets/messages"),
    ("close code 1006", "sockets/closecode"),
    ("send custom headers authorization", "sockets/connecting"),
    ("permessage-deflate compression", "sockets/conformance"),
    ("graceful shutdown of server", "sockets/serving"),
]


def test_questions(browser):
    """A search answers the questions of other libraries' users by one of its first three results"""
    open_page(browser, "index.html")
    browser.type("form.search input", "merge")
    browser.until("the index", lambda: browser.texts("form.search li strong"))
    misses = []
    for question, place in QUESTIONS:
        browser.type("form.search input", question)
        found = browser.run("""
          return [...document.querySelectorAll("form.search li a")].slice(0, 3).map((link) => link.getAttribute("href"))""")
        if f"{place}.html" not in found:
            misses.append(f"{question}: {place} is not among {found}")
    assert not misses, "\n".join(misses)
    return f"{len(QUESTIONS)} questions"


def test_decisions(browser):
    """Questions lead to an operator, and its page to the reference"""
    open_page(browser, "index.html")
    browser.click('main a[href="which-operator.html"]')
    for text in ("Let only some elements pass", "Fewer of them in time"):
        browser.run("""
          [...document.querySelectorAll("summary")].find((summary) => summary.textContent === arguments[0]).click()""", text)
    browser.screenshot("decisions")
    browser.click('.leaf a[href="operators/sample.html"]')
    browser.until("the page", lambda: browser.text("h1") == "sample")
    browser.click('a[href^="../reactive/observabletype.html#sample"]')
    browser.until("the reference", lambda: browser.text("h1") == "ObservableType")
    browser.until("the member", lambda: browser.run("""
      const member = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      return Math.abs(member.getBoundingClientRect().top) < 200"""))


def test_without_script(browser):
    """Without JavaScript everything is there but the search and the hint"""
    def found(selector):
        return browser.driver.find_elements(By.CSS_SELECTOR, selector)

    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        open_page(browser, "operators/merge.html")
        assert len(found("svg .answer .marble")) == 4
        assert not found("form.search")[0].is_displayed()
        assert not found(".hint")[0].is_displayed()
        assert "completes at 7 s" in found(".sentence")[0].text
        open_page(browser, "which-operator.html")
        found("summary")[0].click()
        assert "Values that are there" in found(".tree")[0].text
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


PAGES = ["index", "operators/index", "operators/window", "operators/AsyncSequence-asObservable", "which-operator",
         "reactive/contract", "reactive/observabletype", "sockets/index", "compose/tutorial", "compose/firstprogram", "reference", "recipes/index",
         "recipes/two-tabs-one-socket"]


def test_layout(browser):
    """Pages fit phones, tablets and desktops, and have contrast in light and dark"""
    for scheme in ("light", "dark"):
        browser.theme(scheme)
        for width in (360, 768, 1400):
            browser.size(width)
            for place in PAGES:
                open_page(browser, f"{place}.html")
                name = f"{scheme}-{width}-{place.replace('/', '-')}"
                overflow = browser.run("return document.scrollingElement.scrollWidth - innerWidth")
                assert overflow <= 0, f"{name} is too wide by {overflow} pixels"
                weak = browser.run(CONTRASTS)
                assert not weak, f"{name}: weak contrast: {weak[:5]}"
                browser.screenshot(name)


if __name__ == "__main__":
    sys.exit(run(tests_of(sys.modules[__name__]), sys.argv[1:]))
