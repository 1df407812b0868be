import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct MessageAssemblerTests {
  private var assembler = MessageAssembler(limit: 10)

  /// Feeds the assembler a whole frame.
  private mutating func accept(
    _ opcode: Opcode,
    _ payload: [UInt8],
    isFinal: Bool = true
  ) throws(ProtocolError) -> WebSocketMessage? {
    let header = FrameHeader(isFinal: isFinal, opcode: opcode, payloadLength: payload.count)
    return try payload.withUnsafeBufferPointer { bytes throws(ProtocolError) in
      let bytes = UnsafeRawBufferPointer(bytes)
      var piece = FramePiece(header: header, bytes: bytes, offset: 0, isFirst: true)
      return try assembler.accept(&piece)
    }
  }

  @Test mutating func `5.4: fragments are one message, empty ones too`() throws {
    #expect(try accept(.text, Array("ab".utf8), isFinal: false) == nil)
    #expect(try accept(.continuation, [], isFinal: false) == nil)
    #expect(try accept(.continuation, Array("cd".utf8), isFinal: false) == nil)
    #expect(try accept(.continuation, []) == .text("abcd"))
    #expect(try accept(.binary, [], isFinal: false) == nil)
    #expect(try accept(.continuation, []) == .binary(Data()))
  }

  @Test mutating func `5.4: a continuation without a first fragment is refused`() {
    #expect(throws: ProtocolError.continuationWithoutStart) { try accept(.continuation, [1]) }
  }

  @Test mutating func `5.4: a message inside another message is refused`() throws {
    _ = try accept(.binary, [1], isFinal: false)
    #expect(throws: ProtocolError.messageInsideMessage) { try accept(.text, []) }
  }

  @Test mutating func `a message of the limit is accepted, and one byte more is refused`() throws {
    #expect(try accept(.binary, [UInt8](repeating: 1, count: 10)) != nil)
    #expect(throws: ProtocolError.messageTooLong(length: 11, limit: 10)) {
      try accept(.binary, [UInt8](repeating: 1, count: 11))
    }
  }

  @Test mutating func `all fragments count towards the limit`() throws {
    _ = try accept(.binary, [UInt8](repeating: 1, count: 6), isFinal: false)
    #expect(throws: ProtocolError.messageTooLong(length: 11, limit: 10)) {
      try accept(.continuation, [UInt8](repeating: 1, count: 5))
    }
  }

  @Test mutating func `lengths whose sum exceeds an Int are too long, not a trap`() throws {
    _ = try accept(.binary, [1], isFinal: false)
    let header = FrameHeader(isFinal: true, opcode: .continuation, payloadLength: .max)
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    #expect(throws: ProtocolError.messageTooLong(length: .max, limit: 10)) {
      var piece = FramePiece(header: header, bytes: nothing, offset: 0, isFirst: true)
      return try assembler.accept(&piece)
    }
  }

  @Test mutating func `8.1: a wrong byte fails its fragment`() throws {
    _ = try accept(.text, [0x61], isFinal: false)
    #expect(throws: ProtocolError.textNotUTF8) { try accept(.continuation, [0xFF], isFinal: false) }
  }

  @Test mutating func `8.1: a code point can be split between fragments, and must be complete`()
    throws
  {
    _ = try accept(.text, [0xE2, 0x82], isFinal: false)
    #expect(try accept(.continuation, [0xAC]) == .text("€"))
    _ = try accept(.text, [0xE2, 0x82], isFinal: false)
    #expect(throws: ProtocolError.textNotUTF8) { try accept(.continuation, []) }
  }
}
