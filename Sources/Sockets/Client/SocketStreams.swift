import Synchronization

/// What a WebSocket tells to everybody who observes; and what it keeps, bounded, until somebody does.
final class SocketStreams: @unchecked Sendable {
  let states = Multicast<WebSocketState>(value: .idle)
  let frames = Multicast<Frame>(capacity: 0)
  let messages = Multicast<WebSocketMessage>(capacity: 0)
  let events = Multicast<WebSocketEvent>(capacity: 0)

  /// Which of frames, messages and events were ever observed.
  private let observed = Atomic<UInt8>(0)
  private static var framesBit: UInt8 { 1 }
  private static var otherBit: UInt8 { 2 }

  // Touched on the loop's thread only.
  private var backlog: [News] = []
  private var backlogBytes = 0
  private var discards = false

  /// What is kept: `connected`, and 16 messages with their frames.
  private static let backlogLimit = 33
  private static let backlogBytesLimit = 1 << 20

  /// Whether frames, messages or events were ever observed.
  private var isObserved: Bool { observed.load(ordering: .acquiring) != 0 }

  /// Whether frames are observed, or may be by the first observer.
  var wantsFrames: Bool {
    let observed = observed.load(ordering: .relaxed)
    return observed == 0 || observed & Self.framesBit != 0
  }

  /// Whether nobody observes and no more should be kept: time to stop reading.
  var isFull: Bool {
    !isObserved && (backlog.count >= Self.backlogLimit || backlogBytes > Self.backlogBytesLimit)
  }

  /// A read begins: what comes of it is kept whole, or not at all.
  ///
  /// When no more should be kept, only a WebSocket that is closing reads on, for the close frame
  /// behind the messages that nobody will want.
  func beginRead() { discards = isFull }

  /// Somebody observes, and was added already; true for the first.
  func noteObserver(ofFrames: Bool) -> Bool {
    let bit = ofFrames ? Self.framesBit : Self.otherBit
    return observed.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue == 0
  }

  /// Tells the first observers what came before them.
  func catchUp() {
    guard isObserved else { return }
    var missed: [News] = []
    swap(&missed, &backlog)
    for news in missed { deliver(news) }
  }

  func tell(_ news: News) {
    if case .state(let state) = news { return states.next(state) }
    if case .ended = news { states.hub.end(nil) }
    guard isObserved else { return keep(news) }
    if !backlog.isEmpty { catchUp() }
    deliver(news)
  }

  private func keep(_ news: News) {
    switch news {
    case .frame where discards, .message where discards: return
    case .frame(let frame):
      // Pings come for ever; whoever is not there yet has not missed them.
      if frame.opcode == .ping || frame.opcode == .pong { return }
      backlogBytes += frame.payload.count
    case .message, .state, .connected, .failed, .ended: break
    }
    backlog.append(news)
  }

  private func deliver(_ news: News) {
    switch news {
    case .state: break
    case .connected: events.next(.connected)
    case .frame(let frame): frames.next(frame)
    case .message(let message):
      messages.next(message)
      events.next(.message(message))
    case .failed(let error): events.next(.error(error))
    case .ended(let ending):
      events.next(.disconnected(code: ending.code, reason: ending.reason))
      frames.hub.end(ending.error)
      messages.hub.end(ending.error)
      events.hub.end(nil)
    }
  }
}
