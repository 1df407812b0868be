import json

from browser import Keys
from programs import Program, program
from test_why import send


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


def action(browser):
    return json.loads(browser.value("#act-text") or "null")


def choose_inside(browser, path, name):
    browser.until(path, lambda: browser.all(f'#act-choices [data-path="{path}"]'))
    browser.run("document.querySelector(arguments[0]).focus()", f'#act-choices [data-path="{path}"]')
    browser.choose(f'#act-choices [data-path="{path}"]', name)


def test_nested(browser):
    """The cases of enums inside an action are chosen from lists"""
    browser.open(program("acting").url)
    browser.click("#act summary")
    browser.until("the cases", lambda: "row" in browser.text("#act-case"))
    browser.choose("#act-case", "row")
    browser.until("the template", lambda: action(browser) == {"row": {"_0": 0, "_1": {"title": {"_0": ""}}}})
    choose_inside(browser, "row/_1", "mark")
    browser.until("the mark", lambda: action(browser) == {"row": {"_0": 0, "_1": {"mark": {"as": "done"}}}})
    browser.type("#act-text", '{"row": {"_0": 7, "_1": {"mark": {"as": "done"}}}}')
    choose_inside(browser, "row/_1/mark/as", "open")
    browser.until("another mark", lambda: action(browser) == {"row": {"_0": 7, "_1": {"mark": {"as": "open"}}}})
    assert browser.focused_path() == "row/_1/mark/as"
    choose_inside(browser, "row/_1", "remove")
    browser.until("no mark", lambda: action(browser) == {"row": {"_0": 7, "_1": {"remove": {}}}})
    assert len(browser.all("#act-choices select")) == 1
    top = browser.run("return document.querySelector('#act-send').getBoundingClientRect().top")
    browser.click("#act-send")
    browser.until("it is sent", lambda: browser.text("#act-result") == "Sent.")
    assert browser.run("return document.querySelector('#act-send').getBoundingClientRect().top") == top
    browser.screenshot("act-nested")


def test_draft(browser):
    """What was written for a case, and its list of nested cases, stays while another one is chosen"""
    browser.open(program("acting").url)
    browser.click("#act summary")
    browser.until("the cases", lambda: "rename" in browser.text("#act-case"))
    browser.choose("#act-case", "rename")
    browser.until("the template", lambda: "rename" in browser.value("#act-text"))
    browser.type("#act-text", '{"rename": {"title": "draft"}}')
    browser.choose("#act-case", "add")
    browser.until("another template", lambda: action(browser) == {"add": {"_0": 0}})
    browser.choose("#act-case", "rename")
    assert action(browser) == {"rename": {"title": "draft"}}
    browser.choose("#act-case", "row")
    choose_inside(browser, "row/_1", "remove")
    browser.until("the case", lambda: action(browser)["row"]["_1"] == {"remove": {}})
    browser.choose("#act-case", "add")
    browser.choose("#act-case", "row")
    assert browser.value('#act-choices [data-path="row/_1"]') == "remove" and action(browser)["row"]["_1"] == {"remove": {}}


def open_fork(browser, recordings):
    """Opens the page with a new fork of its composer, to which actions are sent, and returns its number"""
    recordings.wait("^ready")
    browser.open(recordings.url, "#tab=recordings&composer=1")
    browser.until("steps", lambda: "step" in browser.text("#range-status"))
    browser.click("#fork-create")
    fork = browser.until("a fork", lambda: (value := int(browser.value("#recordings-composer"))) > 1 and value)
    browser.until("its line", lambda: browser.all("#forks [data-key^=end]"))
    browser.run("document.querySelector('#act').open = true")
    return fork


def test_composers(browser):
    """Each composer has its own draft, and a template that arrives late is not another one's"""
    own = Program("recordings")
    try:
        fork = open_fork(browser, own)
        browser.until("the cases", lambda: "rename" in browser.text("#act-case"))
        browser.type("#act-text", '{"clear": {}}')
        # The choice and the other composer in one turn: the answer comes after both.
        browser.run("""
          const choose = (id, value) => {
            const menu = document.querySelector(id);
            menu.value = value;
            menu.dispatchEvent(new Event("change", { bubbles: true }));
          };
          choose("#act-case", "rename");
          choose("#recordings-composer", "1");""")
        browser.until("the other one", lambda: browser.text("#act-composer") == "Basket")
        browser.type("#act-text", '{"add": {"_0": "tea"}}')
        browser.choose("#recordings-composer", str(fork))
        browser.until("the fork", lambda: browser.text("#act-composer") != "Basket")
        browser.choose("#act-case", "")
        assert action(browser) == {"clear": {}}
        browser.choose("#recordings-composer", "1")
        browser.until("its draft", lambda: action(browser) == {"add": {"_0": "tea"}})
        browser.leave()
    finally:
        own.end()


def test_again(browser):
    """The action of a step is copied as JSON, and sent again"""
    browser.open(program("acting").url)
    send(browser, '{"rename": {"title": "again"}}')
    browser.click_row("#steps-list .row[data-event]", 'rename(title: "again")')
    browser.until("the details", lambda: browser.is_shown("#detail-copy"))
    browser.click("#detail-copy")
    browser.until("it is copied", lambda: browser.text("#detail-copy") == "Copied")
    assert json.loads(browser.clipboard()) == {"rename": {"title": "again"}}
    browser.type("#act-text", "")
    browser.run("document.querySelector('#act').open = false")
    browser.click("#detail-send")
    browser.until("the action", lambda: action(browser) == {"rename": {"title": "again"}})
    browser.until("the focus", lambda: browser.focused() == "act-text")
    newest = "return Math.max(...[...document.querySelectorAll('#steps-list .row[data-event]')].map((row) => Number(row.dataset.event)))"
    before = browser.run(newest)
    browser.chord(Keys.CONTROL, Keys.ENTER)
    browser.until("its step", lambda: browser.run(newest) > before)


def test_narrow(browser):
    """An action is sent on a narrow page"""
    browser.size(600, 667)
    try:
        browser.open(program("acting").url)
        browser.click("#side-toggle")
        send(browser, '{"rename": {"title": "narrow"}}')
        browser.click("#side-toggle")
        browser.click_row("#steps-list .row[data-event]", 'rename(title: "narrow")')
        browser.until("the details", lambda: browser.is_shown("#detail-send"))
        browser.click("#detail-send")
        browser.until("the focus", lambda: browser.focused() == "act-text")
        browser.click("#act-send")
        browser.until("it is sent", lambda: browser.text("#act-result") == "Sent.")
    finally:
        browser.size(1400)


def test_refused(browser):
    """A composer that receives no actions says why"""
    browser.open(program("hostile").url)
    browser.until("a composer", lambda: "Hostile" in browser.text("#composers"))
    browser.click("#act summary")
    browser.until("the reason", lambda: "not Decodable" in browser.text("#act-hint"))
    assert not browser.is_shown("#act-text")
    own = Program("recordings")
    try:
        open_fork(browser, own)
        assert browser.is_shown("#act-text")
        browser.click("#forks [data-key^=end]")
        browser.until("its end", lambda: "has ended" in browser.text("#act-hint"))
        browser.leave()
    finally:
        own.end()
