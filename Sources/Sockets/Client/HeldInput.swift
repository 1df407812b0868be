/// Bytes that nobody observes yet, at most what one read brings; and the end that followed them.
struct HeldInput {
  enum End {
    case open
    case ended
    case closed(TransportError?)
  }

  private var bytes: [UInt8] = []
  private var end = End.open

  var isEmpty: Bool { bytes.isEmpty }

  mutating func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

  mutating func append(_ end: End) { self.end = end }

  mutating func noteEnd() {
    if case .open = end { end = .ended }
  }

  mutating func noteClose(_ error: TransportError?) { end = .closed(error) }

  mutating func take() -> ([UInt8], End) {
    defer { self = HeldInput() }
    return (bytes, end)
  }
}
