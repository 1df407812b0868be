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

/// What one connection has reported to the budget.
struct ReceiveCharge {
  /// The total that was reported last.
  private(set) var reported = 0
  private var isOver = false

  /// Smaller changes are not worth a report.
  private static let step = 16 << 10

  /// Returns what is to be reported, given how many bytes are held now; nil for nothing.
  mutating func update(to bytes: Int) -> Int? {
    let change = bytes - reported
    guard !isOver, abs(change) >= Self.step || bytes == 0 && change != 0 else { return nil }
    reported = bytes
    return change
  }

  /// Nothing is reported any more; returns how many bytes were.
  mutating func end() -> Int {
    defer { reported = 0 }
    isOver = true
    return reported
  }
}

extension Pump {
  /// Reports what this connection holds; on the loop.
  func charge(unfinished: Int) {
    guard let keeper else { return }
    let held = held.value.map { $0.bytes.count } ?? 0
    guard let change = receiveCharge.update(to: held + unfinished + streams.keptBytes) else {
      return
    }
    if keeper.budget.change(by: change) { keeper.relieveBudget() }
  }

  /// Takes back all that was reported, and reports no more; on the loop.
  func endCharge() {
    guard let keeper else { return }
    let reported = receiveCharge.end()
    if reported > 0 { _ = keeper.budget.change(by: -reported) }
  }

  /// Closes the connection because it holds most of what a server may hold.
  ///
  /// What it holds counts as released from here on.
  func closeOverBudget(_ limit: Int) {
    endCharge()
    loop.execute { [self] in
      held.value = nil
      lock.withLock { session.closeOverBudget(limit) }
      tell()
      flushAndBalance()
    }
  }
}

extension ServedSockets {
  /// Closes the connections that hold most until the others are within the budget.
  func relieveBudget() {
    guard let limit = budget.limit else { return }
    while budget.isExceeded {
      let greediest = all.max { $0.pump.receiveCharge.reported < $1.pump.receiveCharge.reported }
      guard let greediest, greediest.pump.receiveCharge.reported > 0 else { return }
      greediest.pump.closeOverBudget(limit)
    }
  }
}
