import json
import pathlib
import re
import tempfile

from browser import Keys, expecting
from programs import program
from test_layout import check
from test_why import send


def open_recordings(browser, name="recordings", composer=1):
    running = program(name)
    running.wait("^ready")
    browser.open(running.url, f"#tab=recordings&composer={composer}")
    browser.until("steps", lambda: "step" in browser.text("#range-status"))


def number(browser):
    """The number of the composer of the view."""
    return int(browser.value("#recordings-composer"))


def saved(browser, click):
    """The text of the file that a click saves, and its name."""
    with tempfile.TemporaryDirectory() as folder:
        browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
        browser.click(click)
        file = browser.until("a saved file", lambda: next(
            (file for file in pathlib.Path(folder).iterdir()
             # The browser reserves the name by an empty file.
             if not file.name.endswith(".crdownload") and not file.name.startswith(".") and file.stat().st_size > 0), None))
        return file.read_text(), file.name


def range_of(browser, first, last):
    browser.type("#range-from", first)
    browser.type("#range-to", last)


def copied(browser):
    """The JSON lines of the range, which a button copies."""
    browser.click("#recording-copy")
    browser.until("it is copied", lambda: browser.text("#recording-copy") == "Copied")
    return browser.clipboard()


def steps(text):
    """The steps of JSON lines, without those that only have the state before the first one."""
    lines = [json.loads(line) for line in text.splitlines()]
    return [line["kind"]["step"]["_0"] for line in lines if "step" in line.get("kind", {})]


def test_lines(browser):
    """Steps are saved and copied as JSON lines, all or a range"""
    open_recordings(browser)
    text, name = saved(browser, "#recording-download")
    assert name == "Basket.jsonl", name
    assert [step["number"] for step in steps(text)][:5] == [1, 2, 3, 4, 5], text[:300]
    range_of(browser, "2", "4")
    assert [step["number"] for step in steps(copied(browser))] == [1, 2, 3, 4]
    range_of(browser, "99999", "")
    browser.click("#recording-copy")
    browser.until("no such step", lambda: browser.text("#recording-result") == "The inspector does not have step 99,999.")
    browser.click("#range-all")
    assert browser.value("#range-from") == "" == browser.value("#range-to")


def test_chosen(browser):
    """The range begins with the chosen event"""
    browser.open(program("recordings").url)
    browser.click_row("#steps-list .row[data-event]", 'remove("bread")')
    browser.until("details", lambda: browser.is_shown("#detail-title"))
    browser.click("#detail-close")
    browser.click_row("#steps-list .row[data-event]", 'remove("bread")')
    browser.click("#tab-recordings")
    browser.until("the chosen step", lambda: browser.value("#range-from") == "4")
    browser.click("#range-all")
    browser.click("#range-chosen")
    assert browser.value("#range-from") == "4"
    browser.type("#range-from", "2")
    browser.click("#tab-steps")
    browser.click("#tab-recordings")
    browser.until("the steps", lambda: browser.text("#range-status").startswith("5 steps"))
    assert browser.value("#range-from") == "2", "the range is kept"


def count(browser):
    return json.loads(browser.value("#test-state") or "{}").get("count")


def test_test(browser):
    """A test is exported, whose last state is corrected only if it was changed"""
    open_recordings(browser)
    range_of(browser, "1", "4")
    browser.type("#test-name", "removing an item lowers the count")
    assert browser.value("#test-make") == "" and browser.attribute("#test-make", "placeholder") == "Basket()"
    browser.click("#test-create")
    browser.until("the source", lambda: "@Test func `removing an item lowers the count`()" in (browser.text("#test-source") or ""))
    assert "the recorded states" in browser.text("#test-result")
    browser.click("#test-correction summary")
    browser.until("the state", lambda: count(browser) == 3)
    assert "9007199254740993" in browser.value("#test-state")
    browser.click("#test-create")
    browser.until("no correction", lambda: "still returns the recorded states" in browser.text("#test-source"))
    edit = "const area = document.querySelector('#test-state'); area.value = arguments[0]; area.dispatchEvent(new Event('input'))"
    browser.run(edit, re.sub('"count" ?: ?3', '"count": 2', browser.value("#test-state")))
    browser.until("the change", lambda: browser.text("#test-difference") == "count3 → 2")
    assert browser.text("#test-changes h4") == "The correction: 1 change"
    browser.click("#test-create")
    source = browser.until("the correction", lambda: "the corrected one" in (text := browser.text("#test-source")) and text)
    assert '"count":2' in source and '"receipt":9007199254740993' in source, source[-800:]
    browser.screenshot("test")
    text, name = saved(browser, "#test-download")
    assert (text, name) == (source, "RemovingAnItemLowersTheCountTests.swift"), name
    browser.click("#test-copy")
    browser.until("it is copied", lambda: browser.text("#test-copy") == "Copied")
    assert browser.clipboard() == source
    browser.run(edit, '{"count": "many"}')
    browser.click("#test-create")
    browser.until("no state", lambda: browser.text("#test-result").startswith("The corrected state is not one"))
    browser.run(edit, "{")
    browser.click("#test-create")
    browser.until("no JSON", lambda: browser.text("#test-result").startswith("The corrected state is not JSON: "))
    browser.run(edit, "[" * 80 + "]" * 80)
    browser.click("#test-create")
    browser.until("too deep", lambda: browser.text("#test-result") == "The message has more than 64 levels.")
    browser.run(edit, json.dumps({"title": "x" * (1 << 20)}))
    browser.click("#test-create")
    browser.until("too long", lambda: browser.text("#test-result") == "The request has more than 1 MiB.")
    browser.click("#test-undo")
    browser.until("the state as it was", lambda: count(browser) == 3)


def import_file(browser, name, text):
    """Imports a file with the field, and returns the number of its composer."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / name
        file.write_text(text)
        browser.driver.find_element("css selector", "#import-file").send_keys(str(file))
        return browser.until("an answer", lambda: browser.text("#import-result").startswith(name) and number(browser))


def test_import(browser):
    """A file is imported from a field or by a drop, and its composer is chosen"""
    open_recordings(browser)
    text = copied(browser)
    assert '"composer":"inspected.Basket",' in text, text[:400]
    typed = import_file(browser, "typed.jsonl", text)
    assert typed > 1 and not browser.is_shown("#test-note")
    assert browser.attribute("#test-make", "placeholder") == "Basket()"
    text = text.replace('"composer":"inspected.Basket",', "")
    first = import_file(browser, "week <img src=x> & 50%.jsonl", text)
    assert first > typed and browser.is_shown("#test-note")
    assert "week <img src=x> & 50%.jsonl" in browser.text("#composers"), browser.text("#composers")
    assert f"composers={first}" in browser.place()
    browser.until("its steps", lambda: browser.text("#range-status").startswith("5 steps: 1 to 5"))
    browser.run("""
      const files = new DataTransfer();
      files.items.add(new File([arguments[0]], "dropped.jsonl"));
      for (const name of ["dragover", "drop"]) {
        document.querySelector("#import").dispatchEvent(new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer: files }));
      }""", text)
    browser.until("another", lambda: number(browser) > first)
    assert "dropped.jsonl" in browser.text("#import-result")
    browser.choose("#compare-first", str(first))
    browser.choose("#compare-second", str(number(browser)))
    browser.click("#compare-button")
    browser.until("no difference", lambda: browser.text("#compare-equal") == "5 steps are equal. There is no difference.")


def test_imported(browser):
    """An imported recording shows its actions, changes and states as the program does"""
    open_recordings(browser)
    import_file(browser, "earlier.jsonl", copied(browser))
    browser.click("#tab-steps")
    actions = browser.until("its steps", lambda: len(texts := browser.texts("#steps-list .row .action")) == 5 and "…" not in texts and texts)
    assert actions[:2] == ['add("milk")', 'add("bread")'], actions
    changes = browser.texts("#steps-list .row .changes")
    assert "count: 1 → 2" in changes[1] and changes[4].startswith('title: "basket" → '), changes
    browser.click_row("#steps-list .row[data-event]", 'add("bread")')
    browser.until("the change", lambda: "count1 → 2" in browser.text("#detail-changes"))
    assert "Dictionary" not in browser.text("#detail"), browser.text("#detail")
    browser.screenshot("imported")
    browser.click("#detail-state")
    browser.until("the state", lambda: "count" in (browser.text("#state-tree") or ""))
    root = browser.text('#state-tree .node[data-path=""]')
    assert root == "State" and "Dictionary" not in browser.text("#state-tree"), root


def test_clock_set_back(browser):
    """A step by a clock that was set back is before the one above it"""
    open_recordings(browser)
    range_of(browser, "1", "3")
    lines = copied(browser).splitlines()
    step = json.loads(lines[-1])
    step["time"] = json.loads(lines[-2])["time"] - 90.5
    import_file(browser, "back.jsonl", "\n".join([*lines[:-1], json.dumps(step)]))
    browser.click("#tab-steps")
    times = browser.until("its steps", lambda: len(texts := browser.texts("#steps-list .row .time")) == 3 and all(texts) and texts)
    assert times[-1] == "−90.5 s", times


def test_progress(browser):
    """An import and an export that take long say so"""
    open_recordings(browser)
    browser.run("""
      const wait = () => new Promise((resolve) => setTimeout(resolve, 1500));
      const fetched = window.fetch;
      window.fetch = async (...values) => { await wait(); return fetched(...values) };
      const send = WebSocket.prototype.send;
      WebSocket.prototype.send = async function (text) { if (text.includes('"export"')) await wait(); send.call(this, text) }""")
    browser.click("#recording-copy")
    browser.until("its progress", lambda: browser.text("#recording-result") == "Writing the steps… " and browser.is_shown("#recording-result progress"))
    browser.until("its end", lambda: "lines" in browser.text("#recording-result") and not browser.is_shown("#recording-result progress"))
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "long.jsonl"
        file.write_text(browser.clipboard())
        browser.driver.find_element("css selector", "#import-file").send_keys(str(file))
        browser.until("its progress", lambda: browser.text("#import-result").startswith("Reading long.jsonl, ")
                      and browser.is_shown("#import-result progress"))
        browser.until("its end", lambda: "is composer" in browser.text("#import-result"))


def test_endless(browser):
    """An effect of a file that has no end there does not run"""
    running = program("acting")
    browser.open(running.url)
    send(browser, '{"wait": {}}')
    browser.open(running.url, "#tab=recordings&composer=1")
    browser.until("steps", lambda: "step" in browser.text("#range-status"))
    import_file(browser, "endless.jsonl", copied(browser))
    browser.click("#tab-effects")
    browser.until("an effect without an end", lambda: "unknown" in browser.texts("#effects-list .row[data-outcome] .outcome"))
    assert "running" not in browser.texts("#effects-list .row[data-outcome] .outcome")
    browser.screenshot("endless")


@expecting("400 (Bad Request)")
def test_malformed(browser):
    """A file that is none is refused with its line"""
    open_recordings(browser)
    import_file(browser, "wrong.jsonl", '{"dropped":0}\nno JSON\n')
    assert browser.text("#import-result") == "wrong.jsonl: Line 2 is not an entry of a recording."
    assert browser.attribute("#import-result", "class") == "error" and number(browser) == 1


def test_fork(browser):
    """A composer is forked at a step, compared with its origin, and ended"""
    open_recordings(browser)
    browser.type("#fork-step", "3")
    browser.click("#fork-create")
    fork = browser.until("the fork", lambda: (value := number(browser)) > 1 and value)
    line = f'#forks li[data-composer="{fork}"]'
    browser.until("its line", lambda: "from event 3 of Basket" in browser.text(line))
    assert "fork of 1 after event 3" in browser.text(f'#composers [data-composer="{fork}"]')
    send(browser, '{"remove": {"_0": "bread"}}')
    browser.until("its step", lambda: "1 step" in browser.text(line))
    browser.screenshot("fork")
    browser.click(f"{line} [data-key^=compare]")
    browser.until("the difference", lambda: browser.text("#compare-equal") == "1 step from outside is equal. The first difference is at position 2:")
    assert browser.attribute("#compare-outside", "aria-pressed") == "true"
    browser.click("#compare-outside")
    browser.click("#compare-button")
    browser.until("all steps", lambda: browser.text("#compare-equal") == "1 step is equal. The first difference is at position 2:")
    browser.click(f"{line} [data-key^=end]")
    browser.until("its end", lambda: "ended" in browser.text(line))


def test_fork_of_step(browser):
    """A step's details fork its composer, and the fork is forked again"""
    running = program("recordings")
    running.wait("^ready")
    browser.open(running.url, "#tab=steps&composers=1&composer=1")
    browser.click_row("#steps-list .row[data-event]", 'add("bread")')
    browser.until("the details", lambda: browser.is_shown("#detail-fork"))
    browser.click("#detail-fork")
    browser.until("the state of a fork", lambda: browser.is_shown("#state-tree") and "composer=1&" not in browser.place() + "&")
    browser.until("its items", lambda: "2 items" in browser.text("#state-tree"))
    assert not browser.is_shown("#detail"), "the step of another composer"
    browser.click("#tab-recordings")
    fork = browser.until("the fork", lambda: (value := number(browser)) > 1 and value)
    browser.until("its button", lambda: browser.is_shown("#fork-create"))
    browser.click("#fork-create")
    other = browser.until("another fork", lambda: (value := number(browser)) > fork and value)
    browser.until("its line", lambda: "of Basket" in browser.text(f'#forks li[data-composer="{other}"]'))
    for composer in (fork, other):
        browser.click(f'#forks li[data-composer="{composer}"] [data-key^=end]')


def test_compare(browser):
    """The first difference of two composers is shown, with links to its steps"""
    open_recordings(browser)
    range_of(browser, "1", "3")
    lines = copied(browser).splitlines()
    first = import_file(browser, "first.jsonl", "\n".join(lines))
    changed = json.loads(lines[-1])
    changed["kind"]["step"]["_0"]["state"]["items"][-1] = "<b>tea</b>"
    other = import_file(browser, "other.jsonl", "\n".join([*lines[:-1], json.dumps(changed)]))
    browser.choose("#compare-first", str(first))
    browser.choose("#compare-second", str(other))
    browser.click("#compare-button")
    browser.until("the difference", lambda: browser.text("#compare-equal") == "2 steps are equal. The first difference is at position 3:")
    assert "items" in browser.text("#compare-changes") and "<b>tea</b>" in browser.text("#compare-changes")
    browser.screenshot("compare")
    event = browser.attribute(".compared li:nth-child(2) button", "data-event")
    browser.click(".compared li:nth-child(2) button")
    browser.until("its step", lambda: browser.all(f'#steps-list .row[data-event="{event}"][aria-selected="true"]'))
    assert f"composers={first}%2C{other}" in browser.place(), browser.place()


def test_refused(browser):
    """A composer that is not Codable and cannot be forked says what to do"""
    browser.open(program("hostile").url, "#tab=recordings")
    browser.until("the reason", lambda: browser.is_shown("#recording-refused"))
    assert not browser.is_shown("#recording-download") and not browser.is_shown("#test-create")
    assert not browser.is_shown("#fork-create") and "inspector.add(" in browser.text("#fork-hint")
    browser.screenshot("not-codable")


def test_keys(browser):
    """A test is exported with keys only"""
    open_recordings(browser)
    browser.keys("1", "6")
    browser.run("document.querySelector('#recordings-composer').focus()")
    ids = []
    for _ in range(30):
        browser.keys(Keys.TAB)
        ids.append(browser.focused())
        if ids[-1] == "test-create":
            break
    assert {"range-from", "range-to", "recording-download", "test-name", "test-make"} <= set(ids), ids
    browser.keys(Keys.ENTER)
    browser.until("the source", lambda: "@Test" in (browser.text("#test-source") or ""))


def test_layout(browser):
    """The view of recordings fits, in both widths and themes"""
    for scheme in ("light", "dark"):
        for width in (1400, 600):
            browser.size(width)
            browser.theme(scheme)
            open_recordings(browser)
            browser.click("#test-correction summary")
            browser.until("the state", lambda: "count" in browser.value("#test-state"))
            browser.click("#test-create")
            browser.until("the source", lambda: "@Test" in (browser.text("#test-source") or ""))
            check(browser, f"{scheme}-{width}-recordings")
