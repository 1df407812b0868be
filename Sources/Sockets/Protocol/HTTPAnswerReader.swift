/// Gathers the head of the answer that counts: those before it, which only say "wait", are passed over (RFC
/// 9110, section 15.2).
struct HTTPAnswerReader {
  /// How many may be passed over: a peer that only says "wait" takes time and gives none.
  private static let interimLimit = 16

  private var reader = Self.headReader
  private var interimCount = 0

  private static var headReader: HTTPHeadReader { HTTPHeadReader(expecting: "HTTP/1.") }

  /// Takes heads off the front of `input`; nil when all was taken and the one that counts is not complete.
  mutating func receive(_ input: inout UnsafeRawBufferPointer) throws(HandshakeError) -> HTTPHead? {
    while let head = try reader.receive(&input) {
      let (status, _) = try head.status()
      // After 101 nothing of HTTP comes.
      if status >= 200 || status == 101 { return head }
      interimCount += 1
      guard interimCount <= Self.interimLimit else {
        throw .malformedHead("there are more than \(Self.interimLimit) answers that say wait")
      }
      reader = Self.headReader
    }
    return nil
  }
}
