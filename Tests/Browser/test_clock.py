from browser import Keys
from programs import Program, program
from test_why import send
from test_layout import check


class Clock:
    """A program in virtual time of its own, whose page is open."""

    def __init__(self, browser):
        self.browser = browser
        self.program = Program("clock")
        self.program.wait("^ready")
        browser.open(self.program.url)
        self.until("the clock", lambda: browser.is_shown(".clock"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.end()

    def until(self, what, condition):
        return self.browser.until(what, condition)

    def shows(self, **parts):
        """Waits until the bar has these texts: `shows(time="2 s", state="paused")`."""
        for part, wanted in parts.items():
            self.until(f"{part} {wanted}", lambda: self.browser.text(f".clock-{part}") == wanted)

    def ticks(self):
        return sum("tick" in text for text in self.browser.texts("#steps-list .row .action"))


def test_steps(browser):
    """A clock that begins paused is stepped to its next work, and by some seconds"""
    with Clock(browser) as clock:
        clock.shows(name="Clock 1: Ticker", time="0 s", state="paused, not advanced now", pause="Resume")
        clock.program.write("1000")
        clock.shows(state="paused", next="next at 2 s")
        browser.click(".clock-step")
        clock.shows(time="2 s", next="next at 4 s")
        clock.until("one tick", lambda: clock.ticks() == 1)
        browser.type(".clock-seconds", "3.5")
        browser.click(".clock-advance")
        clock.shows(time="5.5 s", next="next at 6 s", state="paused")
        clock.until("two ticks", lambda: clock.ticks() == 2)
        browser.screenshot("clock")


def test_actions(browser):
    """An action is reduced while the clock is paused, and without work a step says what to do"""
    with Clock(browser) as clock:
        clock.program.write("1000")
        clock.shows(state="paused")
        send(browser, '{"stop": {}}')
        # The next look at the work is that of a step.
        clock.shows(time="0 s", next="nothing is due")
        browser.click(".clock-step")
        clock.until("the reason", lambda: "Step by some seconds" in browser.text(".clock .error"))
        send(browser, '{"start": {}}')
        clock.shows(next="next at 2 s")
        browser.click(".clock-step")
        clock.shows(time="2 s")
        clock.until("no error", lambda: not browser.is_shown(".clock .error"))


def test_resume(browser):
    """A clock that is resumed runs to the end of the advance, and may be paused again"""
    with Clock(browser) as clock:
        clock.program.write("1000")
        clock.shows(state="paused")
        browser.click(".clock-pause")
        clock.program.wait("^advanced")
        clock.shows(time="1,000 s", state="runs", pause="Pause")
        assert browser.run("return document.querySelector('.clock-step').disabled")
        browser.click(".clock-pause")
        clock.shows(state="paused, not advanced now", pause="Resume")


def test_keys(browser):
    """A clock is stepped with keys only, and keeps the focus while it changes"""
    with Clock(browser) as clock:
        clock.program.write("1000")
        clock.shows(state="paused")
        browser.run("document.querySelector('.clock-pause').focus()")
        browser.keys(Keys.TAB, Keys.SPACE)
        clock.shows(time="2 s")
        browser.keys(Keys.SPACE)
        clock.shows(time="4 s")
        browser.keys(Keys.TAB, Keys.TAB)
        browser.chord(Keys.CONTROL, "a")
        browser.keys("10", Keys.ENTER)
        clock.shows(time="14 s")
        assert browser.run("return document.activeElement.className") == "clock-seconds"


def test_reload(browser):
    """A reload keeps the clock paused, and programs without a virtual clock have no bar"""
    with Clock(browser) as clock:
        clock.program.write("1000")
        clock.shows(state="paused")
        browser.open(clock.program.url)
        clock.shows(state="paused", time="0 s")
    browser.open(program("acting").url)
    browser.until("a composer", lambda: "Acting" in browser.text("#composers"))
    assert not browser.is_shown("#clocks")


def test_layout(browser):
    """The bar of a clock fits, wide and narrow, light and dark"""
    with Clock(browser) as clock:
        clock.program.write("1000")
        for scheme in ("light", "dark"):
            for width in (1400, 600):
                browser.size(width)
                browser.theme(scheme)
                browser.open(clock.program.url)
                if width < 900:
                    browser.click("#side-toggle")
                clock.shows(state="paused")
                clock.until("the bar", lambda: browser.is_shown(".clock-step"))
                check(browser, f"{scheme}-{width}-clock")
