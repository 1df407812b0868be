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
  // Half a word is enough, and every connection has one.
  private var last: UInt32 = 0
  /// The total that was reported last, less than 4 GiB.
  var reported: Int { Int(last) }
  /// Whether the connection was closed because it held most.
  var isRelieved = false

  /// Smaller changes are not worth a report.
  private static let step = 16 << 10

  /// Returns what is to be reported, given how many bytes are held now; nil for nothing.
  mutating func update(to bytes: Int) -> Int? {
    let total = UInt32(clamping: bytes)
    let change = Int(total) - reported
    guard abs(change) >= Self.step || total == 0 && change != 0 else { return nil }
    last = total
    return change
  }
}

extension Pump {
  /// Reports what this connection holds; on the loop.
  func charge(unfinished: Int) {
    guard let keeper else { return }
    let held = held.value.map { $0.bytes.count } ?? 0
    let total = held + unfinished + streams.keptBytes
    guard let change = receiveCharge.update(to: total) else { return }
    if keeper.budget.change(by: change) { keeper.relieveBudget() }
  }

  /// Takes back all that was reported; on the loop.
  func endCharge() {
    guard let keeper, let change = receiveCharge.update(to: 0) else { return }
    _ = keeper.budget.change(by: change)
  }

  /// Closes the connection because it holds most of what a server may hold, and drops what it holds but for
  /// what consumers have; these drop it at the end.
  func closeOverBudget(_ limit: Int) {
    receiveCharge.isRelieved = true
    held.value = nil
    lock.withLock { session.closeOverBudget(limit) }
    streams.dropBacklog()
    charge(unfinished: 0)
    loop.execute {
      self.tell()
      self.flushAndBalance()
    }
  }
}

extension ServedSockets {
  /// Closes the connections that hold most until the others are within the budget.
  func relieveBudget() {
    guard let limit = budget.limit else { return }
    while budget.isExceeded {
      let pumps = all.lazy.map(\.pump).filter { !$0.receiveCharge.isRelieved }
      let greediest = pumps.max { $0.receiveCharge.reported < $1.receiveCharge.reported }
      guard let greediest, greediest.receiveCharge.reported > 0 else { return }
      greediest.closeOverBudget(limit)
    }
  }
}
