import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct FrameDecoderTests {
  /// A header and the unmasked payload of all its pieces.
  private struct Decoded: Equatable {
    var header: FrameHeader
    var payload = Data()
    var isWhole = false
  }

  /// Decodes bytes in these parts, and checks that the pieces are contiguous.
  private func decode(_ parts: [[UInt8]], _ side: Side) throws(ProtocolError) -> [Decoded] {
    var decoder = FrameDecoder(expectsMask: side.getsMasked)
    var frames: [Decoded] = []
    for part in parts {
      try part.withUnsafeBufferPointer { buffer throws(ProtocolError) in
        var input = UnsafeRawBufferPointer(buffer)
        while let piece = try decoder.next(&input) {
          #expect(piece.isFirst == (frames.last?.isWhole ?? true))
          if piece.isFirst { frames.append(Decoded(header: piece.header)) }
          let last = frames.count - 1
          #expect(frames[last].header == piece.header)
          #expect(frames[last].payload.count == piece.offset)
          let start = frames[last].payload.count
          piece.append(to: &frames[last].payload)
          let unmasked = piece.withUnmaskedBytes { Data($0) }
          #expect(frames[last].payload[start...] == unmasked)
          frames[last].isWhole = piece.isLast
        }
        #expect(input.isEmpty)
      }
    }
    return frames
  }

  @Test(arguments: Side.allCases)
  func `the decoded frames do not depend on the split of the bytes`(side: Side) throws {
    let long = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    let wire =
      side.incoming(0x81, "Hello") + side.incoming(0x89) + side.incoming(0x02, long)
      + side.incoming(0x80, "end")
    let whole = try decode([wire], side)
    #expect(whole.map(\.header.opcode) == [.text, .ping, .binary, .continuation])
    #expect(whole.map(\.header.isFinal) == [true, true, false, true])
    #expect(whole.map(\.payload) == [Data("Hello".utf8), Data(), Data(long), Data("end".utf8)])
    #expect(whole.allSatisfy { $0.isWhole })
    for (head, tail) in wire.splits {
      #expect(try decode([head, tail], side) == whole)
    }
    #expect(try decode(wire.map { [$0] }, side) == whole)
  }

  @Test(arguments: Side.allCases)
  func `the header of a frame is decoded before its payload arrives`(side: Side) throws {
    let header = Array(side.incoming(0x82, [1, 2, 3]).dropLast(3))
    let frames = try decode([header], side)
    #expect(frames.map(\.header.payloadLength) == [3])
    #expect(frames.map(\.isWhole) == [false])
  }

  @Test(arguments: [125, 126, 65535, 65536])
  func `5.2: all three forms of the length are decoded`(length: Int) throws {
    for side in Side.allCases {
      let payload = [UInt8](repeating: 0x5A, count: length)
      let frames = try decode([side.incoming(0x82, payload)], side)
      #expect(frames.map(\.payload) == [Data(payload)])
    }
  }

  @Test(
    arguments: [
      ([0xC1, 0], .reservedBitsSet),
      ([0xA1, 0], .reservedBitsSet),
      ([0x91, 0], .reservedBitsSet),
      ([0x83, 0], .reservedOpcode(3)),
      ([0x87, 0], .reservedOpcode(7)),
      ([0x8B, 0], .reservedOpcode(11)),
      ([0x8F, 0], .reservedOpcode(15)),
      ([0x09, 0], .fragmentedControlFrame(.ping)),
      ([0x0A, 0], .fragmentedControlFrame(.pong)),
      ([0x08, 0], .fragmentedControlFrame(.close)),
      ([0x89, 126, 0, 126], .controlFrameTooLong(length: 126)),
      ([0x88, 127, 0, 0, 0, 0, 0, 1, 0, 0], .controlFrameTooLong(length: 65536)),
      ([0x82, 126, 0, 125], .lengthNotMinimal),
      ([0x82, 126, 0, 0], .lengthNotMinimal),
      ([0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .lengthNotMinimal),
      ([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], .lengthOutOfRange),
      ([0x82, 127, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .lengthOutOfRange),
    ] as [([UInt8], ProtocolError)]
  )
  func `5.2, 5.5: an invalid header is refused before the key`(
    header: [UInt8],
    error: ProtocolError
  ) {
    for side in Side.allCases {
      var bytes = header
      if side.getsMasked { bytes[1] |= 0x80 }
      #expect(throws: error) { try decode([bytes], side) }
      #expect(throws: error) { try decode(bytes.map { [$0] }, side) }
    }
  }

  @Test func `5.1: an unmasked frame of a client and a masked frame of a server are refused`() {
    #expect(throws: ProtocolError.unmaskedClientFrame) { try decode([[0x81, 0x00]], .server) }
    #expect(throws: ProtocolError.maskedServerFrame) { try decode([[0x81, 0x80]], .client) }
  }

  @Test func `the largest length that fits is not a trap`() throws {
    let header: [UInt8] = [0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2]
    let frames = try decode([header], .client)
    #expect(frames.map(\.header.payloadLength) == [Int.max])
    #expect(frames.map(\.payload) == [Data([1, 2])])
  }

  /// All first and second bytes, and lengths around the limits of each form.
  @Test(arguments: [false, true])
  func `the fast path reads a header as the header parser does`(expectsMask: Bool) {
    let decoder = FrameDecoder(expectsMask: expectsMask)
    let key: [UInt8] = [1, 2, 3, 4]
    var wrong: [[UInt8]] = []
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        for (high, low) in [(0, 0), (0, 125), (0, 126), (1, 0)] as [(UInt8, UInt8)] {
          let isLong = second & 0x7F == 126
          let bytes = [first, second] + (isLong ? [high, low] : []) + key
          let wire = bytes + [UInt8](repeating: 7, count: 300)
          wire.withUnsafeBytes { input in
            let glance = decoder.wholeMessage(at: input)
            let parsed = try? FrameHeader.parse(
              input, expectsMask: expectsMask, allowsCompression: false)
            let isMessage =
              parsed.map { header, size in
                header.isFinal && (header.opcode == .text || header.opcode == .binary)
                  && header.payloadLength <= input.count - size
              } ?? false
            let isSame =
              glance.map { piece, size in
                piece.header == parsed?.header && piece.isLast && piece.isFirst
                  && size == (parsed?.size ?? 0) + piece.bytes.count
              } ?? true
            if (glance != nil) != isMessage || !isSame { wrong.append(bytes) }
          }
        }
      }
    }
    #expect(wrong.isEmpty)
  }
}
