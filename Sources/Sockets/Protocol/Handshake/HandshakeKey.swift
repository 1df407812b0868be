/// The 16 bytes that tie an answer to its request (RFC 6455, section 1.3).
struct HandshakeKey: Equatable {
  /// The key in base64, as in the header.
  let text: ArraySlice<UInt8>

  /// Makes a new key: a nonce of 16 bytes, chosen anew for every connection (4.1).
  init(random: RandomBytes) {
    var nonce = [UInt8](repeating: 0, count: 16)
    nonce.withUnsafeMutableBytes { random($0) }
    var text: [UInt8] = []
    Base64.append(nonce, to: &text)
    self.text = text[...]
  }

  /// Reads the key of a request; nil unless it is the base64 of 16 bytes (4.2.1).
  init?(text: ArraySlice<UInt8>) {
    guard text.count == 24, text.suffix(2).elementsEqual("==".utf8),
      text.dropLast(2).allSatisfy(Base64.isDigit)
    else { return nil }
    self.text = text
  }

  /// The server's answer (4.2.2): base64 of SHA-1 of the key and a fixed GUID.
  var accept: [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(128)
    message += text
    message += "258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8
    var accept: [UInt8] = []
    Base64.append(SHA1.digest(message), to: &accept)
    return accept
  }
}
