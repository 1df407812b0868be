from browser import Failure
from programs import program

ROWS = "#composers .row[data-composer]"


def test_tree(browser):
    """The composers of a program are listed, and one of them is chosen"""
    chat = program("chat")
    browser.open(chat.url)
    names = browser.until("three rows", lambda: browser.run(f"""
      return [...document.querySelectorAll("{ROWS}")].map((row) => row.dataset.composer).sort().join()""") == "1,2,all")
    assert names and "All composers (2)" in browser.text("#composers")
    browser.click('#composers .row[data-composer="2"]')
    browser.until("the steps of one", lambda: "composers=2" in browser.place())
    browser.until("bob's steps", lambda: any("bob" in text for text in browser.texts("#steps-list .row .action")))
    browser.click('#composers .row[data-composer="all"]')
    browser.until("all steps", lambda: "composers=" not in browser.place())


def test_ended(browser):
    """Composers that have ended are shown as such, and can be left out"""
    chat = program("chat")
    browser.open(chat.url)
    browser.until("ended", lambda: browser.attribute('#composers [data-composer="1"] .live', "data-live") == "false"
                  and browser.attribute('#composers [data-composer="2"] .live', "data-live") == "false", 30)
    browser.click("#composers-live")
    browser.until("no row", lambda: not browser.texts(ROWS))
    browser.click("#composers-live")
    browser.until("three rows", lambda: len(browser.texts(ROWS)) == 3)


def test_many(browser):
    """1,000 composers are listed, filtered, and keep the page quick"""
    many = program("many")
    many.wait("^ready")
    browser.open(many.url)
    browser.until("1,000 composers", lambda: "All composers (1,000)" in browser.text("#composers"))
    if len(browser.all(ROWS)) > 100:
        raise Failure("rows that are not visible are elements")
    browser.until("their steps", lambda: "1,000 events" in browser.text("#steps-status"))
    browser.type("#composers-search", "no such composer")
    browser.until("none", lambda: not browser.texts(ROWS))
    browser.type("#composers-search", "count")
    browser.until("some", lambda: len(browser.texts(ROWS)) > 10)
    scroller = "document.querySelector('#composers .scroller').scrollTop"
    browser.run(f"{scroller} = 1e9")
    browser.until("the last ones", lambda: browser.run(f"return {scroller}") > 1000)
    browser.type("#composers-search", "counter")
    browser.until("the first ones", lambda: browser.run(f"return {scroller}") == 0)
    browser.run(f"{scroller} = 1e9")
    browser.click('#composers .row[data-composer="1000"]')
    browser.until("one step", lambda: browser.text("#steps-status") == "1 event")
    browser.until("its action", lambda: browser.texts("#steps-list .row .action") == ["add(1000)"])
