/// The events of all composers, in the order in which they happened, within a limit of bytes.
///
/// The log has the order and the sizes; each ``ComposerRecord`` has its own events with their types, under
/// this log's lock.
final class EventLog: Sendable {
  /// An event without its types.
  private struct Entry {
    let composer: UInt32
    let bytes: UInt32
  }

  private struct Contents {
    var entries = Fifo<Entry>()
    var first = 1
    var heldBytes = 0
    var composers: [Int: ComposerRecord] = [:]
    var lastComposer = 0
    /// The number of composers from which on those that have ended are looked for.
    var sweepCount = 100

    var next: Int { first + entries.count }

    /// The composer of an event that is kept.
    func composer(of event: Int) -> ComposerRecord? {
      composers[Int(entries[event - first].composer)]
    }
  }

  private let contents = Locked(Contents())
  private let byteLimit: Int

  /// - Parameter byteLimit: maximum of the estimated bytes; past it the oldest events are dropped.
  init(byteLimit: Int) { self.byteLimit = byteLimit }

  // MARK: Composers

  /// Adds the record that `make` creates with the number of its composer.
  func addComposer<Record: ComposerRecord>(_ make: (_ number: Int) -> Record) -> Record {
    let (number, mustSweep) = contents.withLock { contents in
      contents.lastComposer += 1
      return (contents.lastComposer, contents.composers.count >= contents.sweepCount)
    }
    if mustSweep { removeEnded() }
    let record = make(number)
    contents.withLock { $0.composers[number] = record }
    return record
  }

  /// Removes the composers that have ended and have no events any more.
  private func removeEnded() {
    // Outside the lock: a composer may end while it is looked at, which runs the program's code.
    let ended = composers.filter { !$0.isLive }
    contents.withLock { contents in
      for record in ended where record.isEmpty { contents.composers[record.number] = nil }
      contents.sweepCount = contents.composers.count * 2 + 100
    }
  }

  /// The records of all composers, in the order in which they joined.
  var composers: [ComposerRecord] {
    contents.withLock { Array($0.composers.values) }.sorted { $0.number < $1.number }
  }

  /// The record with this number; nil for an unknown one.
  func composer(_ number: Int) -> ComposerRecord? { contents.withLock { $0.composers[number] } }

  // MARK: Events

  /// The numbers of the events that are kept.
  var events: Range<Int> { contents.withLock { $0.first..<$0.next } }

  /// The estimated bytes of the events that are kept.
  var heldBytes: Int { contents.withLock { $0.heldBytes } }

  /// Appends an event of `composer`, and drops the oldest ones past the limit.
  ///
  /// - Parameter append: appends the event with this number to the record's own; called under the lock.
  func append(of composer: ComposerRecord, bytes: Int, _ append: (_ event: Int) -> Void) {
    let bytes = UInt32(clamping: bytes)
    let isFull = contents.withLock { contents in
      append(contents.next)
      contents.entries.append(Entry(composer: UInt32(composer.number), bytes: bytes))
      contents.heldBytes += Int(bytes)
      return contents.heldBytes > byteLimit
    }
    // A sixteenth at once, because the events of each composer are released together.
    if isFull { drop(to: byteLimit - byteLimit / 16) }
  }

  /// Drops the oldest events until those that are kept have at most `bytes`, or one is kept.
  func drop(to bytes: Int) {
    var shortened: [Int: ComposerRecord] = [:]
    contents.withLock { contents in drop(to: bytes, &contents, &shortened) }
    // The values are released here, outside the lock: their `deinit` is the program's code.
    for composer in shortened.values {
      composer.takeDropped { take in contents.withLock { _ in take() } }
    }
  }

  private func drop(
    to bytes: Int, _ contents: inout Contents, _ shortened: inout [Int: ComposerRecord]
  ) {
    while contents.heldBytes > bytes, contents.entries.count > 1,
      let entry = contents.entries.popFirst()
    {
      contents.first += 1
      contents.heldBytes -= Int(entry.bytes)
      guard let composer = contents.composers[Int(entry.composer)] else { continue }
      composer.dropFirst()
      shortened[composer.number] = composer
    }
  }

  /// Calls `body` under the lock, which protects the events of the records.
  func withLock<Result>(_ body: () -> Result) -> Result { contents.withLock { _ in body() } }

  /// The event with this number; nil when it is dropped or has not happened.
  func event(_ number: Int) -> RecordedEvent? {
    contents.withLock { contents in
      guard (contents.first..<contents.next).contains(number) else { return nil }
      return contents.composer(of: number)?.event(number)
    }
  }

  /// Calls `body` with the events in `range` that are kept, under the lock; `body` must be short.
  func forEachHead(in range: Range<Int>, _ body: (EventHead) -> Void) {
    contents.withLock { contents in
      for number in range.clamped(to: contents.first..<contents.next) {
        if let head = contents.composer(of: number)?.head(number) { body(head) }
      }
    }
  }
}
