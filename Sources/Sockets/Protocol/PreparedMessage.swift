#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A message for many connections, compressed once for all that use the same window.
///
/// It is used by one thread only.
final class PreparedMessage {
  let message: WebSocketMessage
  /// The compressed forms by the bits of the window; nil for a message sent uncompressed.
  private var compressed: [Int: Data?] = [:]

  init(_ message: WebSocketMessage) { self.message = message }

  /// How many windows have a form, compressed or not.
  var compressions: Int { compressed.count }

  /// The compressed form, which refers to no earlier message; nil if it is sent uncompressed.
  func compressed(for deflate: MessageDeflate.Window, threshold: Int) -> Data? {
    if let known = compressed[deflate.bits] { return known }
    var form: Data?
    var deflater = MessageDeflater(
      threshold: threshold, window: .init(bits: deflate.bits, isKept: false))
    message.withPayload { bytes in _ = deflater.deflate(bytes) { form = Data($0) } }
    compressed[deflate.bits] = .some(form)
    return form
  }
}

extension MessageCodec {
  /// Sends a message that is prepared for many connections, as `send(_:)` does.
  ///
  /// RFC 7692, 7.2.1: a compressed message may refer to earlier ones but need not. Later messages
  /// do not refer to anything before them either, because this side's compressor has not processed
  /// the prepared one.
  mutating func send(_ prepared: PreparedMessage) {
    let message = prepared.message
    guard var deflater = deflater.value, queue.isNone, isOneFrame(message.byteCount),
      let bytes = prepared.compressed(for: deflater.window, threshold: deflater.threshold)
    else { return send(message) }
    counts.messagesSent += 1
    deflater.forget()
    self.deflater.value = deflater
    bytes.withUnsafeBytes { write(message.opcode, $0, isCompressed: true) }
  }
}
