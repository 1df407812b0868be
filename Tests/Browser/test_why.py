from programs import program


def test_why(browser):
    """A step shows what caused it and what it caused, and each of them is a link"""
    browser.open(program("acting").url)
    send(browser, '{"load": {"query": "milk"}}')
    browser.click_row("#steps-list .row[data-event]", 'loaded("milk")')
    why = browser.until("the causes", lambda: (texts := browser.texts("#why li")) and len(texts) == 3 and texts)
    assert "load(query: \"milk\")" in why[0] and "started" in why[1] and "loaded(\"milk\")" in why[2], why
    assert "outside" in why[0], why
    event = browser.attribute("#why li:first-child button", "data-event")
    browser.click("#why li:first-child button")
    browser.until("the cause", lambda: "load(query:" in browser.text("#detail-title"))
    browser.until("its row", lambda: browser.all(f'#steps-list .row[data-event="{event}"][aria-selected="true"]'))
    browser.until("its effects", lambda: any("ended" in text or "completed" in text for text in browser.texts("#why li")))
    assert f"event={event}" in browser.place()
    browser.screenshot("why")


def test_details(browser):
    """The details have the action and the changes of a step"""
    browser.open(program("acting").url)
    send(browser, '{"rename": {"title": "second"}}')
    browser.click_row("#steps-list .row[data-event]", 'rename(title: "second")')
    browser.until("the action", lambda: "rename" in browser.text("#detail-action"))
    browser.until("the change", lambda: "title" in (text := browser.text("#detail-changes")) and '"second"' in text)
    browser.click("#detail-changes .change button")
    browser.until("the changed value", lambda: browser.run(
        "return document.querySelector('#state-tree [aria-selected=true]')?.dataset.path") == "title")
    browser.until("its step", lambda: browser.text("#state-action") == 'rename(title: "second")')
    browser.screenshot("changed-value")
    browser.click("#detail-close")
    browser.until("no details", lambda: not browser.is_shown("#detail"))


def send(browser, action):
    """Sends an action from the page."""
    browser.run("document.querySelector('#act').open = true")
    browser.type("#act-text", action)
    browser.click("#act-send")
    browser.until("it is sent", lambda: browser.text("#act-result") == "Sent.")
