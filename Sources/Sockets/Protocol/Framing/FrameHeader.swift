/// The first 2 to 14 bytes of a frame (RFC 6455, section 5.2).
struct FrameHeader: Equatable {
  var isFinal: Bool
  /// RSV1: the message that begins with this frame is compressed (RFC 7692, section 6).
  var isCompressed = false
  var opcode: Opcode
  var payloadLength: Int
  /// The key that masks the payload; frames of a client have one, frames of a server do not.
  var maskKey: MaskKey?

  /// The longest payload of a control frame, in bytes (5.5).
  static let maximumControlLength = 125

  /// Parses the header at the front of `bytes`; returns it with its size.
  ///
  /// - Returns: Nil when more bytes are needed.
  static func parse(
    _ bytes: UnsafeRawBufferPointer,
    expectsMask: Bool,
    allowsCompression: Bool
  ) throws(ProtocolError) -> (header: FrameHeader, size: Int)? {
    guard bytes.count >= 2 else { return nil }
    let (first, second) = (bytes[0], bytes[1])
    // 5.2: reserved bits are zero unless an extension defines them; permessage-deflate defines the
    // first one.
    guard first & (allowsCompression ? 0x30 : 0x70) == 0 else { throw .reservedBitsSet }
    guard let opcode = Opcode(rawValue: first & 0x0F) else { throw .reservedOpcode(first & 0x0F) }
    let isCompressed = first & 0x40 != 0
    // RFC 7692, 6: only the first frame of a message may mark it as compressed.
    guard !isCompressed || opcode == .text || opcode == .binary else { throw .reservedBitsSet }
    let isFinal = first & 0x80 != 0
    // 5.5: control frames are not fragmented.
    guard isFinal || !opcode.isControl else { throw .fragmentedControlFrame(opcode) }
    // 5.1: a client masks all its frames, a server does not mask any.
    guard (second & 0x80 != 0) == expectsMask else {
      throw expectsMask ? .unmaskedClientFrame : .maskedServerFrame
    }

    let lengthField = Int(second & 0x7F)
    let lengthEnd = lengthField < 126 ? 2 : lengthField == 126 ? 4 : 10
    let size = lengthEnd + (expectsMask ? 4 : 0)
    guard bytes.count >= lengthEnd else { return nil }
    let length = try payloadLength(bytes, field: lengthField)
    // 5.5: control frames carry at most 125 bytes.
    guard length <= maximumControlLength || !opcode.isControl else {
      throw .controlFrameTooLong(length: length)
    }
    // The loads below stay inside `bytes`, which has at least `size` bytes.
    guard bytes.count >= size else { return nil }
    let key = expectsMask ? bytes.loadUnaligned(fromByteOffset: lengthEnd, as: UInt32.self) : nil
    let header = FrameHeader(
      isFinal: isFinal,
      isCompressed: isCompressed,
      opcode: opcode,
      payloadLength: length,
      maskKey: key.map(MaskKey.init(loaded:))
    )
    return (header, size)
  }

  /// The payload's length: 7 bits, or 16 or 64 bits after them; the shortest form MUST be used
  /// (5.2).
  private static func payloadLength(
    _ bytes: UnsafeRawBufferPointer,
    field: Int
  ) throws(ProtocolError) -> Int {
    switch field {
    case 126:
      let length = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
      guard length >= 126 else { throw .lengthNotMinimal }
      return Int(length)
    case 127:
      let length = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
      guard length > UInt64(UInt16.max) else { throw .lengthNotMinimal }
      // 5.2: the most significant bit MUST be 0. The length then fits an Int.
      guard let length = Int(exactly: length) else { throw .lengthOutOfRange }
      return length
    default:
      return field
    }
  }
}
