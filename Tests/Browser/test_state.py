import json

from programs import program
from test_why import send

NODES = "#state-tree .node"


def names(browser):
    return browser.texts(f"{NODES} .name")


def count(browser):
    text = browser.run("return document.querySelector('#state-tree .node[data-path=\"count\"]')?.textContent")
    return int(text.split(": ")[1]) if text else None


def open_state(browser):
    browser.open(program("acting").url)
    send(browser, '{"add": {"_0": 1}}')
    send(browser, '{"add": {"_0": 1}}')
    browser.click("#tab-state")
    browser.until("the state", lambda: names(browser)[:3] == ["count", "title", "results"])


def test_beginning(browser):
    """The state before the first step is not that of step 1"""
    running = program("recordings")
    running.wait("^ready")
    browser.open(running.url, "#tab=state&composers=1&composer=1&state=0")
    browser.until("its place", lambda: browser.text("#state-place") == "the beginning")
    browser.until("its slider", lambda: not browser.run("return document.querySelector('#state-slider').disabled"))
    assert browser.text("#state-place") == "the beginning"
    browser.click("#state-after")
    browser.until("the first step", lambda: browser.text("#state-place").startswith("step 1 "))
    browser.click("#state-before")
    browser.until("the beginning again", lambda: browser.text("#state-place") == "the beginning" and count(browser) == 0)
    assert browser.value("#state-slider") == browser.attribute("#state-slider", "min")
    browser.click("#state-before")
    assert browser.text("#state-place") == "the beginning"


def test_clicks(browser):
    """Each of several fast clicks moves by a step"""
    running = program("recordings")
    running.wait("^ready")
    browser.open(running.url, "#tab=state&composers=1&composer=1&state=5")
    browser.until("its slider", lambda: browser.text("#state-place").startswith("step 5 ") and browser.value("#state-slider") == "4")
    clicks = "for (let count = 0; count < arguments[1]; count++) document.querySelector(arguments[0]).click()"
    browser.run(clicks, "#state-before", 3)
    browser.until("the step three before", lambda: browser.text("#state-place").startswith("step 2 "))
    browser.run(clicks, "#state-after", 2)
    browser.until("two steps later", lambda: browser.text("#state-place").startswith("step 4 "))


def test_tree(browser):
    """The state is a tree, whose long lists are loaded when they are opened"""
    browser.open(program("dashboard").url)
    browser.click("#tab-state")
    browser.until("the state", lambda: "frames" in names(browser))
    browser.click('#state-tree .node[data-path="log"]')
    browser.until("closed", lambda: "log.values" not in paths(browser))
    browser.click('#state-tree .node[data-path="log"]')
    browser.click('#state-tree .node[data-path="log.values"]')
    browser.until("its elements", lambda: "log.values[0]" in paths(browser))
    browser.click('#state-tree .node[data-path="log.values[0]"]')
    browser.until("an element that stays open", lambda: "log.values[0].text" in paths(browser))
    browser.screenshot("state")


def paths(browser):
    return browser.run(f"return [...document.querySelectorAll('{NODES}')].map((node) => node.dataset.path)")


def test_slider(browser):
    """The slider and its buttons move through the states"""
    open_state(browser)
    last = count(browser)
    browser.click("#state-before")
    browser.until("the state before", lambda: count(browser) == last - 1)
    assert browser.attribute("#state-latest", "aria-pressed") == "false"
    browser.run("""const slider = document.querySelector("#state-slider"); slider.value = slider.min;
      slider.dispatchEvent(new Event("input"))""")
    browser.until("the beginning", lambda: browser.text("#state-place") == "the beginning")
    browser.click("#state-after")
    browser.until("the first step", lambda: browser.text("#state-place").startswith("step 1 "))
    browser.click("#state-latest")
    browser.until("the last state", lambda: count(browser) == last)


def test_diff(browser):
    """A state is compared with the one before, and with a marked one"""
    open_state(browser)
    browser.choose("#state-compare", "before")
    browser.until("the change", lambda: "count" in browser.text("#state-changes"))
    browser.until("its mark", lambda: browser.all('#state-tree .node[data-path="count"][data-change="here"]'))
    assert browser.all('#state-tree .node[data-path=""][data-change="inside"]')
    browser.click("#state-mark")
    send(browser, '{"rename": {"title": "another"}}')
    send(browser, '{"rename": {"title": "third"}}')
    browser.until("both changes", lambda: '"third"' in browser.text("#state-changes"))
    browser.screenshot("diff")


def test_mark(browser):
    """A step of another composer is not compared with"""
    running = program("chat")
    browser.open(running.url, "#tab=state&composer=1")
    browser.until("the state", lambda: names(browser))
    browser.click("#state-mark")
    assert browser.value("#state-compare") == "marked"
    browser.click('#composers .row[data-composer="2"]')
    browser.until("the other composer", lambda: browser.value("#state-compare") == "")
    option = "return document.querySelector('#state-compare [value=marked]').disabled"
    assert browser.run(option) and not browser.is_shown("#state-difference")
    browser.click('#composers .row[data-composer="1"]')
    browser.until("the marked one", lambda: not browser.run(option))


def test_copy(browser):
    """The state is copied as JSON"""
    open_state(browser)
    browser.click("#state-copy")
    browser.until("it is copied", lambda: browser.text("#state-copy") == "Copied")
    state = json.loads(browser.clipboard())
    assert state["count"] == count(browser) and set(state) == {"count", "title", "results"}, state


def test_value(browser):
    """A chosen value is copied as JSON, and its correction ends with its step or composer"""
    running = program("recordings")
    running.wait("^ready")
    browser.open(running.url, "#tab=state&composers=1&composer=1&state=3")
    browser.until("the state", lambda: "items" in names(browser))
    place = "return document.querySelector('#state-tree').getBoundingClientRect().top"
    top = browser.run(place)
    browser.click('#state-tree .node[data-path="items"]')
    browser.until("its correction", lambda: browser.is_shown("#state-correction"))
    assert browser.run(place) == top, "the tree moves when a value is chosen"
    chosen = "return [...document.querySelectorAll('#state-tree [aria-selected=true]')].map((node) => node.dataset.path)"
    assert browser.run(chosen) == ["items"]
    browser.screenshot("chosen-value")
    browser.until("its JSON", lambda: (text := browser.value("#right-value")) and json.loads(text)[:2] == ["milk", "bread"])
    browser.click("#state-copy-value")
    browser.until("it is copied", lambda: browser.text("#state-copy-value") == "Copied")
    assert json.loads(browser.clipboard())[:2] == ["milk", "bread"]
    assert browser.text("#wrong-event") == "After event 3"
    browser.click("#state-after")
    browser.until("no correction", lambda: not browser.is_shown("#state-correction"))
    assert browser.run(chosen) == []
    assert browser.run("return document.querySelector('#state-copy-value').disabled")
    browser.click('#state-tree .node[data-path="title"]')
    browser.until("its JSON", lambda: browser.value("#right-value") == '"basket"')
    browser.type("#right-value", '"list"')
    browser.click('#state-tree .node[data-path="title"]')
    assert browser.value("#right-value") == '"list"', "what was written stays"
    browser.click("#tab-recordings")
    browser.until("its fork", lambda: browser.is_shown("#fork-create"))
    browser.click("#fork-create")
    fork = browser.until("the fork", lambda: (value := int(browser.value("#recordings-composer"))) > 1 and value)
    browser.click("#tab-state")
    browser.until("its state", lambda: "items" in names(browser))
    assert not browser.is_shown("#state-correction"), "the value of another composer"
    browser.click("#tab-recordings")
    browser.click(f'#forks li[data-composer="{fork}"] [data-key^=end]')
