"""Takes the screenshots of the article about the page, from the running dashboard."""

import pathlib
import sys
import time

from PIL import Image

import programs
from browser import Browser

target = pathlib.Path(sys.argv[1])
browser = Browser()


def save(name):
    """Saves what is shown with 256 of its colours, which is a third of the size."""
    file = target / name
    browser.driver.save_screenshot(str(file))
    image = Image.open(file).convert("RGB")
    # One of several that look alike: a rare colour, such as the red of a few words, has its place too.
    colors = []
    for _, color in sorted(image.getcolors(1 << 24), reverse=True):
        if all(sum(abs(a - b) for a, b in zip(color, other)) > 18 for other in colors):
            colors.append(color)
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for color in colors[:256] for part in color])
    image.quantize(palette=palette, dither=Image.Dither.NONE).save(file, optimize=True)


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
    save("inspector-steps.png")
    browser.click("#detail-close")
    browser.theme("dark")
    browser.click("#tab-state")
    browser.choose("#state-compare", "before")
    # A step that stays: its place, its changes and its state belong together.
    browser.click("#state-before")
    browser.until("a step", lambda: browser.attribute("#state-latest", "aria-pressed") == "false")
    browser.until("the changes", lambda: browser.is_shown("#state-changes"))
    time.sleep(1)
    save("inspector-state.png")
finally:
    browser.quit()
    programs.end_all()
