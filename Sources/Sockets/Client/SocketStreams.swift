import Synchronization

/// What a WebSocket tells: to everybody who observes, and before anybody does, bounded, kept for the
/// first.
final class SocketStreams: Sendable {
  /// How many frames, messages and events are kept while nobody observes.
  static let window = 16

  let frames = Multicast<Frame>(capacity: window, handsOver: true)
  let messages = Multicast<WebSocketMessage>(capacity: window, handsOver: true)
  let events = Multicast<WebSocketEvent>(capacity: window + 3, handsOver: true)
  let states = Multicast<WebSocketState>(value: .idle)

  private let consumers = Atomic<UInt8>(0)
  private let kept = Atomic(0)

  private static var anyConsumer: UInt8 { 1 }
  private static var frameConsumer: UInt8 { 2 }

  /// Whether frames, messages or events were ever observed.
  var hasConsumer: Bool { consumers.load(ordering: .acquiring) & Self.anyConsumer != 0 }

  /// Whether frames are observed, or may still be asked for by a first observer.
  var wantsFrames: Bool {
    consumers.load(ordering: .relaxed) & Self.frameConsumer != 0
      || kept.load(ordering: .relaxed) < Self.window
  }

  /// Whether nobody observes and no more can be kept: time to stop reading.
  var isFull: Bool { !hasConsumer && kept.load(ordering: .relaxed) >= Self.window }

  /// Somebody observes; true for the first.
  func addConsumer(ofFrames: Bool) -> Bool {
    let added = Self.anyConsumer | (ofFrames ? Self.frameConsumer : 0)
    let before = consumers.bitwiseOr(added, ordering: .acquiringAndReleasing).oldValue
    return before == 0
  }

  func tell(_ frame: Frame) {
    keep()
    frames.next(frame)
  }

  func tell(_ message: WebSocketMessage) {
    if !hasConsumer { keep() }
    messages.next(message)
    events.next(.message(message))
  }

  /// Tells how it ended, and ends all but the states.
  func end(_ error: WebSocketError?, code: CloseCode, reason: String) {
    if let error { events.next(.error(error)) }
    events.next(.disconnected(code: code, reason: reason))
    frames.hub.end(error)
    messages.hub.end(error)
    events.hub.end(nil)
  }

  private func keep() {
    if kept.load(ordering: .relaxed) < Self.window { kept.add(1, ordering: .relaxed) }
  }
}
