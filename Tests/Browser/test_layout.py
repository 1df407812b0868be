from contrast import CONTRASTS
from programs import program


def check(browser, name):
    overflow = browser.run("return document.scrollingElement.scrollWidth - innerWidth")
    assert overflow <= 0, f"{name} is too wide by {overflow} pixels"
    outside = browser.run("""
      return [...document.querySelectorAll("button, input, select, textarea, .status")].filter((element) => element.checkVisibility())
        .filter((element) => { const place = element.getBoundingClientRect(); return place.left < 0 || place.right > innerWidth })
        .map((element) => element.id || element.textContent)""")
    assert not outside, f"{name}: outside of the page: {outside}"
    weak = browser.run(CONTRASTS)
    assert not weak, f"{name}: weak contrast: {weak[:5]}"
    browser.screenshot(name)


def views(browser, scheme, width):
    browser.size(width)
    browser.theme(scheme)
    browser.open(program("dashboard").url)
    back = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert (back == "rgb(255, 255, 255)") == (scheme == "light"), back
    browser.until("steps", lambda: len(browser.texts("#steps-list .row .action")) > 5)
    check(browser, f"{scheme}-{width}-steps")
    browser.click_row("#steps-list .row[data-event]", "sample")
    browser.until("details", lambda: browser.text("#why"))
    check(browser, f"{scheme}-{width}-details")
    browser.click("#detail-close")
    browser.click("#tab-effects")
    browser.until("effects", lambda: len(browser.texts("#effects-list .row[data-outcome]")) == 2)
    check(browser, f"{scheme}-{width}-effects")
    browser.click("#tab-state")
    browser.choose("#state-compare", "before")
    browser.until("the state", lambda: browser.is_shown("#state-changes"))
    check(browser, f"{scheme}-{width}-state")
    if width < 900:
        assert not browser.is_shown("#side")
        browser.click("#side-toggle")
        browser.until("composers", lambda: browser.is_shown("#composers"))
        check(browser, f"{scheme}-{width}-composers")


def test_light_wide(browser):
    """Every view fits, in light colours and 1,400 pixels"""
    views(browser, "light", 1400)


def test_dark_wide(browser):
    """Every view fits, in dark colours and 1,400 pixels"""
    views(browser, "dark", 1400)


def test_light_narrow(browser):
    """Every view fits, in light colours and 600 pixels"""
    views(browser, "light", 600)


def test_dark_narrow(browser):
    """Every view fits, in dark colours and 600 pixels"""
    views(browser, "dark", 600)


def test_colours(browser):
    """Each colour that a style or the marbles name exists"""
    browser.open(program("dashboard").url)
    missing = browser.run_async("""
      const files = performance.getEntriesByType("resource").map((entry) => entry.name);
      const texts = await Promise.all(files.filter((name) => /\\.(css|js)$/.test(name)).map((name) => fetch(name).then((file) => file.text())));
      const text = texts.join("\\n");
      const used = [...text.matchAll(/var\\(--([\\w-]+)/g), ...text.matchAll(/\\bvalue\\("([\\w-]+)"\\)/g)].map((match) => match[1]);
      return [...new Set(used)].filter((name) => !text.includes(`--${name}:`));""")
    assert missing == [], missing
