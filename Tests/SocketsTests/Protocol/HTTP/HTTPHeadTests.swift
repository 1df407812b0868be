import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct HTTPHeadTests {
  /// Reads a head in these parts, and returns the remaining bytes of the last part.
  private func read(
    _ parts: [[UInt8]],
    expecting prefix: String = ""
  ) throws(HandshakeError) -> (head: HTTPHead?, rest: [UInt8]) {
    var reader = HTTPHeadReader(expecting: prefix)
    for (index, part) in parts.enumerated() {
      let (head, rest) = try part.withUnsafeBufferPointer { buffer throws(HandshakeError) in
        var input = UnsafeRawBufferPointer(buffer)
        return (try reader.receive(&input), [UInt8](input))
      }
      if let head { return (head, rest + parts[(index + 1)...].joined()) }
    }
    return (nil, [])
  }

  private func read(_ text: String) throws(HandshakeError) -> HTTPHead? {
    try read([Array(text.utf8)]).head
  }

  @Test func `an HTTP head is read at any split, and the following bytes remain`() throws {
    let bytes = Array(
      "GET / HTTP/1.1\r\nHost: h\r\nX:  a b \t\r\nEmpty:\r\n\r\n\u{1}rest\r\n\r\n".utf8
    )
    let headers: HTTPHeaders = ["Host": "h", "X": "a b", "Empty": ""]
    for (first, second) in bytes.splits {
      let (head, rest) = try read([first, second])
      #expect(head?.startLine.elementsEqual("GET / HTTP/1.1".utf8) == true)
      #expect(head?.headers == headers)
      #expect(rest == Array("\u{1}rest\r\n\r\n".utf8))
    }
    #expect(try read(bytes.map { [$0] }).head?.headers == headers)
  }

  @Test func `an HTTP head can have no headers`() throws {
    let head = try read("A\r\n\r\n")
    #expect(head?.startLine.elementsEqual("A".utf8) == true && head?.headers == [:])
  }

  @Test(
    arguments: [
      "A\nB: c\r\n\r\n", "A\r\nB: c\nD: e\r\n\r\n", "A\r\nB\r\n\r\n", "A\r\n folded: x\r\n\r\n",
      "A\r\nB: c\r\n d\r\n\r\n", "A\r\nB : c\r\n\r\n", "A\r\n: c\r\n\r\n", "A\r\nB: c\u{0}\r\n\r\n",
      "A\r\nB: c\rd\r\n\r\n", "A\r\nB c: d\r\n\r\n", "A\u{1}\r\n\r\n", "A\rB\r\n\r\n",
      "A\r\nB\r: c\r\n\r\n",
    ]
  )
  func `RFC 9112: folded lines, bare line breaks and control characters are refused`(text: String) {
    #expect {
      _ = try read(text)
    } throws: { error in
      guard case HandshakeError.malformedHead = error else { return false }
      return true
    }
  }

  @Test func `an HTTP head of 16 KiB is accepted, and a longer one is refused when it cannot fit`()
    throws
  {
    let frame = "A\r\nB: \r\n\r\n"
    let fits = "A\r\nB: " + String(repeating: "c", count: 16384 - frame.utf8.count) + "\r\n\r\n"
    #expect(try read(fits) != nil)
    let endless = [UInt8](repeating: 0x61, count: 16383)
    #expect(try read([endless]).head == nil)
    #expect(throws: HandshakeError.headTooLong(limit: 16384)) {
      try read([endless, [0x61]])
    }
  }

  @Test func `an HTTP head of 100 fields is accepted, and one of 101 is refused at any split`()
    throws
  {
    let fits = "A\r\n" + String(repeating: "b:\r\n", count: 100)
    #expect(try read(fits + "\r\n")?.headers.fields.count == 100)
    let bytes = Array((fits + "b:\r\n").utf8)
    for parts in [[bytes], bytes.map { [$0] }] {
      #expect(throws: HandshakeError.tooManyFields(limit: 100)) { try read(parts) }
    }
  }

  @Test func `the empty line ends an HTTP head at any split`() throws {
    for text in ["A\r\n\r\r\n\r\n", "A\r\n\r\n", "A\r\nB:\r\n\r\n"] {
      let bytes = Array(text.utf8)
      let whole = Result { try read([bytes]).head }
      for (first, second) in bytes.splits {
        let parts = Result { try read([first, second]).head }
        #expect("\(parts)" == "\(whole)")
      }
    }
    #expect(throws: HandshakeError.self) { try read("\r\n\r\n") }
  }

  @Test func `an HTTP head with an unexpected start is refused at its first wrong byte`() {
    #expect(throws: HandshakeError.notHTTP) { try read([Array("S".utf8)], expecting: "HTTP/1.") }
    // A ClientHello, whose sender waits for an answer.
    #expect(throws: HandshakeError.notHTTP) { try read([[0x16, 0x03, 0x01]]) }
    #expect(throws: HandshakeError.notHTTP) {
      try read([Array("HTTP/2".utf8)], expecting: "HTTP/1.")
    }
  }

  @Test func `bytes of an HTTP head that are not UTF-8 are Latin-1`() throws {
    let (head, _) = try read([Array("A\r\nB: ".utf8) + [0xE9] + Array("\r\n\r\n".utf8)])
    #expect(head?.headers["B"] == "é")
  }
}
