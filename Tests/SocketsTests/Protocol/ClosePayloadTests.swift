import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct ClosePayloadTests {
  @Test func `5.5.1: code and reason of a close frame are written and read`() throws {
    let payload = ClosePayload(code: .goingAway, reason: "bye ✓")
    #expect(payload.bytes == [0x03, 0xE9] + Array("bye ✓".utf8))
    #expect(try ClosePayload(parsing: payload.bytes) == payload)
  }

  @Test func `7.1.5: an empty close body is read as 1005, and 1005 is written as an empty body`()
    throws
  {
    #expect(try ClosePayload(parsing: []) == ClosePayload(code: .noStatus, reason: ""))
    #expect(ClosePayload(code: .noStatus, reason: "lost").bytes == [])
  }

  @Test func `5.5.1: a close body of one byte is refused`() {
    #expect(throws: ProtocolError.closeFrameTooShort) { try ClosePayload(parsing: [0x03]) }
  }

  @Test(
    arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] as [UInt16]
  )
  func `7.4: an invalid close code is refused`(code: UInt16) {
    #expect(throws: ProtocolError.invalidCloseCode(code)) {
      try ClosePayload(parsing: [UInt8(code >> 8), UInt8(code & 0xFF)])
    }
  }

  @Test func `5.5.1: a close reason that is not UTF-8 is refused`() {
    #expect(throws: ProtocolError.closeReasonNotUTF8) {
      try ClosePayload(parsing: [0x03, 0xE8, 0xFF])
    }
  }

  @Test func `a close reason of 123 bytes is whole, a longer one is cut before its 124th byte`() {
    let fits = String(repeating: "x", count: 123)
    #expect(ClosePayload(code: .normal, reason: fits).bytes.count == 125)
    #expect(
      ClosePayload(code: .normal, reason: fits + "y").bytes.dropFirst(2) == ArraySlice(fits.utf8)
    )
  }

  @Test(arguments: ["é", "€", "😀"])
  func `a close reason is cut between code points`(character: String) {
    for leading in 0..<4 {
      let reason = String(repeating: "x", count: leading) + String(repeating: character, count: 130)
      let bytes = ClosePayload(code: .normal, reason: reason).bytes.dropFirst(2)
      let text = String(validating: bytes, as: UTF8.self)
      #expect(text.map(reason.hasPrefix) == true)
      #expect((120...123).contains(bytes.count))
    }
  }
}
