import Synchronization

/// How many bytes the connections of a server hold together of messages that are unfinished or not delivered.
final class ReceiveBudget: Sendable {
  /// Nil for no limit.
  let limit: Int?
  private let total = Atomic<Int>(0)

  init(limit: Int?) { self.limit = limit }

  /// How many bytes are held, as far as connections have reported them.
  var heldBytes: Int { total.load(ordering: .relaxed) }

  var isExceeded: Bool { limit.map { heldBytes > $0 } ?? false }

  /// A connection holds so many bytes more, or less; returns whether the limit is exceeded.
  func change(by bytes: Int) -> Bool {
    let held = total.add(bytes, ordering: .relaxed).newValue
    return limit.map { held > $0 } ?? false
  }
}

/// What one connection has reported to the budget: written on its loop, read on any.
struct ReceiveCharge: ~Copyable {
  // Half a word is enough, and every connection has one.
  private let last = Atomic<UInt32>(0)
  private let isChosen = Atomic<Bool>(false)
  private let isOver = Atomic<Bool>(false)

  /// The total that was reported last, less than 4 GiB.
  var reported: Int { Int(last.load(ordering: .relaxed)) }

  /// Whether the connection is closed because it held most.
  var isRelieved: Bool { isChosen.load(ordering: .relaxed) }

  /// Smaller changes are not worth a report.
  private static let step = 16 << 10

  /// Returns what is to be reported, given how many bytes are held now; nil for nothing.
  ///
  /// On the loop.
  func update(to bytes: Int) -> Int? {
    if isOver.load(ordering: .relaxed) { return nil }
    let total = UInt32(clamping: bytes)
    let change = Int(total) - reported
    guard abs(change) >= Self.step || total == 0 && change != 0 else { return nil }
    last.store(total, ordering: .relaxed)
    return change
  }

  /// The connection has ended, and does not count any more, whatever its consumers still keep; returns what is to
  /// be reported.
  ///
  /// On the loop.
  func end() -> Int? {
    defer { isOver.store(true, ordering: .relaxed) }
    return update(to: 0)
  }

  /// Chooses the connection to be closed.
  func relieve() { isChosen.store(true, ordering: .relaxed) }
}

extension Pump {
  /// Reports what this connection holds; on the loop.
  func charge(unfinished: Int) {
    guard let keeper else { return }
    let held = held.value?.count ?? 0
    let total = held + unfinished + streams.keptBytes
    guard let change = receiveCharge.update(to: total) else { return }
    if keeper.budget.change(by: change) { keeper.relieveBudget() }
  }

  /// Takes back all that was reported; on the loop.
  func endCharge() {
    guard let keeper, let change = receiveCharge.end() else { return }
    _ = keeper.budget.change(by: change)
  }

  /// Closes the connection because it holds most of what a server may hold, and drops what it holds: at once what
  /// is unfinished or not observed yet, and what async consumers keep when they are told, in a turn of its own.
  ///
  /// On the loop.
  ///
  /// - Parameter isDone: Called when it holds nothing any more.
  func closeOverBudget(_ limit: Int, isDone: @escaping @Sendable () -> Void) {
    held.value = nil
    lock.withLock { session.closeOverBudget(limit) }
    streams.dropBacklog()
    loop.execute {
      self.tell()
      if let change = self.receiveCharge.update(to: self.streams.keptBytes) {
        _ = self.keeper?.budget.change(by: change)
      }
      isDone()
      self.flushAndBalance()
    }
  }
}

extension ServedSockets {
  /// Closes the connections that hold most until the others are within the budget.
  ///
  /// On any loop: each is closed on its own.
  func relieveBudget() {
    guard let limit = budget.limit else { return }
    for (pump, bytes) in chooseGreediest(limit) {
      let relieve: @Sendable () -> Void = {
        pump.closeOverBudget(limit) { self.noteRelieved(bytes) }
      }
      if pump.loop.isCurrent { relieve() } else { pump.loop.execute(relieve) }
    }
  }
}
