import Synchronization

/// Delivers what a WebSocket emits to all observers and keeps a bounded backlog for the first one.
final class SocketStreams: @unchecked Sendable {
  let frames = SocketStream<Frame>()
  let messages = SocketStream<WebSocketMessage>()
  let events = SocketStream<WebSocketEvent>()

  /// Takes the replies out of the messages; created for the first request.
  let requests = LazyReference<PendingRequests>()

  /// Whether there is room to send more; created on first use.
  private let writability = LazyReference<ReplayingHub<Bool>>()

  /// Bits: frames were observed, another stream was, the connection was dropped.
  private let observed = Atomic<UInt8>(0)
  private static var framesBit: UInt8 { 1 }
  private static var otherBit: UInt8 { 2 }
  private static var observedBits: UInt8 { framesBit | otherBit }
  private static var droppedBit: UInt8 { 4 }

  // `lock` protects these. States are delivered after unlocking.
  private let lock = Lock()
  /// The state that was emitted last.
  private var lastState = WebSocketState.idle
  private var isOver = false
  private var stateObservers: UInt32 = 0
  /// Exists while the state has observers.
  private var madeStates: ReplayingHub<WebSocketState>?

  /// What async consumers hold; created for the first one.
  private let windows = LazyReference<Windows>()

  private final class Windows: Sendable {
    /// How many consumers have a full window.
    let full = Atomic<UInt32>(0)
    /// The bytes of messages that they hold, plus one for each message.
    ///
    /// The extra one makes the number change with empty messages too.
    let bytes = Atomic<Int>(0)
  }

  // The two flags are declared here to fill padding. Only the loop's thread uses them.
  /// Whether `connected` is still to be delivered to the first observer.
  @exclusivity(unchecked) private var missesConnected = false
  /// Whether messages and frames of the current read are discarded for want of room.
  @exclusivity(unchecked) private(set) var discards = false

  // Used on the loop's thread only.
  /// The events for the first observer; none while there are no such events.
  @exclusivity(unchecked) private var backlog = Boxed<SocketBacklog>()

  /// Whether events wait for the first observer.
  var hasBacklog: Bool { !backlog.isNone }

  /// The bytes that the backlog holds for the first observer.
  var backlogBytes: Int { backlog.value?.bytes ?? 0 }

  /// Whether frames, messages or events were ever observed.
  var isObserved: Bool { observed.load(ordering: .acquiring) & Self.observedBits != 0 }

  /// Whether frames and messages in the backlog are discarded instead of delivered.
  private var isDropped: Bool { observed.load(ordering: .acquiring) & Self.droppedBit != 0 }

  /// Whether frames have an observer, or the first observer may still ask for them.
  var wantsFrames: Bool {
    let observed = observed.load(ordering: .relaxed)
    return observed & Self.observedBits == 0 || observed & Self.framesBit != 0
  }

  /// Whether the backlog or the window of an async consumer is full: reading pauses then.
  var isFull: Bool { hasFullWindow || isBacklogFull && !readsBeyondBacklog }

  /// Whether the window of at least one async consumer is full.
  var hasFullWindow: Bool { windows.object.map { $0.full.load(ordering: .acquiring) > 0 } ?? false }

  private var isBacklogFull: Bool { !isObserved && backlog.value?.isFull == true }

  /// Whether reading continues although the backlog is full, because a request waits.
  ///
  /// Its reply may be behind messages that have no observer. Those are discarded.
  private var readsBeyondBacklog: Bool {
    isBacklogFull && requests.object?.isWaiting == true
  }

  /// Begins work on received bytes, whose messages are then either all kept or all discarded.
  ///
  /// A closing WebSocket reads on while it is full, to reach the close frame behind messages that
  /// have no consumer. Those messages are discarded.
  func beginRead(isClosing: Bool) { discards = isClosing && isFull }

  /// The bytes of messages that async consumers hold, plus one for each message.
  var bytesInWindows: Int { windows.object?.bytes.load(ordering: .relaxed) ?? 0 }

  /// Stops the delivery of frames and messages in the backlog; callable on any thread.
  func noteDrop() {
    observed.bitwiseOr(Self.droppedBit, ordering: .acquiringAndReleasing)
  }

  /// Removes frames and messages from the backlog; errors and the end stay.
  func dropBacklog() { backlog.update { $0.removeFramesAndMessages() } }

  /// Adds to the bytes that async consumers hold; negative when a consumer takes a message.
  func windowChanged(by bytes: Int) {
    madeWindows.bytes.wrappingAdd(bytes, ordering: .relaxed)
  }

  /// Counts an async consumer whose window became full.
  func windowFilled() { madeWindows.full.add(1, ordering: .acquiringAndReleasing) }

  /// Removes a consumer that has room again or ended; returns true when no full window remains.
  func windowDrained() -> Bool {
    madeWindows.full.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }

  private var madeWindows: Windows { windows.object { Windows() } }

  /// Notes an observer that was already added; returns true for the first one.
  func noteObserver(ofFrames: Bool) -> Bool {
    let bit = ofFrames ? Self.framesBit : Self.otherBit
    let before = observed.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue
    return before & Self.observedBits == 0
  }

  /// Delivers the backlog to the first observers.
  func catchUp() {
    guard isObserved else { return }
    if missesConnected {
      missesConnected = false
      deliver(.connected)
    }
    // One by one: an observer or another thread may drop the connection, and the rest with it.
    while let event = takeFromBacklog() {
      if !(isDropped && event.isFrameOrMessage) { deliver(event) }
    }
  }

  private func takeFromBacklog() -> SessionEvent? {
    var event: SessionEvent?
    backlog.update { event = $0.popFirst() }
    if event == nil { backlog.value = nil }
    return event
  }

  /// Emits whether there is room to send more, beginning with `isWritable`.
  func writability(isWritable: Bool) -> ReplayingHub<Bool> {
    let made = writability.object { ReplayingHub(value: isWritable) }
    // `emit` sets `isOver` before it looks for `writability`; this method creates `writability`
    // before it reads `isOver`. So at least one of the two ends the stream.
    if lock.withLock({ isOver }) { made.hub.end(nil) }
    return made
  }

  /// Emits whether there is room to send more, when that has changed.
  func emit(isWritable: Bool) {
    guard let writability = writability.object, writability.last != isWritable else { return }
    writability.next(isWritable)
  }

  func emit(_ event: SessionEvent) {
    switch event {
    case .state(let state): return emit(state)
    case .ended(let outcome):
      requests.object?.connectionEnded(
        outcome.error ?? .closed(code: outcome.code, reason: outcome.reason))
      let states = lock.withLock {
        isOver = true
        return madeStates
      }
      states?.hub.end(nil)
      writability.object?.hub.end(nil)
    default: break
    }
    guard isObserved else { return keep(event) }
    if missesConnected || !backlog.isNone { catchUp() }
    deliver(event)
  }

  /// Emits a message that is no reply, without an event around it unless it is kept.
  func emit(_ message: WebSocketMessage) {
    if let requests = requests.object, requests.take(message) {
      // Its message is not kept either.
      return backlog.update { $0.removeLastFrames() }
    }
    guard isObserved, !missesConnected, backlog.isNone else { return emit(.message(message)) }
    deliver(message)
  }

  private func keep(_ event: SessionEvent) {
    switch event {
    case .frame where discards || readsBeyondBacklog, .message where discards: return
    case .message where readsBeyondBacklog: return requests.object?.noteDiscarded() ?? ()
    case .frame(let frame):
      // A peer may send pings without end, and a late observer does not need them.
      if frame.opcode == .ping || frame.opcode == .pong { return }
    case .pong: return
    // `connected` precedes every event of the backlog, so a flag is enough.
    case .connected:
      missesConnected = true
      return
    case .asked, .log: return
    case .message, .state, .failed, .ended: break
    }
    if backlog.isNone { backlog.value = SocketBacklog() }
    backlog.update { $0.append(event) }
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

  private func deliver(_ message: WebSocketMessage) {
    messages.next(message)
    events.next(.message(message))
  }

  /// Ends messages and frames, unless they have ended.
  func endMessages(_ error: WebSocketError?) {
    frames.end(error)
    messages.end(error)
  }
}

// MARK: - States

// Most programs observe the state only until it is `connected`. So the replaying hub of states is
// created for the first observer and released with the last.
//
// The loop stores a state and reads `madeStates` under the lock, and delivers after unlocking. A
// hub that is created after that begins with the new state. An observer that joins the existing hub
// before the delivery begins with the previous state and then receives the new one. The observer is
// counted under the same lock that returns its hub, so the hub that the last observer releases has
// no other observer.
extension SocketStreams {
  /// Observes the state, from the last one emitted to the end after `disconnected`.
  ///
  /// - Parameter owner: kept alive while `down` observes.
  func addStates(_ down: Observer<WebSocketState>, keeping owner: AnyObject & Sendable) {
    let states = lock.withLock {
      stateObservers += 1
      if let madeStates { return madeStates }
      let made = ReplayingHub(value: lastState)
      if isOver { made.hub.end(nil) }
      madeStates = made
      return made
    }
    down.lifetime.add(
      ActionDisposable { withExtendedLifetime(owner) { self.removeStateObserver() } })
    states.add(down, replaysAfterEnd: true)
  }

  private func removeStateObserver() {
    let dropped = lock.withLock { () -> ReplayingHub<WebSocketState>? in
      stateObservers -= 1
      return stateObservers == 0 ? madeStates.take() : nil
    }
    withExtendedLifetime(dropped) {}
  }

  private func emit(_ state: WebSocketState) {
    let states = lock.withLock {
      lastState = state
      return madeStates
    }
    states?.next(state)
  }
}

/// Delivers elements to the current observers, and the end to later observers too.
struct SocketStream<Element>: ~Copyable, Sendable {
  /// Created for the first observer or for the end.
  private let made = LazyReference<ObserverHub<Element>>()

  private var hub: ObserverHub<Element> { made.object { ObserverHub() } }

  /// Adds an observer, or ends it at once after the end.
  ///
  /// - Parameter owner: kept alive while `down` observes.
  func add(_ down: Observer<Element>, keeping owner: (AnyObject & Sendable)? = nil) {
    let hub = hub
    let isAdded = owner.map { hub.add(down, keeping: $0) } ?? hub.add(down)
    if !isAdded { down.end(hub.ended ?? nil) }
  }

  /// Delivers an element, which is created only when there was ever an observer.
  ///
  /// The caller keeps the streams alive during the call.
  @inline(__always) func next(_ element: @autoclosure () -> Element) {
    made.unretained?._withUnsafeGuaranteedRef { $0.next(element()) }
  }

  func end(_ error: (any Error)?) { hub.end(error) }
}
