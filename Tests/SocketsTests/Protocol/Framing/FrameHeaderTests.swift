import TestSupport
import Testing

@testable import Sockets

@Suite("The header of a frame", .workerPool) struct FrameHeaderTests {
  private func parse(
    _ bytes: [UInt8], expectsMask: Bool = false, allowsCompression: Bool = false
  ) throws(ProtocolError) -> (header: FrameHeader, size: Int)? {
    try bytes.withUnsafeBufferPointer { (bytes) throws(ProtocolError) in
      try FrameHeader.parse(
        UnsafeRawBufferPointer(bytes),
        expectsMask: expectsMask,
        allowsCompression: allowsCompression
      )
    }
  }

  @Test(
    arguments: [
      ([0x82, 0x00], 0), ([0x82, 0x7D], 125), ([0x82, 0x7E, 0x00, 0x7E], 126),
      ([0x82, 0x7E, 0xFF, 0xFF], 65_535), ([0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0], 65_536),
      ([0x82, 0x7F, 0x7F, 255, 255, 255, 255, 255, 255, 255], .max),
    ] as [([UInt8], Int)]
  )
  func `5.2: a header has the bytes of its length form, and waits for all of them`(
    bytes: [UInt8], length: Int
  ) throws {
    let parsed = try #require(try parse(bytes + [1, 2, 3]))
    #expect(parsed.size == bytes.count)
    #expect(
      parsed.header == FrameHeader(isFinal: true, opcode: .binary, payloadLength: length))
    for count in 0..<bytes.count { #expect(try parse(Array(bytes.prefix(count))) == nil) }
  }

  @Test func `5.3: the key of a client follows the length`() throws {
    for (length, size) in [([0x85], 6), ([0xFE, 0x00, 0x80], 8)] as [([UInt8], Int)] {
      let bytes = [0x01] + length + [1, 2, 3, 4]
      let parsed = try #require(try parse(bytes, expectsMask: true))
      #expect(parsed.size == size && parsed.header.maskKey == MaskKey(1, 2, 3, 4))
      #expect(!parsed.header.isFinal && parsed.header.opcode == .text)
      #expect(try parse(Array(bytes.dropLast()), expectsMask: true) == nil)
    }
  }

  @Test func `5.5: a control frame that is too long is refused before its key arrives`() {
    #expect(throws: ProtocolError.controlFrameTooLong(length: 126)) {
      try parse([0x89, 0xFE, 0x00, 0x7E], expectsMask: true)
    }
    #expect(throws: ProtocolError.fragmentedControlFrame(.ping)) { try parse([0x09, 0x00]) }
  }

  @Test func `RFC 7692, 6: the first frame of a message has RSV1, if compression is negotiated`()
    throws
  {
    let text = try #require(try parse([0xC1, 0x00], allowsCompression: true))
    #expect(text.header.isCompressed)
    #expect(throws: ProtocolError.reservedBitsSet) { try parse([0xC1, 0x00]) }
    for first: UInt8 in [0xC0, 0xC8, 0xC9, 0xA1, 0x91] {
      #expect(throws: ProtocolError.reservedBitsSet) {
        try parse([first, 0x00], allowsCompression: true)
      }
    }
  }
}
