import re

from browser import Keys
from programs import program
from test_why import send


def count(browser):
    return int(browser.text("#steps-status").split(" ")[0].replace(",", ""))


def last(browser):
    """The number of the last visible row."""
    return browser.run("""
      const rows = [...document.querySelectorAll("#steps-list .row[data-event]")].map((row) => Number(row.dataset.event));
      return Math.max(0, ...rows)""")


def test_live(browser):
    """Rows appear while the program runs, and the list follows its end"""
    browser.open(program("dashboard").url)
    browser.until("rows", lambda: count(browser) > 3)
    before = count(browser)
    browser.until("more rows", lambda: count(browser) > before + 4)
    event = last(browser)
    browser.until("the last ones", lambda: last(browser) > event)
    browser.screenshot("steps")


def test_pause(browser):
    """A paused list stays as it is, and counts what is new"""
    browser.open(program("dashboard").url)
    browser.until("rows", lambda: count(browser) > 3)
    browser.click("#steps-pause")
    browser.until("the number of new steps", lambda: " new" in browser.text("#steps-status"))
    # The rows at the end of the list are on their way.
    before = count(browser)
    browser.until("the last row", lambda: browser.run("""
      return [...document.querySelectorAll("#steps-list .row[data-event]")]
        .some((row) => Number(row.closest("[data-position]").dataset.position) === arguments[0] - 1)""", before))
    event, status = last(browser), browser.text("#steps-status")
    browser.until("more of them", lambda: browser.text("#steps-status") != status)
    assert (count(browser), last(browser)) == (before, event), (count(browser), last(browser), before, event)
    browser.click("#steps-pause")
    browser.until("the new steps", lambda: count(browser) > before and last(browser) > event)


def test_follow(browser):
    """Scrolling up ends the following, and the key End follows again"""
    browser.size(1400, 300)
    browser.open(program("dashboard").url)
    browser.until("rows to scroll", lambda: count(browser) > 20)
    browser.run("document.querySelector('#steps-list .scroller').scrollTop = 0")
    browser.until("no following", lambda: browser.attribute("#steps-follow", "aria-pressed") == "false")
    browser.until("the first row", lambda: browser.all('#steps-list .row[data-event="1"]'))
    browser.run("document.querySelector('#steps-list').focus()")
    browser.keys(Keys.END)
    browser.until("following", lambda: browser.attribute("#steps-follow", "aria-pressed") == "true")


def test_search(browser):
    """A search finds texts of actions and of changes"""
    browser.open(program("acting").url)
    for title in ("needle", "thread"):
        send(browser, f'{{"rename": {{"title": "{title}"}}}}')
    browser.type("#steps-search", "NEEDLE")
    # The second step has it as the old value.
    browser.until("both steps", lambda: browser.texts("#steps-list .row .action")
                  == ['rename(title: "needle")', 'rename(title: "thread")'])
    browser.type("#steps-search", 'rename(title: "thread')
    browser.until("one step", lambda: browser.texts("#steps-list .row .action") == ['rename(title: "thread")'])
    browser.type("#steps-search", "no such text")
    browser.until("none", lambda: browser.text("#steps-empty") == "No event matches.")
    browser.type("#steps-search", "")
    browser.until("all", lambda: len(browser.texts("#steps-list .row .action")) >= 2)


def test_filter(browser):
    """Steps are filtered by their source, and starts and ends of effects are listed too"""
    browser.open(program("dashboard").url)
    browser.until("rows", lambda: count(browser) > 3)
    browser.click('[data-source-filter="outside"]')
    browser.until("only those from outside", lambda: set(browser.texts("#steps-list .row .from")) == {"outside"})
    browser.click('[data-source-filter="outside"]')
    browser.click('[data-kind-filter="started"]')
    browser.click('[data-kind-filter="step"]')
    browser.until("only starts", lambda: (texts := browser.texts("#steps-list .row .action"))
                  and all(text.endswith("started") for text in texts))


def test_numbers(browser):
    """The steps of one composer have their numbers, and the UUIDs of their actions are short"""
    tasks = program("tasks")
    browser.open(tasks.url, "#composers=1")
    rows = browser.until("actions", lambda: [text for text in browser.texts("#steps-list .row[data-event] .action") if "toggle" in text])
    assert all(re.fullmatch(r"row\([0-9A-F]{4}…, toggle\)", text) for text in rows), rows
    browser.click_row("#steps-list .row[data-event]", ", toggle)")
    browser.until("its details", lambda: "Step " in (browser.text("#detail h2") or ""))
    number = browser.text('#steps-list .row[aria-selected="true"] .step-number')
    assert number and browser.text("#detail h2").endswith(f"Step {number}"), (number, browser.text("#detail h2"))
    assert re.search(r"[0-9A-F]{8}-", browser.text("#detail-title")), "the details have the whole one"
    browser.screenshot("numbers")
    browser.size(600)
    browser.until("the number below the time", lambda: browser.is_shown('#steps-list .row[aria-selected="true"] .step-number'))
    browser.screenshot("numbers-600")
    browser.click("#side-toggle")
    browser.click('#composers [data-composer="all"]')
