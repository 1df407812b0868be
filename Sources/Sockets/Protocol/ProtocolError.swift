/// A rule of RFC 6455 or RFC 7692 that the peer broke, or our limit that it exceeded.
///
/// The connection has failed (7.1.7): a close frame with `closeCode` was sent to the peer, and
/// nothing more is read. Connecting again helps only if the peer behaves differently next time.
public enum ProtocolError: Error, Hashable, Codable, Sendable {
  /// A reserved bit was set without an extension that defines it (5.2), or where permessage-deflate
  /// does not define it (RFC 7692, 6). The peer uses an extension that was not agreed upon: examine
  /// its handshake, and that of any proxy on the way.
  case reservedBitsSet
  /// A frame had an opcode that the RFC reserves (5.2). The peer is faulty, or not a WebSocket.
  case reservedOpcode(UInt8)
  /// A control frame was not final (5.5). The peer is faulty.
  case fragmentedControlFrame(Opcode)
  /// A control frame carried more than 125 bytes (5.5). The peer is faulty.
  case controlFrameTooLong(length: Int)
  /// A length was written in more bytes than it needs (5.2). The peer is faulty.
  case lengthNotMinimal
  /// A length of 64 bits had its highest bit set (5.2). The peer is faulty, or not a WebSocket.
  case lengthOutOfRange
  /// A client sent a frame without a mask (5.1). The client is faulty.
  case unmaskedClientFrame
  /// A server sent a frame with a mask (5.1). The server is faulty.
  case maskedServerFrame
  /// A continuation arrived outside a message (5.4). The peer is faulty.
  case continuationWithoutStart
  /// A message began inside another one (5.4). The peer is faulty: does it send from two threads?
  case messageInsideMessage
  /// A text message is not UTF-8 (5.6, 8.1). The peer should send it as binary.
  case textNotUTF8
  /// The reason in a close frame is not UTF-8 (5.5.1). The peer is faulty.
  case closeReasonNotUTF8
  /// A close frame carried a single byte (5.5.1). The peer is faulty.
  case closeFrameTooShort
  /// A close frame carried a code that may not be sent (7.4). The peer is faulty.
  case invalidCloseCode(UInt16)
  /// A message is longer than the limit, in bytes. It was rejected by its header before it was
  /// stored, or while it was inflated. `length` is the length known at that time. Raise the limit,
  /// or split the message.
  case messageTooLong(length: Int, limit: Int)
  /// A compressed message is not valid DEFLATE, or does not end with a flush (RFC 7692, 7.2). The
  /// peer is faulty; try without compression.
  case compressedDataInvalid

  /// The code of the close frame that reports this error to the peer.
  public var closeCode: CloseCode {
    switch self {
    case .textNotUTF8, .closeReasonNotUTF8, .compressedDataInvalid: .invalidPayload
    case .messageTooLong: .messageTooBig
    default: .protocolError
    }
  }
}

extension ProtocolError: CustomStringConvertible {
  /// The error as one line of English, which is also the reason in the close frame.
  public var description: String {
    switch self {
    case .reservedBitsSet: "a reserved bit is set that no extension agreed upon defines here"
    case .reservedOpcode(let opcode): "opcode \(opcode) is reserved"
    case .fragmentedControlFrame(let opcode): "a \(opcode) frame is fragmented"
    case .controlFrameTooLong(let length):
      "a control frame has \(length) bytes; at most 125 are allowed"
    case .lengthNotMinimal: "a payload length is written in more bytes than it needs"
    case .lengthOutOfRange: "a payload length has its highest bit set"
    case .unmaskedClientFrame: "a frame of the client is not masked"
    case .maskedServerFrame: "a frame of the server is masked"
    case .continuationWithoutStart: "a continuation frame came while no message was begun"
    case .messageInsideMessage: "a message began before the last one was complete"
    case .textNotUTF8: "a text message is not valid UTF-8"
    case .closeReasonNotUTF8: "the reason in a close frame is not valid UTF-8"
    case .closeFrameTooShort: "a close frame has a body of one byte"
    case .invalidCloseCode(let code): "close code \(code) may not be sent"
    case .messageTooLong(let length, let limit):
      "a message has \(length) bytes or more; the limit is \(limit)"
    case .compressedDataInvalid: "a compressed message cannot be inflated"
    }
  }
}
