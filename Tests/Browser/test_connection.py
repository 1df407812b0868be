import http.client
import http.server
import threading
import urllib.parse

from browser import expecting
from programs import Program, program


def test_reload(browser):
    """A reload keeps the tab, the composers, the event and the state"""
    url = program("dashboard").url
    browser.open(url, "#tab=state&composers=1&event=2&state=2")
    browser.until("the event", lambda: "event 2" in browser.text("#detail-facts"))
    browser.until("the step", lambda: browser.text("#state-place").startswith("step "))
    place, step = browser.place(), browser.text("#state-place")
    browser.driver.refresh()
    browser.until("the same event", lambda: "event 2" in browser.text("#detail-facts"))
    browser.until("the same step", lambda: browser.text("#state-place") == step)
    assert browser.place() == place and browser.attribute("#tab-state", "aria-selected") == "true"


@expecting("WebSocket connection to")
def test_end(browser):
    """A program that has ended is shown as such, with what was received last"""
    ended = Program("acting")
    try:
        browser.open(ended.url)
        browser.run("""
          window.attempts = 0;
          window.WebSocket = class extends WebSocket { constructor(...values) { super(...values); window.attempts += 1; } }""")
    finally:
        ended.end()
    browser.until("the end", lambda: browser.attribute("#connection", "data-state") == "ended")
    browser.until("a text", lambda: "has ended" in browser.text("#banner"))
    dots = browser.run("return [...document.querySelectorAll('#composers .row[data-composer=\"1\"] .live')].map((dot) => dot.dataset.live)")
    assert dots == ["false"], f"the composers of a program that has ended: {dots}"
    assert "The next start prints a new address" in browser.text("#banner")
    attempts = browser.run("return window.attempts")
    assert 0 < attempts <= 3, attempts
    browser.run_async("await new Promise((resolve) => setTimeout(resolve, 6000))")
    assert browser.run("return window.attempts") == attempts, "the page goes on trying"
    assert "Acting" in browser.text("#composers")
    browser.screenshot("ended")


@expecting("WebSocket connection to")
def test_stop(browser):
    """An inspector that stops closes the page's connection with 1001"""
    stopped = Program("acting")
    try:
        stopped.wait("^ready")
        browser.open(stopped.url)
        socket = stopped.url.replace("http", "ws") + "socket"
        browser.run(f"window.code = null; new WebSocket('{socket}').onclose = (close) => (window.code = close.code)")
        browser.run_async("await new Promise((resolve) => setTimeout(resolve, 300))")
        stopped.write("stop")
        browser.until("the end", lambda: browser.attribute("#connection", "data-state") == "ended")
        browser.until("the code", lambda: browser.run("return window.code") == 1001)
    finally:
        stopped.end()


def status(url, path, headers):
    address = urllib.parse.urlparse(url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=10)
    connection.request("GET", path, headers=headers)
    return connection.getresponse().status


def test_secret(browser):
    """Another secret is answered with 404, for the page and for the socket"""
    url = program("acting").url
    path = urllib.parse.urlparse(url).path
    other = "/" + ("0" if path[1] != "0" else "1") + path[2:]
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
               "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
    answers = {name: status(url, name, headers) for name, headers in (
        (path, {}), (other, {}), ("/", {}), (other + "main.js", {}), (other + "socket", upgrade),
        (path + "../" + path[1:], {}), (path + "main.js/..", {}))}
    assert answers.pop(path) == 200 and set(answers.values()) == {404}, answers
    foreign = {**upgrade, "Origin": "http://example.com"}
    assert status(url, path + "socket", foreign) == 403
    assert status(url, path + "socket", {**upgrade, "Origin": "null"}) == 403
    assert status(url, path + "socket", upgrade) == 101


@expecting("WebSocket connection to", "blocked by CORS policy", "Failed to load resource", "frame-ancestors", "Framing")
def test_origin(browser):
    """The page of another origin reaches neither the socket nor the files, also when it knows the secret"""
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>another origin</title>")

        def log_message(self, *values):
            pass

    url = program("acting").url
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        browser.driver.get(f"http://127.0.0.1:{server.server_port}/")
        found = browser.run_async("""
          const [url] = values;
          const opened = await new Promise((resolve) => {
            const socket = new WebSocket(url.replace("http", "ws") + "socket");
            socket.onopen = () => resolve("open");
            socket.onclose = () => resolve("closed");
          });
          const read = await fetch(url).then((answer) => answer.text(), () => "refused");
          const frame = document.createElement("iframe");
          frame.src = url;
          await new Promise((resolve) => { frame.onload = resolve; document.body.append(frame); setTimeout(resolve, 2000); });
          let framed = "refused";
          try { framed = frame.contentDocument?.title ?? "refused" } catch {}
          return { opened, read, framed };""", url)
    finally:
        server.shutdown()
        server.server_close()
    assert found == {"opened": "closed", "read": "refused", "framed": "refused"}, found


def test_files(browser):
    """All files of the page come with a policy that forbids foreign and inline code"""
    url = program("acting").url
    browser.open(url)
    found = browser.run_async("""
      const files = performance.getEntriesByType("resource").map((entry) => entry.name).concat([location.href.split("#")[0]]);
      const answers = await Promise.all(files.filter((name) => name.startsWith("http")).map((name) => fetch(name)));
      const sizes = await Promise.all(answers.map(async (answer) => (await answer.blob()).size));
      return { count: files.length, size: sizes.reduce((sum, size) => sum + size, 0),
        policies: [...new Set(answers.map((answer) => answer.headers.get("Content-Security-Policy")))] }""")
    [policy] = found["policies"]
    assert "default-src 'none'" in policy and "unsafe" not in policy, policy
    assert found["count"] > 20 and found["size"] < 256 * 1024, found
    return f"{found['size']:,} bytes"
