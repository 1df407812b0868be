from programs import program


def test_harmless(browser):
    """Texts that are HTML or scripts are shown as texts, and large values are cut"""
    hostile = program("hostile")
    hostile.wait("^ready")
    browser.open(hostile.url)
    browser.run("""
      window.strange = [];
      new MutationObserver((changes) => {
        for (const change of changes) for (const node of change.addedNodes) {
          if (node.querySelectorAll?.("script, img, iframe, a, b, object, embed, form, style").length > 0) strange.push(node.outerHTML);
          if (/^(script|img|iframe|a|b|object|embed|form|style)$/i.test(node.nodeName)) strange.push(node.outerHTML);
        }
      }).observe(document, { childList: true, subtree: true })""")
    browser.click('[data-kind-filter="started"]')
    browser.click('[data-kind-filter="ended"]')
    browser.until("all events", lambda: browser.text("#steps-status").startswith("7 events"))
    browser.until("texts", lambda: any("<script>" in text for text in browser.texts("#steps-list .row .action")))
    for text in ("<script>", "<img", "logIn", "load("):
        browser.click_row("#steps-list .row[data-event]", text)
        browser.until("details", lambda: browser.text("#why") and browser.is_shown("#detail-title"))
    shown = browser.text("body")
    assert "swordfish" not in shown and "hunter2" not in shown, "a password is shown"
    browser.screenshot("hostile-steps")
    browser.click("#tab-effects")
    browser.until("the effect", lambda: any("<script>" in text for text in browser.texts("#effects-list .row .id")))
    browser.click("#tab-state")
    browser.until("the state", lambda: browser.all('#state-tree .node[data-path="password"][data-node="redacted"]'))
    for path in ("byKey", "cycle", "rows", "rows[0]", "control"):
        browser.until(path, lambda: browser.run("""
          const node = [...document.querySelectorAll("#state-tree .node")].find((node) => node.dataset.path.startsWith(arguments[0]));
          if (node?.getAttribute("aria-expanded") === "false") node.click(); return node !== undefined""", path))
    browser.until("a cut cycle", lambda: any("cycle" in text for text in browser.texts("#state-tree .badge")))
    for _ in range(60):
        # Opens the deepest link that is visible.
        browser.run("""[...document.querySelectorAll('#state-tree .node[data-path^="chain"][aria-expanded="false"]')].at(-1)?.click()""")
    browser.until("50 levels", lambda: browser.run("""
      return document.querySelectorAll('#state-tree .node[data-path^="chain"]').length""") > 50)
    browser.run("document.querySelector('#state-tree .load:last-of-type')?.click()")
    browser.choose("#state-compare", "before")
    browser.until("the difference", lambda: browser.is_shown("#state-changes"))
    browser.screenshot("hostile-state")
    control = browser.run("""return [...document.querySelectorAll('#state-tree .node[data-path="control"] .control')]
      .map((mark) => mark.textContent).join(" ")""")
    assert control == "NUL ESC U+202E U+202C U+2066", control
    assert browser.run("return window.wasHarmed") is None, "a script of the program ran"
    assert browser.run("return strange") == [], browser.run("return strange")
    # An open dialog would fail every command before this one.
    assert browser.run("return document.querySelectorAll('body script, img, iframe').length") == 0
    longest = browser.run("""return Math.max(...[...document.querySelectorAll("*")].map((element) => element.textContent.length))""")
    assert longest < 2_000_000, longest


def test_responsive(browser):
    """The page stays quick with hostile values"""
    browser.open(program("hostile").url, "#tab=state")
    browser.until("the state", lambda: browser.all('#state-tree .node[data-path="long"]'))
    worst = browser.run_async("""
      let worst = 0, last = performance.now();
      for (let round = 0; round < 60; round++) {
        if (round % 10 === 0) document.querySelector("#tab-" + ["steps", "effects", "state"][round / 10 % 3]).click();
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const now = performance.now();
        worst = Math.max(worst, now - last);
        last = now;
      }
      return worst""")
    assert worst < 500, worst
    return f"worst frame {worst:.0f} ms"
