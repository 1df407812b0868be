import json

from browser import Keys
from programs import program
from test_why import send


def test_everything(browser):
    """Every view is reached and used with keys only"""
    browser.open(program("acting").url)
    send(browser, '{"load": {"query": "keys"}}')
    browser.open(program("acting").url)
    browser.until("rows", lambda: browser.all("#steps-list .row[data-event]"))
    browser.keys("j", "k", Keys.ENTER)
    browser.until("the details", lambda: browser.focused() == "detail" and browser.text("#why"))
    browser.keys(Keys.ESCAPE)
    browser.until("the list", lambda: browser.focused() == "steps-list" and not browser.is_shown("#detail"))
    browser.keys("/")
    browser.until("the search", lambda: browser.focused() == "steps-search")
    browser.keys("keys", Keys.ESCAPE)
    browser.until("found rows", lambda: (texts := browser.texts("#steps-list .row .action")) and all("keys" in t for t in texts))
    browser.keys("p")
    browser.until("paused", lambda: browser.attribute("#steps-pause", "aria-pressed") == "true")
    browser.keys("p", "2")
    browser.until("the effects", lambda: browser.attribute("#tab-effects", "aria-selected") == "true")
    browser.until("an effect", lambda: browser.all("#effects-list .row[data-event]"))
    browser.keys("j", Keys.ENTER)
    browser.until("its details", lambda: browser.focused() == "detail" and "Effect" in browser.text("#detail h2"))
    browser.keys(Keys.ESCAPE, "3")
    browser.until("the state", lambda: browser.all('#state-tree .node[data-path="count"]'))
    browser.run("document.querySelector('#state-tree .node').focus()")
    browser.keys(Keys.ARROW_LEFT)
    browser.until("a closed tree", lambda: len(browser.all("#state-tree .node")) == 1)
    browser.keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    browser.until("an open one", lambda: browser.run("return document.activeElement.dataset.path") == "count")
    browser.keys("c", Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
    browser.until("a composer", lambda: "composers=1" in browser.place())
    browser.keys("a")
    browser.until("the field of actions", lambda: browser.focused() == "act-text")
    browser.keys('{"rename": {"title": "by keys"}}')
    browser.chord(Keys.CONTROL, Keys.ENTER)
    browser.until("it is sent", lambda: browser.text("#act-result") == "Sent.")
    browser.keys(Keys.ESCAPE, "?")
    browser.until("the help", lambda: browser.is_shown("#help"))
    browser.keys(Keys.ESCAPE)
    browser.until("no help", lambda: not browser.is_shown("#help"))


def test_help(browser):
    """The key that opens the help closes it"""
    browser.open(program("acting").url)
    browser.keys("?")
    browser.until("the help", lambda: browser.is_shown("#help"))
    help = browser.text("#help")
    assert "Control-Enter" in help and f"1 – {len(browser.all('.tab'))}" in help, help
    browser.keys("?")
    browser.until("no help", lambda: not browser.is_shown("#help"))


def test_side(browser):
    """The key of the composers tells the button that they are shown"""
    browser.size(600)
    browser.open(program("acting").url)
    assert browser.attribute("#side-toggle", "aria-expanded") == "false"
    browser.keys("c")
    browser.until("the composers", lambda: browser.is_shown("#composers"))
    assert browser.attribute("#side-toggle", "aria-expanded") == "true"
    browser.click("#side-toggle")
    browser.until("none", lambda: not browser.is_shown("#composers"))
    assert browser.attribute("#side-toggle", "aria-expanded") == "false"


def test_narrow(browser):
    """On a narrow page the composers cover the views and the details, until Escape"""
    browser.size(600)
    browser.open(program("acting").url)
    browser.keys("a")
    browser.until("the field", lambda: browser.focused() == "act-text")
    browser.keys('{"add": {"_0": 1}}')
    browser.chord(Keys.CONTROL, Keys.ENTER)
    browser.until("it is sent", lambda: browser.text("#act-result") == "Sent.")
    browser.keys(Keys.ESCAPE, Keys.ESCAPE)
    browser.until("no composers", lambda: not browser.is_shown("#composers") and browser.focused() == "side-toggle")
    assert browser.attribute("#side-toggle", "aria-expanded") == "false"
    browser.click_row("#steps-list .row[data-event]", "add(1)")
    browser.until("the details", lambda: browser.is_shown("#detail-title"))
    browser.click("#side-toggle")
    browser.until("the composers", lambda: browser.is_shown("#composers"))
    covered = browser.run("""
      const side = document.querySelector("#side"), place = side.getBoundingClientRect();
      const points = [0.01, 0.25, 0.5, 0.75, 0.99].flatMap((x) => [0.01, 0.25, 0.5, 0.75, 0.99].map((y) => [x, y]));
      return points.every(([x, y]) => side.contains(document.elementFromPoint(place.left + x * place.width, place.top + y * place.height)))""")
    assert covered, "something is painted over the composers"
    tabs = browser.run("return ['#tabs', '#detail'].map((id) => document.querySelector(id).getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])")
    assert tabs[0][1] <= tabs[1][0], f"the tabs are painted over the details: {tabs}"
    browser.screenshot("narrow")
    browser.keys(Keys.ESCAPE)
    browser.until("no composers", lambda: not browser.is_shown("#composers"))
    assert browser.is_shown("#detail")
    browser.keys(Keys.ESCAPE)
    browser.until("no details", lambda: not browser.is_shown("#detail"))


def test_hidden(browser):
    """Follow and pause belong to the list of the open tab"""
    browser.open(program("acting").url)
    browser.keys("2", "f", "p")
    browser.until("the effects", lambda: browser.attribute("#tab-effects", "aria-selected") == "true")
    assert browser.attribute("#steps-follow", "aria-pressed") == "true"
    assert browser.attribute("#steps-pause", "aria-pressed") == "false"
    browser.keys("1", "f")
    browser.until("not followed", lambda: browser.attribute("#steps-follow", "aria-pressed") == "false")


def test_places(browser):
    """A row of a tree has its place among the rows of its level"""
    browser.open(program("dashboard").url)
    rows = browser.until("the composers", lambda: browser.run("""
      return [...document.querySelectorAll("#composers .row[data-composer]")].filter((row) => row.getBoundingClientRect().top > 0)
        .map((row) => [row.getAttribute("aria-level"), row.getAttribute("aria-posinset"), row.getAttribute("aria-setsize")])"""))
    assert rows and all(level == "1" and size == str(len(rows)) for level, _, size in rows), rows
    assert sorted(int(place) for _, place, _ in rows) == list(range(1, len(rows) + 1)), rows


def test_announcement(browser):
    """Counters that change all the time are not live regions; what a search finds is announced"""
    browser.open(program("acting").url)
    roles = browser.run("""
      return [...document.querySelectorAll(".status")].map((element) => [element.id, element.getAttribute("role")])""")
    assert roles and all(role is None for _, role in roles), json.dumps(roles)
    browser.keys("/")
    browser.keys("no such step")
    browser.until("the number", lambda: browser.text("#announcement") == "0 events")
