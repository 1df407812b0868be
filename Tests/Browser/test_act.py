from browser import Keys
from programs import Program, program


def test_template(browser):
    """An action is sent from its template, and its step appears"""
    browser.open(program("acting").url)
    browser.click("#act summary")
    browser.until("the cases", lambda: "rename" in browser.text("#act-case"))
    browser.choose("#act-case", "rename")
    browser.until("the template", lambda: browser.value("#act-text").split() == '{ "rename": { "title": "" } }'.split())
    browser.type("#act-text", '{"rename": {"title": "from the page"}}')
    browser.chord(Keys.CONTROL, Keys.ENTER)
    browser.until("the answer", lambda: browser.text("#act-result") == "Sent.")
    browser.until("its step", lambda: any("from the page" in text for text in browser.texts("#steps-list .row .action")))
    browser.screenshot("act")


def test_digits(browser):
    """An action is sent with all digits of its numbers"""
    own = Program("acting")
    try:
        browser.open(own.url)
        browser.click("#act summary")
        browser.type("#act-text", '{"add": {"_0": 9007199254740993}}')
        browser.click("#act-send")
        browser.until("its step", lambda: "add(9007199254740993)" in browser.texts("#steps-list .row .action"))
        browser.driver.get("about:blank")
    finally:
        own.end()


def test_errors(browser):
    """What is not an action is refused with its reason"""
    browser.open(program("acting").url)
    browser.click("#act summary")
    browser.type("#act-text", "{")
    browser.click("#act-send")
    browser.until("no JSON", lambda: browser.text("#act-result").startswith("Not JSON"))
    browser.type("#act-text", '{"rename": {}}')
    browser.click("#act-send")
    browser.until("no title", lambda: "title" in browser.text("#act-result"))
    assert browser.attribute("#act-result", "class") == "error"


def test_refused(browser):
    """A program whose actions are not Codable has no field for them"""
    browser.open(program("hostile").url)
    browser.until("a composer", lambda: "Hostile" in browser.text("#composers"))
    assert not browser.is_shown("#act")
