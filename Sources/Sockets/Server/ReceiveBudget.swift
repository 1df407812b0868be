import Synchronization

/// How many bytes the connections of a server hold together of messages that are unfinished or not delivered.
final class ReceiveBudget: Sendable {
  /// Nil for no limit.
  let limit: Int?
  private let total = Atomic<Int>(0)

  init(limit: Int?) { self.limit = limit }

  /// How many bytes are held, as far as connections have reported them.
  var heldBytes: Int { total.load(ordering: .relaxed) }

  /// How many of them belong to who was chosen to be closed for it, and are not given back yet.
  private let relieving = Atomic<Int>(0)

  /// How many bytes too many are held, apart from those that are being given back; zero or less for none.
  var excess: Int {
    limit.map { heldBytes - relieving.load(ordering: .relaxed) - $0 } ?? 0
  }

  /// Somebody holds so many bytes more, or less.
  func change(by bytes: Int) { total.add(bytes, ordering: .relaxed) }

  /// Somebody who holds so many bytes was chosen; `relieved` follows.
  func relieve(of bytes: Int) { relieving.add(bytes, ordering: .relaxed) }

  /// Who held so many bytes when it was chosen has given back all that it held.
  func relieved(of bytes: Int) { relieving.subtract(bytes, ordering: .relaxed) }
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

  /// The connection has ended, and does not count any more, but for what its consumers keep; returns what is to be
  /// reported.
  ///
  /// On the loop.
  func end() -> Int? {
    defer { isOver.store(true, ordering: .relaxed) }
    return update(to: 0)
  }

  /// Chooses the connection to be closed.
  func relieve() { isChosen.store(true, ordering: .relaxed) }
}

/// The windows of connections that have ended, as long as something is in them.
///
/// What a slow consumer has not taken is the server's memory, also when who sent it has left.
struct LeftWindows {
  private struct Left {
    weak var window: BoundedMessageBuffer?
  }

  private var all: [Left] = []
  /// When to look for those that are gone.
  private var limit = 64

  mutating func append(_ window: BoundedMessageBuffer) {
    if all.count >= limit {
      all.removeAll { ($0.window?.bytes ?? 0) == 0 }
      limit = max(64, 2 * all.count)
    }
    all.append(Left(window: window))
  }

  /// Those that are there.
  var holders: [BoundedMessageBuffer] { all.compactMap(\.window) }
}

extension ConnectionDriver {
  /// Reports what this connection holds, but for what consumers have, who report that; on the loop.
  func charge(unfinished: Int) {
    guard let registry else { return }
    let held = held.value?.count ?? 0
    if let change = receiveCharge.update(to: held + unfinished + streams.backlogBytes) {
      registry.budget.change(by: change)
    }
    if registry.budget.excess > 0 { registry.relieveBudget() }
  }

  /// Takes back all that was reported; on the loop.
  func endCharge() {
    if let registry, let change = receiveCharge.end() { registry.budget.change(by: change) }
  }

  /// How much it holds, as far as it has reported that.
  fileprivate var chargedBytes: Int { receiveCharge.reported + streams.bytesInWindows }

  /// Closes the connection because it holds most of what a server may hold, and drops what it holds: at once what
  /// is unfinished or not observed yet, and what async consumers keep when they are told, in a turn of its own.
  ///
  /// On the loop.
  ///
  /// - Parameter isDone: Called when it holds nothing any more.
  fileprivate func closeOverBudget(_ limit: Int, isDone: @escaping @Sendable () -> Void) {
    held.value = nil
    lock.withLock { session.closeOverBudget(limit) }
    streams.dropBacklog()
    loop.execute {
      self.deliver()
      // Also of one that had closed before.
      self.streams.endMessages(.overBudget(limit: limit))
      if let change = self.receiveCharge.update(to: 0) { self.registry?.budget.change(by: change) }
      isDone()
      self.flushAndBalance()
    }
  }
}

extension ConnectionRegistry {
  /// Closes the connections that hold most until the others are within the budget.
  ///
  /// On any loop: each is closed on its own.
  func relieveBudget() {
    guard let limit = budget.limit else { return }
    let budget = budget
    for (driver, bytes) in chooseGreediest(limit) {
      let relieve: @Sendable () -> Void = {
        driver.closeOverBudget(limit) { budget.relieved(of: bytes) }
      }
      if driver.loop.isCurrent { relieve() } else { driver.loop.execute(relieve) }
    }
  }

  /// Chooses the connections that hold most until the others are within the limit, and says what they hold; windows of
  /// those that have ended are dropped.
  private func chooseGreediest(_ limit: Int) -> [(ConnectionDriver, Int)] {
    enum Holder {
      case driver(ConnectionDriver)
      case window(BoundedMessageBuffer)
    }
    let drivers = all.map(\.driver)
    let windows = left.withLock { $0.holders }
    return choosing.withLock {
      var excess = budget.excess
      guard excess > 0 else { return [] }
      var holders = drivers.filter { !$0.receiveCharge.isRelieved }
        .map { (Holder.driver($0), $0.chargedBytes) }.filter { $0.1 > 0 }
      holders += windows.map { (.window($0), $0.bytes) }
      var chosen: [(ConnectionDriver, Int)] = []
      for (holder, bytes) in holders.sorted(by: { $0.1 > $1.1 }) {
        if excess <= 0 { break }
        excess -= bytes
        switch holder {
        case .driver(let driver):
          driver.receiveCharge.relieve()
          budget.relieve(of: bytes)
          chosen.append((driver, bytes))
        case .window(let window): window.giveUp(.overBudget(limit: limit))
        }
      }
      return chosen
    }
  }
}
