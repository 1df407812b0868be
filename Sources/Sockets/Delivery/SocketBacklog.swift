/// The events of a WebSocket that wait for its first observer.
struct SocketBacklog {
  private var events: [SessionEvent] = []
  /// The bytes of the frames and messages.
  private(set) var bytes = 0

  /// The most events: 16 messages with their frames.
  private static let limit = 32
  // A frame and its message both count, so 2 MiB are 1 MiB of messages.
  private static let bytesLimit = 2 << 20

  var isFull: Bool { events.count >= Self.limit || bytes > Self.bytesLimit }

  mutating func append(_ event: SessionEvent) {
    events.append(event)
    bytes += event.payloadBytes
  }

  mutating func popFirst() -> SessionEvent? {
    guard !events.isEmpty else { return nil }
    let event = events.removeFirst()
    bytes -= event.payloadBytes
    return event
  }

  /// Removes all but errors and the end.
  mutating func removeFramesAndMessages() {
    events.removeAll { $0.isFrameOrMessage }
    bytes = 0
  }

  /// Removes the frames of the message that has just arrived.
  mutating func removeLastFrames() {
    while case .frame(let frame)? = events.last {
      events.removeLast()
      bytes -= frame.payload.count
      if frame.opcode != .continuation { return }
    }
  }
}

extension SessionEvent {
  /// The bytes of a frame or a message; those of a compressed message are inflated.
  fileprivate var payloadBytes: Int {
    switch self {
    case .frame(let frame): frame.payload.count
    case .message(let message): message.byteCount
    default: 0
    }
  }
}
