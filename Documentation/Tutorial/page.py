"""Takes the pictures of the inspector's page from the running program of the last step."""

import pathlib
import re
import subprocess
import sys

from browser import Browser
from screenshot import save

program, target = sys.argv[1], pathlib.Path(sys.argv[2])
with subprocess.Popen([program], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
    browser = Browser()
    try:
        url = re.search(r"http://\S+", process.stderr.readline()).group()
        browser.size(1200, 640)
        browser.open(url)
        browser.until("20 steps", lambda: int(browser.text("#steps-status").split(" ")[0]) > 20, 60)
        browser.click("#steps-pause")
        browser.until("all rows", lambda: "…" not in browser.texts("#steps-list .row .action"))
        browser.click_row("#steps-list .row[data-event]", "tick")
        browser.until("details", lambda: browser.text("#why"))
        for scheme, name in (("light", ""), ("dark", "~dark")):
            browser.theme(scheme)
            save(browser, target / f"first-program-inspector{name}.png")
    finally:
        browser.quit()
        process.kill()
