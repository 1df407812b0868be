"""Chromium without a window, and waiting for what its page shows."""

import os
import pathlib
import time

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SCREENSHOTS = pathlib.Path(os.environ.get("SCREENSHOTS", ".build/browser"))


class Failure(Exception):
    """A page that does not show what it should."""


class Browser:
    """One window. Selectors are those of CSS."""

    def __init__(self):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        # Root has no sandbox, and a container has little shared memory.
        for flag in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "no-first-run"):
            options.add_argument("--" + flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(60)
        self.keyboard = ActionChains(self.driver, duration=0)
        self.size(1400)
        self.theme("light")

    def quit(self):
        self.driver.quit()

    def size(self, width, height=860):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def theme(self, scheme):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def leave(self):
        self.driver.get("about:blank")

    def open(self, url, hash=""):
        """Loads the page anew, and waits until it is connected."""
        self.leave()
        self.driver.get(url + hash)
        self.until("the page is connected", lambda: self.attribute("#connection", "data-state") == "open")
        self.until("composers", lambda: not self.is_shown("#composers") or self.all("#composers .row[data-composer]"))

    def until(self, what, condition, seconds=15):
        """Waits for a condition, and returns its value. A condition that raises is not met yet."""
        end = time.monotonic() + seconds
        problem = None
        while time.monotonic() < end:
            try:
                value = condition()
                if value:
                    return value
            except (WebDriverException, LookupError, TypeError, AttributeError) as error:
                problem = error
            time.sleep(0.05)
        raise Failure(f"waited {seconds} s for: {what}" + (f" ({type(problem).__name__})" if problem else ""))

    def run(self, script, *values):
        return self.driver.execute_script(script, *values)

    def run_async(self, script, *values):
        """Runs an asynchronous script, whose value is that of `return`."""
        return self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; const values = arguments;"
            f"(async () => {{ {script} }})().then(done, (error) => done({{ error: String(error) }}))", *values)

    # What the page shows. Read in one script each: rows are replaced while it runs.

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? null", selector)

    def texts(self, selector):
        """The texts of the visible elements, from the top."""
        return self.run("""
          return [...document.querySelectorAll(arguments[0])].filter((element) => element.checkVisibility())
            .map((element) => [element.getBoundingClientRect().top, element.textContent])
            .filter(([top]) => top >= 0).sort((a, b) => a[0] - b[0]).map(([, text]) => text)""", selector)

    def attribute(self, selector, name):
        return self.run("return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? null",
                        selector, name)

    def value(self, selector):
        return self.run("return document.querySelector(arguments[0])?.value", selector)

    def is_shown(self, selector):
        return self.run("return document.querySelector(arguments[0])?.checkVisibility() ?? false", selector)

    def focused(self):
        return self.run("return document.activeElement.id")

    def focused_path(self):
        return self.run("return document.activeElement.dataset.path")

    def place(self):
        """The part of the address that keeps the place."""
        return self.run("return location.hash")

    # What the user does.

    def click(self, selector):
        self.until(f"{selector} to click", lambda: self.is_shown(selector))
        self.until(f"a click on {selector}", lambda: self._click(selector))

    def _click(self, selector):
        found = self.driver.find_element(By.CSS_SELECTOR, selector)
        # A click on a control that is disabled would do nothing.
        if not found.is_enabled():
            return False
        found.click()
        return True

    def click_row(self, selector, text):
        """Clicks the last row that has a text."""
        self.until(f"{text!r} in {selector}", lambda: self.run("""
          const rows = [...document.querySelectorAll(arguments[0])].filter((row) => row.textContent.includes(arguments[1]));
          const position = (row) => Number(row.closest("[data-position]")?.dataset.position ?? 0);
          const row = rows.sort((a, b) => position(a) - position(b)).at(-1);
          row?.click(); return row !== undefined""", selector, text))

    def keys(self, *keys):
        self.keyboard.send_keys(*keys).perform()

    def chord(self, modifier, key):
        self.keyboard.key_down(modifier).send_keys(key).key_up(modifier).perform()

    def type(self, selector, text):
        """Replaces the text of a field."""
        self.click(selector)
        self.keyboard.key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).send_keys(
            text or Keys.BACKSPACE).perform()

    def choose(self, selector, value):
        self.run("""const menu = document.querySelector(arguments[0]); menu.value = arguments[1];
          menu.dispatchEvent(new Event("change", { bubbles: true }))""", selector, value)

    def clipboard(self):
        self.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite"]})
        return self.run_async("return navigator.clipboard.readText()")

    def screenshot(self, name):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(SCREENSHOTS / f"{name}.png"))

    def console(self):
        """The warnings and errors since the last call."""
        return [f"{entry['level']}: {entry['message']}" for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING")]


def expecting(*parts):
    """Allows messages on the console that contain one of these texts."""
    def allow(test):
        test.expected = parts
        return test
    return allow
