import Foundation
import TestSupport
import Testing

@testable import Sockets

/// The length of a rejection's body (RFC 9112, section 6.3).
@Suite(.workerPool) struct RejectionTests {
  /// The body of a rejection in these parts, and whether it is complete.
  private func body(
    _ parts: [[UInt8]],
    status: Int = 401,
    _ headers: HTTPHeaders
  ) -> (text: String, isComplete: Bool) {
    var rejection = Rejection(status: status, reason: "", headers: headers)
    for part in parts {
      part.withUnsafeBytes { bytes in
        var input = bytes
        rejection.receive(&input)
      }
    }
    guard case .rejected(_, _, _, let body) = rejection.error else { return ("", false) }
    return (String(decoding: body, as: UTF8.self), rejection.isComplete)
  }

  @Test(
    arguments: [
      (["Content-Length": "4"], "bodymore", "body", true),
      (["Content-Length": "9"], "body", "body", false),
      (["Content-Length": "0"], "more", "", true), ([:], "body", "body", false),
      (["Transfer-Encoding": "chunked"], "3\r\nbod\r\n1;a=b\r\ny\r\n0\r\n\r\n", "body", true),
      (["Transfer-Encoding": "gzip, chunked"], "A\r\n0123456789\r\n", "0123456789", false),
      // With both, the chunks determine the length.
      (["Transfer-Encoding": "chunked", "Content-Length": "1"], "2\r\nab\r\n0\r\n", "ab", true),
      (["Transfer-Encoding": "chunked"], "what?\r\nbody", "", true),
      (["Transfer-Encoding": "chunked"], "-1\r\nbody", "", true),
    ] as [(HTTPHeaders, String, String, Bool)]
  )
  func `the body of a rejection ends where the headers specify`(
    headers: HTTPHeaders,
    bytes: String,
    text: String,
    isComplete: Bool
  ) {
    for (first, second) in Array(bytes.utf8).splits {
      let body = body([first, second], headers)
      #expect(body.text == text)
      #expect(body.isComplete == isComplete)
    }
  }

  @Test(arguments: [204, 304]) func `some rejections have no body`(status: Int) {
    #expect(body([Array("more".utf8)], status: status, [:]) == ("", true))
  }

  @Test func `at most 64 KiB of a body are kept for any split of the bytes`() {
    let bytes = [UInt8](repeating: 0x61, count: 70_000)
    let chunks = Array("11170\r\n".utf8) + bytes
    let cases: [([UInt8], HTTPHeaders)] = [
      (bytes, [:]), (bytes, ["Content-Length": "70000"]),
      (chunks, ["Transfer-Encoding": "chunked"]),
    ]
    for (bytes, headers) in cases {
      let body = body([bytes], headers)
      #expect(body.text.utf8.count == 65_536)
      #expect(body.isComplete)
    }
  }
}
