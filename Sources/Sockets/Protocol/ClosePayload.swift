/// The payload of a close frame: empty, or a code and a reason in UTF-8 (RFC 6455, section 5.5.1).
struct ClosePayload: Hashable {
  /// The code; `.noStatus` stands for an empty payload.
  var code: CloseCode
  var reason: String
}

extension ClosePayload {
  /// Parses the payload of the peer's close frame.
  init(parsing bytes: [UInt8]) throws(ProtocolError) {
    if bytes.isEmpty {
      // 7.1.5: without a code the connection's close code is 1005.
      self.init(code: .noStatus, reason: "")
      return
    }
    // 5.5.1: if there is a body, its first two bytes are the code.
    guard bytes.count >= 2 else { throw .closeFrameTooShort }
    let code = CloseCode(rawValue: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
    guard code.isSendable else { throw .invalidCloseCode(code.rawValue) }
    guard let reason = String(validating: bytes[2...], as: UTF8.self) else {
      throw .closeReasonNotUTF8
    }
    self.init(code: code, reason: reason)
  }

  /// The payload to send; a reason longer than 123 bytes is cut at a code point.
  var bytes: [UInt8] {
    guard code != .noStatus else { return [] }
    var bytes = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
    bytes += reason.utf8.prefix(through: Self.maximumReasonLength)
    return bytes
  }

  /// The longest reason, in bytes: 125 of a control frame (5.5) without two for the code.
  private static let maximumReasonLength = FrameHeader.maximumControlLength - 2
}

extension String.UTF8View {
  /// The longest prefix of at most `count` bytes that ends with a whole code point.
  fileprivate func prefix(through count: Int) -> SubSequence {
    guard var end = index(startIndex, offsetBy: count, limitedBy: endIndex) else {
      return self[...]
    }
    // 10xxxxxx continues a code point: the cut must not be in front of it.
    while end < endIndex, end > startIndex, self[end] & 0xC0 == 0x80 { end = index(before: end) }
    return self[..<end]
  }
}
