import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct HTTPHeadFormTests {
  private static let browser =
    "GET / HTTP/1.1\r\nHost: example.com\r\nConnection: Upgrade\r\nPragma: no-cache\r\n"
    + "Cache-Control: no-cache\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n"
    + "Upgrade: websocket\r\nOrigin: https://example.com\r\nSec-WebSocket-Version: 13\r\n"
    + "Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: en-US,en;q=0.9\r\n"
    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    + "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n"

  private func form(of head: String) -> [UInt8] {
    var form: [UInt8] = []
    HTTPHeadForm.append(head.utf8, to: &form)
    return form
  }

  @Test(
    arguments: [
      browser, "", "\r\n", "GET /chat?id=7 HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1\r\nX: GET / Host: Upgrade: websocket\r\nupgrade: websocket\r\n\r\n",
      "Upgrade: websocket\r", "Upgrade: websocket", "Host:", "Host: ", "Cookie: a=\"ü\"\tb\r\n\r\n",
      "GET /\u{1}\r\nA: \u{2}\u{0}\r\n\r\n", "\u{0}",
    ])
  func `a head is restored as it was`(head: String) {
    #expect(HTTPHeadForm.head(of: form(of: head)[...]) == Array(head.utf8))
  }

  @Test func `each text with a code is one byte, and is restored anywhere in a head`() {
    for text in HTTPHeadForm.texts {
      #expect(form(of: text).count == 1)
      for head in ["A: b\r\n\(text)", "A: \(text)", "\(text)\(text)"] {
        #expect(HTTPHeadForm.head(of: form(of: head)[...]) == Array(head.utf8))
      }
    }
  }

  @Test func `the head of a browser takes less than half of its bytes`() {
    #expect(form(of: Self.browser).count < Self.browser.utf8.count / 2)
  }
}
