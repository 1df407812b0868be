import Dispatch

/// All timers of a dispatch queue: one heap, one dispatch source.
///
/// A source costs the system the same whether it serves one timer or a hundred thousand.
final class DispatchTimers: @unchecked Sendable {
  // `lock` protects the rest.
  private let lock = Lock()
  @exclusivity(unchecked) private var heap = Heap<Slot>()
  @exclusivity(unchecked) private var sequence: UInt64 = 0
  @exclusivity(unchecked) private var cancelled = 0
  @exclusivity(unchecked) private var armedFor: UInt64?
  @exclusivity(unchecked) private var source: (any DispatchSourceTimer)?

  private let queue: DispatchQueue
  private let leeway: DispatchTimeInterval
  private let perform: @Sendable (TimerEntry) -> Void

  /// Timers that fire on `queue`; `perform` runs an entry that is due.
  init(
    queue: DispatchQueue, leeway: DispatchTimeInterval,
    perform: @escaping @Sendable (TimerEntry) -> Void = { $0.fire() }
  ) {
    self.queue = queue
    self.leeway = leeway
    self.perform = perform
  }

  /// Runs `action` after `delay`, and then in every `period` when there is one.
  func schedule(
    after delay: DispatchTimeInterval, every period: DispatchTimeInterval? = nil,
    _ action: @escaping () -> Void
  ) -> TimerEntry {
    let deadline = Self.sum(now, delay.nanoseconds)
    let entry = TimerEntry(self, period: period.map { max(1, $0.nanoseconds) }, action)
    lock.withLock {
      insert(entry, at: deadline)
      arm()
    }
    return entry
  }

  fileprivate func cancel(_ entry: TimerEntry) {
    // Its deadline may be far: what it holds goes now, but not under the lock.
    var released: (() -> Void)?
    lock.withLock {
      swap(&released, &entry.action)
      cancelled += 1
      if cancelled >= heap.count || cancelled > 64 && cancelled > heap.count / 2 {
        heap.removeAll(where: { $0.entry.isClosed }, by: Slot.precedes)
        cancelled = 0
        releaseSourceIfIdle()
      }
    }
  }

  fileprivate func action(of entry: TimerEntry) -> (() -> Void)? { lock.withLock { entry.action } }

  /// A deadline that is not waited for; Dispatch takes what lies beyond for the past.
  private static let never = UInt64(Int64.max)

  private static func sum(_ time: UInt64, _ interval: UInt64) -> UInt64 {
    let (sum, overflow) = time.addingReportingOverflow(interval)
    return overflow ? never : min(sum, never)
  }

  private var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  private func insert(_ entry: TimerEntry, at deadline: UInt64) {
    sequence += 1
    let slot = Slot(deadline: deadline, sequence: sequence, entry: entry)
    heap.insert(slot, by: Slot.precedes)
  }

  /// Sets the source to the first deadline.
  ///
  /// The caller holds the lock.
  private func arm() {
    guard let deadline = heap.first?.deadline, deadline < Self.never else { return }
    if let armedFor, armedFor <= deadline { return }
    armedFor = deadline
    let source = self.source ?? makeSource()
    source.schedule(deadline: DispatchTime(uptimeNanoseconds: deadline), leeway: leeway)
  }

  /// The source keeps this object alive while there are timers: see `releaseSourceIfIdle`.
  private func makeSource() -> any DispatchSourceTimer {
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.setEventHandler { self.fire() }
    self.source = source
    source.resume()
    return source
  }

  private func fire() {
    var due: [TimerEntry] = []
    lock.withLock {
      armedFor = nil
      let now = self.now
      while let slot = heap.first, slot.deadline <= now || slot.entry.isClosed {
        if slot.entry.isClosed {
          _ = heap.popFirst(by: Slot.precedes)
          cancelled = max(0, cancelled - 1)
          continue
        }
        due.append(slot.entry)
        guard let period = slot.entry.period else {
          _ = heap.popFirst(by: Slot.precedes)
          continue
        }
        // Keeps the phase; periods that have passed already are skipped.
        let passed = (now - slot.deadline) / period
        sequence += 1
        let next = Slot(
          deadline: Self.sum(slot.deadline + passed * period, period), sequence: sequence,
          entry: slot.entry)
        heap.replaceFirst(with: next, by: Slot.precedes)
      }
      arm()
      releaseSourceIfIdle()
    }
    for entry in due { perform(entry) }
  }

  private func releaseSourceIfIdle() {
    guard heap.count == 0, let source else { return }
    source.setEventHandler {}
    source.cancel()
    self.source = nil
    armedFor = nil
  }

  private struct Slot {
    let deadline: UInt64
    let sequence: UInt64
    let entry: TimerEntry

    static func precedes(_ lhs: Slot, _ rhs: Slot) -> Bool {
      lhs.deadline == rhs.deadline ? lhs.sequence < rhs.sequence : lhs.deadline < rhs.deadline
    }
  }
}

/// One timer: a lifetime that ends when a timer without a period has fired.
final class TimerEntry: Lifetime, @unchecked Sendable {
  // Immutable but for `action`: when there is a period, or after a disposal, it is touched under
  // the lock of `timers`; otherwise by the thread that fires it alone.
  let period: UInt64?
  private let timers: DispatchTimers
  @exclusivity(unchecked) fileprivate var action: (() -> Void)?

  init(_ timers: DispatchTimers, period: UInt64?, _ action: @escaping () -> Void) {
    self.timers = timers
    self.period = period
    self.action = action
    super.init()
  }

  func fire() {
    guard period == nil else {
      if !isClosed { timers.action(of: self)?() }
      return
    }
    guard close() else { return }
    let action = self.action
    self.action = nil
    release()
    action?()
  }

  override func didDispose() { timers.cancel(self) }
}
