"""Takes the screenshots of the article about the page, from the running dashboard."""

import pathlib
import sys

from PIL import Image

import programs
from browser import Browser

target = pathlib.Path(sys.argv[1])
browser = Browser()


def save(name):
    """Saves what is shown with its 256 most frequent colours, which is a third of the size."""
    file = target / name
    browser.driver.save_screenshot(str(file))
    image = Image.open(file).convert("RGB")
    colors = sorted(image.getcolors(1 << 24), reverse=True)[:256]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for _, color in colors for part in color])
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
    browser.until("the changes", lambda: browser.is_shown("#state-changes"))
    save("inspector-state.png")
finally:
    browser.quit()
    programs.end_all()
