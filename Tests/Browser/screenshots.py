"""Takes the screenshots of the article about the page, from the running dashboard."""

import pathlib
import sys
import time

import programs
from browser import Browser
from screenshot import save

target = pathlib.Path(sys.argv[1])
browser = Browser()


try:
    url = programs.program("dashboard").url
    browser.size(1400, 760)
    browser.open(url)
    # Until the histories have some values.
    browser.until("120 steps", lambda: int(browser.text("#steps-status").split(" ")[0].replace(",", "")) > 120, 60)
    browser.click_row("#steps-list .row[data-event]", "polled")
    browser.until("details", lambda: browser.text("#why"))
    browser.click("#steps-pause")
    browser.until("all rows", lambda: "…" not in browser.texts("#steps-list .row .action"))
    save(browser, target / "inspector-steps.png")
    browser.click("#detail-close")
    browser.theme("dark")
    browser.click("#tab-state")
    browser.choose("#state-compare", "before")
    # A step that stays: its place, its changes and its state belong together.
    browser.click("#state-before")
    browser.until("a step", lambda: browser.attribute("#state-latest", "aria-pressed") == "false")
    browser.until("the changes", lambda: browser.is_shown("#state-changes"))
    time.sleep(1)
    save(browser, target / "inspector-state.png")
finally:
    browser.quit()
    programs.end_all()
