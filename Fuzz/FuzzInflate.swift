import Foundation

/// Fuzzes the inflation of a peer's bytes and the deflation of ours.
///
/// For every input there is no trap, inflation stops when its consumer refuses, and inflating deflated
/// bytes returns the original.
func fuzzInflate(_ input: FuzzInput) {
  var input = input
  let choices = input.byte()
  let split = input.byte()
  let bytes = input.rest
  let window = MessageDeflate.Window(bits: 9 + Int(choices & 7) % 7, isKept: choices & 8 != 0)
  let deflate = MessageDeflate(threshold: 0, sending: window, receiving: window)

  // Twice: the second message starts with the state after the first.
  var inflater = MessageInflater(deflate)
  for _ in 0..<2 { _ = inflated(bytes, &inflater, split: split) }

  inflater = MessageInflater(deflate)
  var deflater = MessageDeflater(deflate)
  for _ in 0..<2 {
    var compressed: [UInt8] = []
    let isCompressed = bytes.withUnsafeBytes { bytes in
      deflater.deflate(bytes) { compressed = [UInt8]($0) }
    }
    require(isCompressed != bytes.isEmpty, "\(bytes.count) bytes")
    guard isCompressed else { continue }
    require(inflated(compressed, &inflater, split: split) == bytes, "it is not the same")
  }
}

/// The message; nil when the consumer refuses it.
private func inflated(
  _ bytes: [UInt8],
  _ inflater: inout MessageInflater,
  split: UInt8
) -> [UInt8]? {
  let limit = 1 << 20
  var message: [UInt8] = []
  let take: MessageInflater.Take = { (piece) throws(ProtocolError) in
    require(!piece.isEmpty && piece.count <= 16 << 10, "\(piece.count) bytes")
    require(message.count <= limit, "it inflates beyond the limit")
    message += piece
    if message.count > limit { throw .messageTooLong(length: message.count, limit: limit) }
  }
  do throws(ProtocolError) {
    for part in bytes.split(by: split) {
      _ = try part.withUnsafeBufferPointer { (part) throws(ProtocolError) in
        try inflater.inflate(UnsafeRawBufferPointer(part), take)
      }
    }
    try inflater.finish(take)
    return message
  } catch {
    return nil
  }
}
