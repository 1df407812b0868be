import Synchronization

/// An event of a traced stream that a tool watches.
package enum StreamEvent {
  case next(Any)
  case error(any Error)
  case completed
  /// The subscription was disposed of, or released, before it ended.
  case disposed
}

/// What tools want to know of the elements of one traced stream.
struct StreamTaps {
  /// Receives the events of a stream, on the threads that deliver them.
  typealias Receiver = @Sendable (ContinuousClock.Instant, StreamEvent) -> Void

  /// The last element while a tool keeps the last elements.
  private(set) var last: Any?
  private var receivers: [Int: Receiver] = [:]
  private var lastReceiver = 0
  private var hasEnded = false

  // The full name, as in `Streams`.
  private static let tools = Synchronization.Atomic<Int>(0)
  private static let keepers = Synchronization.Atomic<Int>(0)

  /// Whether a tool wants events; read for each element of a traced stream.
  static var isWanted: Bool { tools.load(ordering: .relaxed) > 0 }

  /// Records an event, and returns the receivers to call without the lock.
  ///
  /// The caller releases `released`, the element before, without the lock.
  mutating func record(_ event: StreamEvent, released: inout Any?) -> [Receiver] {
    if hasEnded { return [] }
    released = last
    guard case .next(let element) = event else {
      defer { (last, receivers, hasEnded) = (nil, [:], true) }
      return Array(receivers.values)
    }
    // A tool that ends later removes this element: it takes the lock after this.
    last = Self.keepers.load(ordering: .relaxed) > 0 ? element : nil
    return Array(receivers.values)
  }

  /// Adds a receiver and returns its number; nil for a stream that has ended.
  mutating func add(_ receiver: @escaping Receiver) -> Int? {
    if hasEnded { return nil }
    lastReceiver += 1
    receivers[lastReceiver] = receiver
    return lastReceiver
  }

  mutating func remove(_ receiver: Int) { receivers[receiver] = nil }

  /// Releases the last element, unless a tool wants it.
  mutating func dropLast(released: inout Any?) {
    if Self.keepers.load(ordering: .relaxed) == 0 { swap(&released, &last) }
  }
}

extension StreamTaps {
  /// Counts a tool that wants events, until `discountTool`.
  fileprivate static func countTool(keepsLast: Bool = false) {
    tools.add(1, ordering: .relaxed)
    if keepsLast { keepers.add(1, ordering: .relaxed) }
  }

  fileprivate static func discountTool(keepsLast: Bool = false) {
    tools.subtract(1, ordering: .relaxed)
    if keepsLast { keepers.subtract(1, ordering: .relaxed) }
  }
}

extension StreamRecord {
  /// Reports an event to the tools that watch the stream.
  ///
  /// The last stage of a subscription reports its events for the subscription too.
  func report(_ event: StreamEvent, at now: ContinuousClock.Instant = .now) {
    if let parent, parent.isRoot { parent.record(event, at: now) }
    record(event, at: now)
  }

  /// Reports the disposal of a stream that has not ended, and releases its last element.
  func reportRemoval() { record(.disposed, at: .now) }

  private func record(_ event: StreamEvent, at now: ContinuousClock.Instant) {
    var released: Any?
    let receivers = taps.withLock { $0.record(event, released: &released) }
    for receive in receivers { receive(now, event) }
  }
}

extension Streams {
  /// Whether this build can trace: a debug build, or one with the trait `Tracing`.
  package static var canBeTraced: Bool {
    #if DEBUG || Tracing
    true
    #else
    false
    #endif
  }

  /// Calls `receive` with the events of a stream, from now on, until the stream ends.
  ///
  /// Returns nil when no such stream is live. The caller disposes of the result, also after the
  /// end: until then each element of every traced stream takes some longer.
  ///
  /// - Parameters:
  ///   - stream: id of a stream of ``live``
  ///   - receive: called before the stream's observer, on the thread that delivers
  package static func watch(
    _ stream: Int,
    _ receive: @escaping @Sendable (ContinuousClock.Instant, StreamEvent) -> Void
  ) -> (any Disposable)? {
    guard let record = StreamRegistry.shared.record(stream) else { return nil }
    StreamTaps.countTool()
    guard let receiver = record.taps.withLock({ $0.add(receive) }) else {
      StreamTaps.discountTool()
      return nil
    }
    return Disposables.create {
      record.taps.withLock { $0.remove(receiver) }
      StreamTaps.discountTool()
    }
  }

  /// Keeps the last element of each traced stream, from now on, until the result is disposed of.
  ///
  /// An element is released with its stream, or when the next one arrives.
  package static func keepLastElements() -> any Disposable {
    StreamTaps.countTool(keepsLast: true)
    return Disposables.create {
      StreamTaps.discountTool(keepsLast: true)
      for record in StreamRegistry.shared.records {
        var released: Any?
        record.taps.withLock { $0.dropLast(released: &released) }
      }
    }
  }

  /// The last elements of these streams that are kept, by stream.
  ///
  /// Another thread may be using an element: of an object only the type may be read.
  package static func lastElements(of streams: some Sequence<Int>) -> [Int: Any] {
    var elements: [Int: Any] = [:]
    for record in StreamRegistry.shared.records(of: streams) {
      elements[record.id] = record.taps.withLock { $0.last }
    }
    return elements
  }
}
