import subprocess

from programs import program
from test_layout import check


def open_server(browser):
    traffic = program("sockets")
    traffic.wait("^ready")
    browser.open(traffic.url)
    browser.click("#tab-servers")
    browser.until("the server", lambda: browser.text(".server h2").startswith("ws://127.0.0.1:"))


def figure(browser, name):
    return browser.text(f'[data-figure="{name}"] dd')


def rate(browser, name):
    return browser.text(f'[data-rate="{name}"] .value')


def test_figures(browser):
    """A server has its connections, closes and refusals, and its traffic in the last minute"""
    open_server(browser)
    url = browser.text(".server h2")
    browser.until("connections", lambda: int(figure(browser, "open")) >= 1)
    assert int(figure(browser, "accepted").replace(",", "")) >= 3
    browser.until("closes", lambda: "1006 without a close frame" in browser.text('[data-counts="closed"]'))
    assert "1008 policy violation" in browser.text('[data-counts="closed"]')
    assert "403 forbidden" in browser.text('[data-counts="refused"]')
    subprocess.run(["curl", "--silent", url.replace("ws:", "http:")], capture_output=True)
    browser.until("a refusal", lambda: "426 upgrade required" in browser.text('[data-counts="refused"]'))
    browser.until("a rate", lambda: rate(browser, "messagesSent") not in ("…", "0/s"), 20)
    sent = float(rate(browser, "messagesSent").removesuffix("/s"))
    assert 2 <= sent <= 8, sent
    points = "return document.querySelector('[data-rate=messagesSent] path:not(.area)').getAttribute('d').split('L').length"
    before = browser.run(points)
    browser.until("the line grows", lambda: browser.run(points) > before + 1)
    assert rate(browser, "bytesSent").endswith("B/s")
    assert figure(browser, "loopLag") and figure(browser, "queuedBytes").endswith("B")
    return f"{sent} messages/s"


def test_hidden(browser):
    """The rates begin anew when the view is shown again"""
    open_server(browser)
    browser.until("a rate", lambda: rate(browser, "messagesSent") not in ("…", "0/s"))
    browser.click("#tab-steps")
    browser.until("steps", lambda: browser.texts("#steps-list .row[data-event]"))
    browser.click("#tab-servers")
    browser.until("a rate", lambda: 2 <= float(rate(browser, "messagesSent").removesuffix("/s")) <= 8)


def test_none(browser):
    """A program without a server or a socket says what appears here"""
    browser.open(program("acting").url, "#tab=servers")
    browser.until("the hint", lambda: browser.is_shown("#servers-empty"))
    browser.screenshot("no-server")
    browser.click("#tab-sockets")
    browser.until("the hint", lambda: browser.text("#sockets-empty").startswith("No socket yet."))
    browser.screenshot("no-sockets")


def test_layout(browser):
    """The view of servers fits, in both widths and themes"""
    for scheme in ("light", "dark"):
        for width in (1400, 600):
            browser.size(width)
            browser.theme(scheme)
            open_server(browser)
            browser.until("a rate", lambda: rate(browser, "messagesSent") not in ("…", "0/s"))
            browser.until("closes", lambda: "1006" in browser.text('[data-counts="closed"]'))
            check(browser, f"{scheme}-{width}-server")
