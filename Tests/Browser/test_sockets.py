import re
import shlex
import subprocess

from browser import Keys
from programs import program
from test_layout import check

ROWS = "#sockets-list .row[data-socket]"
MESSAGES = "#messages-list .row[data-event]"


def open_sockets(browser):
    traffic = program("sockets")
    traffic.wait("^ready")
    browser.open(traffic.url)
    browser.click("#tab-sockets")
    browser.until("sockets", lambda: len(browser.texts(ROWS)) >= 5)


def choose(browser, text, side="client", reconnects=False):
    """Chooses a socket that has a text."""
    browser.type("#sockets-search", text)
    browser.until(f"the socket {text}", lambda: browser.run("""
      const row = [...document.querySelectorAll(arguments[0])].find((row) => row.checkVisibility()
        && row.textContent.includes(arguments[1]) && row.querySelector(".side").textContent === arguments[2]
        && row.querySelector(".badge").checkVisibility() === arguments[3]);
      row?.click(); return row !== undefined""", ROWS, text, side, reconnects))
    browser.type("#sockets-search", "")
    browser.until("its name", lambda: browser.is_shown("#socket-name"))


def states(browser):
    """The states of the visible rows."""
    return browser.run("""
      return [...document.querySelectorAll(arguments[0])].filter((row) => row.checkVisibility()
        && row.getBoundingClientRect().top > 0).map((row) => row.dataset.state)""", ROWS)


def test_table(browser):
    """Sockets have their states, counts and ends"""
    open_sockets(browser)
    browser.until("each state", lambda: {"connected", "connecting", "failed", "closed"} <= set(states(browser)))
    shown = " ".join(browser.texts(ROWS))
    assert "attempt " in shown and "follows in 600000" in shown, shown
    assert re.search(r"\d\.\d×", shown) and "↓" in shown and " ms" in shown, shown
    browser.screenshot("sockets")
    # The live ones come first, so it may be below the visible ones.
    browser.type("#sockets-search", "1008")
    browser.until("the end of a socket", lambda: "1008 policy violation" in " ".join(browser.texts(ROWS)))
    browser.type("#sockets-search", "")
    browser.click("#sockets-live")
    browser.until("only live ones", lambda: not {"failed", "closed"} & set(states(browser)))
    browser.click("#sockets-live")
    browser.type("#sockets-search", "no such socket")
    browser.until("none", lambda: browser.text("#sockets-empty").startswith("No socket matches"))
    browser.type("#sockets-search", "")


def test_no_state(browser):
    """The details of a socket's event have no button for the state of a composer"""
    open_sockets(browser)
    choose(browser, "/feed")
    browser.until("messages", lambda: browser.all(MESSAGES))
    event = browser.attribute(MESSAGES, "data-event")
    browser.open(program("sockets").url, f"#tab=steps&event={event}")
    browser.until("the details", lambda: browser.is_shown("#detail-reveal"))
    assert not browser.is_shown("#detail-state")


def test_reconnecting(browser):
    """A client that reconnects counts its connections, and shows the reason of the last reconnect"""
    open_sockets(browser)
    browser.type("#sockets-search", "reconnects")
    browser.until("those that reconnect", lambda: len(states(browser)) == 2)
    browser.type("#sockets-search", "nobody")
    browser.until("the reason", lambda: any(
        text.startswith("attempt ") and "refused" in text for text in browser.texts(f"{ROWS} .state")))
    browser.type("#sockets-search", "flaky")
    browser.until("connections", lambda: any(int(text) >= 2 for text in browser.texts(f"{ROWS} .opened")))
    browser.type("#sockets-search", "")


def test_messages(browser):
    """The messages of a socket are listed with hidden secrets, and a message shows the step that it caused"""
    open_sockets(browser)
    choose(browser, "/feed")
    browser.until("news", lambda: sum("milk" in text for text in browser.texts(MESSAGES)) > 1)
    kinds = browser.run("return [...document.querySelectorAll(arguments[0])].map((row) => row.dataset.kind)", MESSAGES)
    assert {"received", "sent", "socket"} >= set(kinds) >= {"received"}, kinds
    browser.click("#messages-follow")
    browser.click_row(f"{MESSAGES}", "milk is out")
    browser.until("its text", lambda: "milk is out" in browser.text("#message-text"))
    browser.until("the whole text", lambda: '"token":"•••"' in browser.text("#message-text"))
    browser.until("its step", lambda: "heard" in browser.text("#message-why"))
    assert "abc123" not in browser.text("#messages-list")
    browser.screenshot("messages")
    browser.click('[data-message-filter="received"]')
    browser.until("what was sent", lambda: any("subscribe" in text for text in browser.texts(MESSAGES)))
    assert any("↑" in text for text in browser.texts(MESSAGES))
    browser.click('[data-message-filter="received"]')
    browser.type("#messages-search", "MILK")
    browser.until("found messages", lambda: (texts := browser.texts(f"{MESSAGES} .text")) and all("milk" in text for text in texts))
    browser.type("#messages-search", "no such message")
    browser.until("none", lambda: browser.text("#messages-empty").startswith("No event matches"))
    browser.type("#messages-search", "")


def test_cause(browser):
    """The message that caused a step is a link to the message"""
    open_sockets(browser)
    browser.click("#tab-steps")
    browser.click_row("#steps-list .row[data-event] .action", "milk is out")
    browser.until("its cause", lambda: len(browser.all("#why li")) >= 2)
    event = browser.attribute("#why li:first-child button", "data-event")
    browser.click("#why li:first-child button")
    browser.until("the message", lambda: browser.is_shown("#message-text") and "milk is out" in browser.text("#message-text"))
    assert browser.attribute("#tab-sockets", "aria-selected") == "true"
    browser.until("its row", lambda: browser.all(f'#messages-list .row[data-event="{event}"][aria-selected="true"]'))
    assert not browser.is_shown("#detail")


def test_commands(browser):
    """Copied commands connect to the URL, and quote what a shell would replace"""
    open_sockets(browser)
    choose(browser, "/feed")
    url = browser.text("#socket-name")
    browser.click("#socket-curl")
    browser.until("it is copied", lambda: browser.text("#socket-curl") == "Copied")
    command = shlex.split(browser.clipboard())
    assert command[0] == "curl" and command[-1] == url.replace("ws://", "http://"), command
    # curl stays connected until its time is over.
    answer = subprocess.run([*command, "--max-time", "2", "--silent"], capture_output=True).stdout
    assert answer.startswith(b"HTTP/1.1 101"), answer[:200]
    browser.click("#socket-python")
    browser.until("it is copied", lambda: browser.text("#socket-python") == "Copied")
    command = shlex.split(browser.clipboard())
    assert command == ["python3", "-m", "websockets", url], command
    hostile = """ws://example.com/'"$(touch harm)`touch harm`;[1-3]{a,b}?x=1&y=\\!"""
    commands = browser.run_async("""
      const { curlCommand, isAddress, pythonCommand } = await import(new URL("commands.js", location.href));
      return [curlCommand(values[0]), pythonCommand(values[0]), ["ws://a/", "wss://a/b?c", "ws://a/ b", "ws://a/\\n", "http://a/", "a client"].map(isAddress)]
    """, hostile)
    assert shlex.split(commands[0])[-1] == hostile.replace("ws:", "http:"), commands[0]
    assert shlex.split(commands[1])[-1] == hostile, commands[1]
    assert commands[2] == [True, True, False, False, False, False], commands[2]
    choose(browser, "127.0.0.1", side="server")
    browser.until("no command for a client of the server", lambda: not browser.is_shown("#socket-curl"))


def test_cut(browser):
    """A connection is cut, and its client reports the end"""
    open_sockets(browser)
    choose(browser, "nobody", reconnects=True)
    assert browser.is_shown("#socket-cut")
    choose(browser, "/farewell")
    browser.until("no button for an ended one", lambda: not browser.is_shown("#socket-cut"))
    choose(browser, "flaky", reconnects=True)
    browser.until("one that reconnects", lambda: browser.is_shown("#socket-cut"))
    browser.click("#socket-cut")
    browser.until("it connects again", lambda: "attempt" in browser.text("#messages-list"))
    assert not browser.is_shown("#socket-error")


def test_keys(browser):
    """A socket and its messages are reached with keys only"""
    open_sockets(browser)
    browser.keys("1", "4")
    browser.until("the sockets", lambda: browser.attribute("#tab-sockets", "aria-selected") == "true")
    browser.keys("/")
    browser.until("the search", lambda: browser.focused() == "sockets-search")
    browser.keys("/feed", Keys.ESCAPE)
    browser.until("one client", lambda: states(browser) == ["connected"])
    browser.keys("j", Keys.ENTER)
    browser.until("its messages", lambda: browser.focused() == "messages-list")
    browser.until("messages", lambda: browser.all(MESSAGES))
    browser.keys("k", "k", Keys.ENTER)
    browser.until("a message", lambda: browser.focused() == "message" and browser.text("#message-text"))
    browser.type("#sockets-search", "")


def test_harmless(browser):
    """Messages, reasons and names that are HTML are shown as texts"""
    open_sockets(browser)
    choose(browser, "/feed")
    browser.until("a script", lambda: any("<script>" in text for text in browser.texts(MESSAGES)))
    browser.click_row(MESSAGES, "<img")
    browser.until("its text", lambda: "<img" in browser.text("#message-text"))
    browser.until("why", lambda: browser.text("#message-why"))
    browser.click_row(MESSAGES, "desrever")
    browser.until("marks", lambda: "U+202E" in browser.run(
        "return [...document.querySelectorAll('#message-text .control')].map((mark) => mark.textContent)"))
    choose(browser, "/farewell")
    browser.until("the reason", lambda: any("onerror" in text for text in browser.texts(MESSAGES)))
    browser.click_row(MESSAGES, "onerror")
    assert browser.run("return window.wasHarmed") is None
    assert browser.run("return document.querySelectorAll('body script, img, iframe').length") == 0


def views(browser, scheme, width):
    browser.size(width)
    browser.theme(scheme)
    open_sockets(browser)
    browser.until("a round trip", lambda: " ms" in browser.text("#sockets-list") or width < 900)
    choose(browser, "/feed")
    browser.until("news", lambda: len(browser.texts(MESSAGES)) > 3)
    browser.click_row(MESSAGES, "milk")
    browser.until("why", lambda: browser.text("#message-why"))
    check(browser, f"{scheme}-{width}-sockets")


def test_light(browser):
    """The view of sockets fits, in light colours"""
    views(browser, "light", 1400)
    views(browser, "light", 600)


def test_dark(browser):
    """The view of sockets fits, in dark colours"""
    views(browser, "dark", 1400)
    views(browser, "dark", 600)


def test_slow(browser):
    """A connection is slowed down and brought back to full speed"""
    open_sockets(browser)
    choose(browser, "/farewell")
    browser.until("no field for an ended one", lambda: not browser.is_shown("#socket-slow"))
    choose(browser, "/quiet")
    browser.until("a field", lambda: browser.is_shown("#socket-slow") and not browser.is_shown("#socket-full-speed"))
    browser.run("document.querySelector('#socket-delay').value = '300'")
    browser.click("#socket-slow")
    browser.until("the delay", lambda: "slowed down by 300 ms" in browser.text("#socket-facts"))
    browser.until("a long round trip", lambda: any(
        float(time.split()[0]) >= (0.6 if time.endswith(" s") else 600)
        for time in browser.texts(f"{ROWS} .trip") if time and time.split()[1] in ("ms", "s")))
    browser.screenshot("slow")
    browser.run("document.querySelector('#socket-delay').value = '60001'")
    browser.click("#socket-slow")
    browser.until("the error", lambda: "60000" in browser.text("#socket-error"))
    browser.click("#socket-full-speed")
    browser.until("full speed", lambda: "slowed down" not in browser.text("#socket-facts"))
    assert not browser.is_shown("#socket-error")
