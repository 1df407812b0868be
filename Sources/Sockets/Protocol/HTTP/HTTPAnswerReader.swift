/// Reads the head of a final answer, and skips interim answers (RFC 9110, section 15.2).
struct HTTPAnswerReader {
  /// The most interim answers: a peer could send them forever.
  private static let interimLimit = 16

  private var reader = HTTPHeadReader(expecting: "HTTP/1.")
  private var interimCount = 0

  /// Takes heads off the front of `input`; nil when the final one is incomplete.
  mutating func receive(_ input: inout UnsafeRawBufferPointer) throws(HandshakeError) -> HTTPHead? {
    while let head = try reader.receive(&input) {
      let (status, _) = try head.status()
      // After 101 the connection leaves HTTP, so this answer is final.
      if status >= 200 || status == 101 { return head }
      interimCount += 1
      guard interimCount <= Self.interimLimit else {
        throw .malformedHead("there are more than \(Self.interimLimit) answers that say wait")
      }
      reader = HTTPHeadReader(expecting: "HTTP/1.")
    }
    return nil
  }
}
