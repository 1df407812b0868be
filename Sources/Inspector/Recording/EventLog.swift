/// The events of all composers and sockets, in the order in which they happened, within a limit of bytes.
///
/// The log has the order and the sizes; each ``EventSource`` has its own events with their types, under
/// this log's lock.
final class EventLog: Sendable {
  /// An event without its types.
  private struct Entry {
    let source: UInt32
    let bytes: UInt32
  }

  private struct Contents {
    var entries = Fifo<Entry>()
    var first = 1
    var heldBytes = 0
    var sources: [Int: EventSource] = [:]
    var lastSource = 0
    /// The number of sources from which on those that have ended are looked for.
    var sweepCount = 100

    var next: Int { first + entries.count }

    /// The source of an event that is kept.
    func source(of event: Int) -> EventSource? { sources[Int(entries[event - first].source)] }
  }

  private let contents = Locked(Contents())
  private let byteLimit: Int

  /// - Parameter byteLimit: maximum of the estimated bytes; past it the oldest events are dropped.
  init(byteLimit: Int) { self.byteLimit = byteLimit }

  // MARK: Composers and sockets

  /// Adds the source that `make` creates with its number.
  func add<Source: EventSource>(_ make: (_ number: Int) -> Source) -> Source {
    let (number, mustSweep) = contents.withLock { contents in
      contents.lastSource += 1
      return (contents.lastSource, contents.sources.count >= contents.sweepCount)
    }
    if mustSweep { removeEnded() }
    let source = make(number)
    contents.withLock { $0.sources[number] = source }
    return source
  }

  /// Removes the sources that have ended and have no events any more.
  private func removeEnded() {
    let ended = sources.filter { !$0.isLive }
    contents.withLock { contents in
      for source in ended where source.isEmpty { contents.sources[source.number] = nil }
      contents.sweepCount = contents.sources.count * 2 + 100
    }
  }

  /// All composers and sockets, in the order in which they joined.
  var sources: [EventSource] {
    contents.withLock { Array($0.sources.values) }.sorted { $0.number < $1.number }
  }

  /// All composers, in the order in which they joined.
  var composers: [ComposerRecord] { sources.compactMap { $0 as? ComposerRecord } }

  /// The composer or the socket with this number; nil for an unknown one.
  func source(_ number: Int) -> EventSource? { contents.withLock { $0.sources[number] } }

  /// The composer with this number; nil for an unknown one.
  func composer(_ number: Int) -> ComposerRecord? { source(number) as? ComposerRecord }

  // MARK: Events

  /// The numbers of the events that are kept.
  var events: Range<Int> { contents.withLock { $0.first..<$0.next } }

  /// The estimated bytes of the events that are kept.
  var heldBytes: Int { contents.withLock { $0.heldBytes } }

  /// Appends an event of `source`, and drops the oldest ones past the limit.
  ///
  /// - Parameter append: appends the event with this number to the source's own; called under the lock.
  func append(of source: EventSource, bytes: Int, _ append: (_ event: Int) -> Void) {
    let bytes = UInt32(clamping: bytes)
    let isFull = contents.withLock { contents in
      append(contents.next)
      contents.entries.append(Entry(source: UInt32(source.number), bytes: bytes))
      contents.heldBytes += Int(bytes)
      return contents.heldBytes > byteLimit
    }
    // A sixteenth at once, because the events of each source are released together.
    if isFull { drop(to: byteLimit - byteLimit / 16) }
  }

  /// Drops the oldest events until those that are kept have at most `bytes`, or one is kept.
  func drop(to bytes: Int) {
    var shortened: [Int: EventSource] = [:]
    contents.withLock { contents in drop(to: bytes, &contents, &shortened) }
    // The values are released here, outside the lock: their `deinit` is the program's code.
    for source in shortened.values {
      source.takeDropped { take in contents.withLock { _ in take() } }
    }
  }

  private func drop(
    to bytes: Int, _ contents: inout Contents, _ shortened: inout [Int: EventSource]
  ) {
    while contents.heldBytes > bytes, contents.entries.count > 1,
      let entry = contents.entries.popFirst()
    {
      contents.first += 1
      contents.heldBytes -= Int(entry.bytes)
      guard let source = contents.sources[Int(entry.source)] else { continue }
      source.dropFirst()
      shortened[source.number] = source
    }
  }

  /// Calls `body` under the lock, which protects the events of the sources.
  func withLock<Result>(_ body: () -> Result) -> Result { contents.withLock { _ in body() } }

  /// The event with this number; nil when it is dropped or has not happened.
  func event(_ number: Int) -> RecordedEvent? {
    contents.withLock { contents in
      guard (contents.first..<contents.next).contains(number) else { return nil }
      return contents.source(of: number)?.event(number)
    }
  }

  /// Calls `body` with the events in `range` that are kept, under the lock; `body` must be short.
  func forEachHead(in range: Range<Int>, _ body: (EventHead) -> Void) {
    contents.withLock { contents in
      for number in range.clamped(to: contents.first..<contents.next) {
        if let head = contents.source(of: number)?.head(number) { body(head) }
      }
    }
  }
}
