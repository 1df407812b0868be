#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A message for many connections, compressed once for all that agreed upon the same window.
///
/// Used by one thread.
package final class PreparedMessage {
  let message: WebSocketMessage
  /// The compressed forms by the bits of the window; nil for one that is to be sent as it is.
  private var compressed: [Int: Data?] = [:]

  package init(_ message: WebSocketMessage) { self.message = message }

  /// How often it was compressed.
  var compressions: Int { compressed.count }

  /// The compressed form, which refers to nothing that came before; nil when the message is to be sent as it
  /// is.
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

extension Connection {
  /// Puts a message that goes to many into the output, as `send(_:)` does.
  ///
  /// RFC 7692, 7.2.1: what is compressed may refer to what was sent before, and need not. What follows
  /// refers to nothing before it either, since this side's compressor has not seen the message.
  package mutating func send(_ prepared: PreparedMessage) throws(SendError) {
    let message = prepared.message
    guard var deflater = deflater.value, queue.isNone, isOneFrame(message.byteCount),
      let bytes = deflater.prepared(prepared)
    else { return try send(message) }
    try requireOpen()
    counts.messagesSent += 1
    deflater.forget()
    self.deflater.value = deflater
    bytes.withUnsafeBytes { write(message.opcode, $0, isCompressed: true) }
  }
}
