import Synchronization

/// What a WebSocket tells to everybody who observes; and what it keeps, bounded, until somebody does.
final class SocketStreams: @unchecked Sendable {
  let frames = SocketStream<Frame>()
  let messages = SocketStream<WebSocketMessage>()
  let events = SocketStream<WebSocketEvent>()

  /// Whether there is room to send more; made when somebody wants to know.
  private let writability = LazyReference<Multicast<Bool>>()

  /// Which of frames, messages and events were ever observed; and whether the connection was dropped.
  private let observed = Atomic<UInt8>(0)
  private static var framesBit: UInt8 { 1 }
  private static var otherBit: UInt8 { 2 }
  private static var observedBits: UInt8 { framesBit | otherBit }
  private static var droppedBit: UInt8 { 4 }

  // `lock` protects these; the states themselves are told without it.
  private let lock = Lock()
  /// The state that was told last.
  private var told = WebSocketState.idle
  private var isOver = false
  private var stateObservers: UInt32 = 0
  /// There while somebody observes them.
  private var madeStates: Multicast<WebSocketState>?

  /// How many async consumers have a full window.
  private let fullWindows = Atomic<UInt32>(0)

  // Here because it leaves no gap, on the loop's thread only.
  /// Whether nobody was told yet that it is connected.
  private var missesConnected = false
  /// Whether what is read now has nowhere to go.
  private(set) var discards = false

  /// How many bytes of messages async consumers keep, and one for each message: it changes with each that is
  /// taken.
  private let windowBytes = Atomic<Int>(0)

  // Touched on the loop's thread only.
  private var backlog: [SessionEvent] = []
  /// How many bytes wait for their first observer.
  private(set) var backlogBytes = 0

  /// What is kept: 16 messages with their frames.
  private static let backlogLimit = 32
  // Frames and messages count, so this is 1 MiB of messages.
  private static let backlogBytesLimit = 2 << 20

  /// Whether frames, messages or events were ever observed.
  private var isObserved: Bool { observed.load(ordering: .acquiring) & Self.observedBits != 0 }

  /// Whether the messages and frames that wait for the first observer are dropped.
  private var isDropped: Bool { observed.load(ordering: .acquiring) & Self.droppedBit != 0 }

  /// Whether frames are observed, or may be by the first observer.
  var wantsFrames: Bool {
    let observed = observed.load(ordering: .relaxed)
    return observed & Self.observedBits == 0 || observed & Self.framesBit != 0
  }

  /// Whether somebody, or nobody, has more to take than should be kept: time to stop reading.
  var isFull: Bool { hasFullWindow || isBacklogFull }

  /// Whether an async consumer has as much to take as should be kept.
  var hasFullWindow: Bool { fullWindows.load(ordering: .acquiring) > 0 }

  private var isBacklogFull: Bool {
    !isObserved && (backlog.count >= Self.backlogLimit || backlogBytes > Self.backlogBytesLimit)
  }

  /// Work on received bytes begins: what comes of it is kept whole, or not at all.
  ///
  /// A WebSocket that is closing reads on when no more should be kept, for the close frame behind the
  /// messages that nobody will want.
  func beginRead(isClosing: Bool) { discards = isClosing && isFull }

  /// How many bytes of messages async consumers keep, and one for each message.
  var bytesInWindows: Int { windowBytes.load(ordering: .relaxed) }

  /// From now on no message or frame that waits for the first observer is delivered; on any thread.
  func noteDrop() {
    observed.bitwiseOr(Self.droppedBit, ordering: .acquiringAndReleasing)
  }

  /// Releases the messages and frames that wait for the first observer; the end waits on.
  func dropBacklog() {
    backlog.removeAll { $0.isFrameOrMessage }
    backlogBytes = 0
  }

  /// Async consumers keep so many bytes more, or less.
  func windowChanged(by bytes: Int) { windowBytes.wrappingAdd(bytes, ordering: .relaxed) }

  /// An async consumer has a full window.
  func windowFilled() { fullWindows.add(1, ordering: .acquiringAndReleasing) }

  /// An async consumer has room again, or is gone; true when nobody else keeps the reading from going on.
  func windowDrained() -> Bool {
    fullWindows.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }

  /// Somebody observes, and was added already; true for the first.
  func noteObserver(ofFrames: Bool) -> Bool {
    let bit = ofFrames ? Self.framesBit : Self.otherBit
    let before = observed.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue
    return before & Self.observedBits == 0
  }

  /// Tells the first observers what came before them.
  func catchUp() {
    guard isObserved else { return }
    if missesConnected {
      missesConnected = false
      deliver(.connected)
    }
    backlogBytes = 0
    // One by one: an observer, or another thread, may drop the connection, and with it what waits.
    while !backlog.isEmpty {
      let event = backlog.removeFirst()
      if !(isDropped && event.isFrameOrMessage) { deliver(event) }
    }
    backlog = []
  }

  /// Whether there is room to send more, beginning with `isWritable`.
  func writability(isWritable: Bool) -> Multicast<Bool> {
    let made = writability.object { Multicast(value: isWritable) }
    // Whoever tells the end says that it is over, and looks for this then: one of the two sees the other.
    if lock.withLock({ isOver }) { made.hub.end(nil) }
    return made
  }

  /// Tells whether there is room to send more, unless that was told before.
  func emit(isWritable: Bool) {
    guard let writability = writability.object, writability.last != isWritable else { return }
    writability.next(isWritable)
  }

  func emit(_ event: SessionEvent) {
    if case .state(let state) = event { return emit(state) }
    if case .ended = event {
      let states = lock.withLock {
        isOver = true
        return madeStates
      }
      states?.hub.end(nil)
      writability.object?.hub.end(nil)
    }
    guard isObserved else { return keep(event) }
    if missesConnected || !backlog.isEmpty { catchUp() }
    deliver(event)
  }

  /// Tells a message, as `emit(_:)` does, without the detour of a value that may be any event.
  func emit(_ message: WebSocketMessage) {
    guard isObserved, !missesConnected, backlog.isEmpty else { return emit(.message(message)) }
    deliver(message)
  }

  private func keep(_ event: SessionEvent) {
    switch event {
    case .frame where discards, .message where discards: return
    case .frame(let frame):
      // Pings come for ever; whoever is not there yet has not missed them.
      if frame.opcode == .ping || frame.opcode == .pong { return }
      backlogBytes += frame.payload.count
    // Of a compressed message this is what it was inflated to.
    case .message(let message): backlogBytes += message.byteCount
    case .pong: return
    // Nothing comes before it.
    case .connected:
      missesConnected = true
      return
    case .asked, .log: return
    case .state, .failed, .ended: break
    }
    backlog.append(event)
  }

  private func deliver(_ event: SessionEvent) {
    switch event {
    case .state, .pong, .asked, .log: break
    case .connected: events.next(.connected)
    case .frame(let frame): frames.next(frame)
    case .message(let message): deliver(message)
    case .failed(let error): events.next(.error(error))
    case .ended(let outcome):
      events.next(.disconnected(code: outcome.code, reason: outcome.reason))
      endMessages(outcome.error)
      events.end(nil)
    }
  }

  /// Ends messages and frames, if they have not ended.
  func endMessages(_ error: WebSocketError?) {
    frames.end(error)
    messages.end(error)
  }

  private func deliver(_ message: WebSocketMessage) {
    messages.next(message)
    events.next { .message(message) }
  }
}

// MARK: - States

// The states are of use to few, and for a moment: to wait for `connected` is what most programs do with
// them. So they are made for the first who observes and dropped with the last.
//
// The loop notes a state under the lock and tells those that it finds there after unlocking. States that
// are made later begin with it; an observer that comes to those that were found, before they are told,
// begins with the one before and is told. Whoever observes is counted in the same moment as the states
// are found: those that the last one drops are nobody's.
extension SocketStreams {
  /// Observes the state, beginning with the one that was told last, to the end, after `disconnected`.
  ///
  /// - Parameter owner: Lives as long as it is observed.
  func addStates(_ down: Observer<WebSocketState>, keeping owner: AnyObject & Sendable) {
    let states = lock.withLock {
      stateObservers += 1
      if let madeStates { return madeStates }
      let made = Multicast(value: told)
      if isOver { made.hub.end(nil) }
      madeStates = made
      return made
    }
    down.lifetime.add(ActionDisposable { withExtendedLifetime(owner) { self.leaveStates() } })
    states.add(down, replaysAfterEnd: true)
  }

  private func leaveStates() {
    let dropped = lock.withLock { () -> Multicast<WebSocketState>? in
      stateObservers -= 1
      return stateObservers == 0 ? madeStates.take() : nil
    }
    withExtendedLifetime(dropped) {}
  }

  private func emit(_ state: WebSocketState) {
    let states = lock.withLock {
      told = state
      return madeStates
    }
    states?.next(state)
  }
}

/// What is told to whoever observes at that moment, and the end to those who come later too.
struct SocketStream<Element>: ~Copyable, Sendable {
  /// Made for the first observer, or for the end.
  private let made = LazyReference<Hub<Element>>()

  private var hub: Hub<Element> { made.object { Hub() } }

  func add(_ down: Observer<Element>) {
    let hub = hub
    if !hub.add(down) { down.end(hub.ended ?? nil) }
  }

  /// Tells an element; whoever calls it keeps the streams meanwhile.
  @inline(__always) func next(_ element: Element) {
    made.unretained?._withUnsafeGuaranteedRef { $0.next(element) }
  }

  /// Tells an element that is made when somebody has ever observed; the same is asked of the caller.
  @inline(__always) func next(making element: () -> Element) {
    made.unretained?._withUnsafeGuaranteedRef { $0.next(element()) }
  }

  func end(_ error: (any Error)?) { hub.end(error) }
}
