import Synchronization

/// Counts the bytes of unfinished and undelivered messages that a server's connections hold.
final class ReceiveBudget: Sendable {
  /// The most bytes they may hold; nil for no limit.
  let limit: Int?
  private let total = Atomic<Int>(0)

  init(limit: Int?) { self.limit = limit }

  /// How many bytes are held, as reported by the connections.
  var heldBytes: Int { total.load(ordering: .relaxed) }

  /// How many of them belong to connections that were chosen to be closed and still hold them.
  private let closing = Atomic<Int>(0)

  /// How many bytes exceed the limit, without those that are being released; zero or less for none.
  var excess: Int {
    limit.map { heldBytes - closing.load(ordering: .relaxed) - $0 } ?? 0
  }

  /// Adds the change that a connection or a buffer reports, in bytes.
  func change(by bytes: Int) { total.add(bytes, ordering: .relaxed) }

  /// Notes that a connection with `bytes` was chosen to be closed; `endClosing` follows.
  func beginClosing(_ bytes: Int) { closing.add(bytes, ordering: .relaxed) }

  /// Notes that a chosen connection has released the `bytes` that it held when it was chosen.
  func endClosing(_ bytes: Int) { closing.subtract(bytes, ordering: .relaxed) }
}

/// The bytes that one connection has reported to the budget: written on its loop, read on any.
struct ReceiveCharge: ~Copyable {
  // 32 bits are enough, and every connection has one.
  private let last = Atomic<UInt32>(0)
  private let chosen = Atomic<Bool>(false)
  private let hasEnded = Atomic<Bool>(false)

  /// The last reported total, in bytes, below 4 GiB.
  var reported: Int { Int(last.load(ordering: .relaxed)) }

  /// Whether the connection was chosen to be closed because it holds most.
  var isChosen: Bool { chosen.load(ordering: .relaxed) }

  /// The smallest change that is reported, in bytes.
  private static let step = 16 << 10

  /// Returns the change to report, given the bytes held now; nil for none.
  ///
  /// Call it on the loop.
  func update(to bytes: Int) -> Int? {
    if hasEnded.load(ordering: .relaxed) { return nil }
    let total = UInt32(clamping: bytes)
    let change = Int(total) - reported
    guard abs(change) >= Self.step || total == 0 && change != 0 else { return nil }
    last.store(total, ordering: .relaxed)
    return change
  }

  /// Ends the reports of an ended connection; returns the change to report.
  ///
  /// The buffers of its consumers still report their own bytes. Call it on the loop.
  func end() -> Int? {
    defer { hasEnded.store(true, ordering: .relaxed) }
    return update(to: 0)
  }

  /// Notes that the connection was chosen to be closed.
  func choose() { chosen.store(true, ordering: .relaxed) }
}

/// The buffers of ended connections that still have messages.
///
/// The messages that a slow consumer has not read use the server's memory after their sender has
/// disconnected, too.
struct UnreadBuffers {
  private struct WeakReference {
    weak var buffer: BoundedMessageBuffer?
  }

  private var all: [WeakReference] = []
  /// The count at which released and empty buffers are removed.
  private var limit = 64

  mutating func append(_ buffer: BoundedMessageBuffer) {
    if all.count >= limit {
      all.removeAll { ($0.buffer?.bytes ?? 0) == 0 }
      limit = max(64, 2 * all.count)
    }
    all.append(WeakReference(buffer: buffer))
  }

  /// The buffers that still exist.
  var existing: [BoundedMessageBuffer] { all.compactMap(\.buffer) }
}

extension ConnectionDriver {
  /// Reports the bytes that this connection holds, without the buffers of consumers, which report
  /// their own; on the loop.
  func charge(unfinished: Int) {
    // The usual case: nothing is held, and nothing was. Others hold what exceeds the limit, then.
    if held.isNone, unfinished == 0, !streams.hasBacklog, receiveCharge.reported == 0,
      streams.bytesInWindows == 0
    {
      return
    }
    guard let registry else { return }
    let bytes = (held.value?.count ?? 0) + unfinished + streams.backlogBytes
    if let change = receiveCharge.update(to: bytes) {
      registry.budget.change(by: change)
    }
    if registry.budget.excess > 0 { registry.enforceBudget() }
  }

  /// Reports that this connection holds nothing any more; on the loop.
  func endCharge() {
    if let registry, let change = receiveCharge.end() { registry.budget.change(by: change) }
  }

  /// How many bytes the connection holds, as reported.
  fileprivate var chargedBytes: Int { receiveCharge.reported + streams.bytesInWindows }

  /// Closes the connection because it holds most of a server's memory, and drops what it holds.
  ///
  /// Unfinished and unobserved messages are dropped at once. The buffers of async consumers end in
  /// a job of the loop. Call it on the loop.
  ///
  /// - Parameter isDone: called when the connection holds nothing any more
  fileprivate func closeOverBudget(_ limit: Int, isDone: @escaping @Sendable () -> Void) {
    held.value = nil
    lock.withLock { session.failOverBudget(limit) }
    streams.dropBacklog()
    loop.execute {
      self.deliver()
      // Also the buffers of a connection that had closed before.
      self.streams.endMessages(.overBudget(limit: limit))
      if let change = self.receiveCharge.update(to: 0) { self.registry?.budget.change(by: change) }
      isDone()
      self.flushAndUpdateReading()
    }
  }
}

extension ConnectionRegistry {
  /// Closes the connections that hold most until the others are within the limit.
  ///
  /// Call it on any loop: each connection is closed on its own loop.
  func enforceBudget() {
    guard let limit = budget.limit else { return }
    let budget = budget
    for (driver, bytes) in chooseLargest(limit) {
      let close: @Sendable () -> Void = {
        driver.closeOverBudget(limit) { budget.endClosing(bytes) }
      }
      if driver.loop.isCurrent { close() } else { driver.loop.execute(close) }
    }
  }

  /// Chooses the connections that hold most until the others are within the limit, and returns them
  /// with the bytes that they hold.
  ///
  /// A chosen buffer of an ended connection is dropped here.
  private func chooseLargest(_ limit: Int) -> [(ConnectionDriver, Int)] {
    enum Holder {
      case driver(ConnectionDriver)
      case buffer(BoundedMessageBuffer)
    }
    let drivers = all.map(\.driver)
    let buffers = unreadBuffers.withLock { $0.existing }
    return choiceLock.withLock {
      var excess = budget.excess
      guard excess > 0 else { return [] }
      var holders = drivers.filter { !$0.receiveCharge.isChosen }
        .map { (Holder.driver($0), $0.chargedBytes) }.filter { $0.1 > 0 }
      holders += buffers.map { (.buffer($0), $0.bytes) }
      var chosen: [(ConnectionDriver, Int)] = []
      for (holder, bytes) in holders.sorted(by: { $0.1 > $1.1 }) {
        if excess <= 0 { break }
        excess -= bytes
        switch holder {
        case .driver(let driver):
          driver.receiveCharge.choose()
          budget.beginClosing(bytes)
          chosen.append((driver, bytes))
        case .buffer(let buffer): buffer.giveUp(.overBudget(limit: limit))
        }
      }
      return chosen
    }
  }
}
