import Foundation

/// How two points of virtual time compare.
public enum VirtualTimeComparison: Sendable {
  /// The first comes before the second.
  case lessThan
  /// They are the same.
  case equal
  /// The first comes after the second.
  case greaterThan
}

/// Translates between virtual and real time.
@preconcurrency public protocol VirtualTimeConverterType: Sendable {
  /// A point of virtual time.
  associatedtype VirtualTimeUnit: Sendable
  /// A span of virtual time.
  associatedtype VirtualTimeIntervalUnit: Sendable

  /// The real time that a virtual time stands for.
  func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime
  /// The virtual time that stands for a real time.
  func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit
  /// The real span, in seconds, that a virtual span stands for.
  func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit)
    -> TimeInterval
  /// The virtual span that stands for a real span in seconds.
  func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit
  /// `time` moved by `offset`.
  func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit)
    -> VirtualTimeUnit
  /// How `lhs` compares with `rhs`.
  func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}

/// A scheduler whose time moves only when it is told to: hours pass in microseconds, and twice the
/// same.
///
/// Work runs on the thread that calls `start` or `advanceTo`, ordered by time, then by when it was
/// scheduled. Work may be scheduled from any thread. What waits when the scheduler is released never
/// runs, and is released with it.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType,
  CustomDebugStringConvertible, @unchecked Sendable
{
  /// A point of virtual time.
  public typealias VirtualTime = Converter.VirtualTimeUnit
  /// A span of virtual time.
  public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

  // `waiting` is touched inside `exclusively`; the agenda has a lock of its own. They are two, for the
  // converter is the user's: it is not called under a lock.
  @exclusivity(unchecked) private var waiting = Heap<Item>()
  private let agenda: Locked<Agenda>
  private let converter: Converter

  /// A scheduler whose clock shows `initialClock`.
  public init(initialClock: VirtualTime, converter: Converter) {
    self.converter = converter
    agenda = Locked(Agenda(clock: initialClock))
  }

  /// The virtual time.
  public final var clock: VirtualTime { agenda.withLock { $0.clock } }

  /// The real time that `clock` stands for.
  public final var now: RxTime { converter.convertFromVirtualTime(clock) }

  /// The clock, and the time of the first work that waits unless the scheduler is running.
  public final var debugDescription: String {
    "\(Self.self)(clock: \(clock), next: \(nextTime.map { "\($0)" } ?? "none"))"
  }

  /// Runs `action` at the current virtual time, when the scheduler runs.
  public final func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { scheduleRelative(state, dueTime: .microseconds(0), action: action) }

  /// Runs `action` after `dueTime` of virtual time.
  public final func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let date = now.addingTimeInterval(TimeInterval(dueTime.nanoseconds) / 1e9)
    let time = adjustScheduledTime(converter.convertToVirtualTime(date))
    return scheduleAbsoluteVirtual(state, time: time, action: action)
  }

  /// Runs `action` after `dueTime`, in units of virtual time, which `adjustScheduledTime` does not
  /// change.
  public final func scheduleRelativeVirtual<StateType>(
    _ state: StateType, dueTime: VirtualTimeInterval,
    action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let time = converter.offsetVirtualTime(clock, offset: dueTime)
    return scheduleAbsoluteVirtual(state, time: time, action: action)
  }

  /// Runs `action` at `time`; a time that has passed counts as now.
  public final func scheduleAbsoluteVirtual<StateType>(
    _ state: StateType, time: VirtualTime, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let work = ScheduledJob(state, action)
    agenda.withLock {
      $0.sequence += 1
      $0.arrived.append(Item(time: time, sequence: $0.sequence, work: work))
    }
    return work
  }

  /// Changes the time that work is scheduled at; subclasses override it.
  ///
  /// The default changes nothing.
  open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

  /// Runs work until there is none, or `stop` is called; does nothing when it is running already.
  public final func start() { exclusively { run(upTo: nil) } }

  /// Runs the work up to `virtualTime`, which the clock then shows.
  public final func advanceTo(_ virtualTime: VirtualTime) {
    checkNotPast(virtualTime)
    let hasRun: Void? = exclusively {
      run(upTo: virtualTime)
      agenda.withLock { $0.clock = virtualTime }
    }
    precondition(hasRun != nil, "The scheduler is running already.")
  }

  /// Moves the clock on by `virtualInterval` without running anything.
  public final func sleep(_ virtualInterval: VirtualTimeInterval) {
    let time = converter.offsetVirtualTime(clock, offset: virtualInterval)
    checkNotPast(time)
    agenda.withLock { $0.clock = time }
  }

  /// Stops `start` or `advanceTo` after the work that is running.
  public final func stop() { agenda.withLock { $0.isStopped = true } }

  /// The time of the first work that waits; nil while the scheduler is running.
  package final var nextTime: VirtualTime? { exclusively { first()?.time } ?? nil }

  private func checkNotPast(_ time: VirtualTime) {
    let isPast = converter.compareVirtualTime(time, clock) == .lessThan
    precondition(!isPast, "Virtual time cannot go back from \(clock) to \(time).")
  }

  /// Runs `body` as the only one that does; nil when there is another.
  @discardableResult private func exclusively<Result>(_ body: () -> Result) -> Result? {
    let isFirst = agenda.withLock {
      if $0.isRunning { return false }
      ($0.isRunning, $0.isStopped) = (true, false)
      return true
    }
    guard isFirst else { return nil }
    defer { agenda.withLock { $0.isRunning = false } }
    return body()
  }

  private func run(upTo limit: VirtualTime?) {
    while !agenda.withLock({ $0.isStopped }), let next = first() {
      if let limit, converter.compareVirtualTime(next.time, limit) == .greaterThan { return }
      _ = waiting.popFirst(by: precedes)
      if converter.compareVirtualTime(next.time, clock) == .greaterThan {
        agenda.withLock { $0.clock = next.time }
      }
      next.work.run()
    }
  }

  /// The first work that waits, once what has arrived is in its place.
  private func first() -> Item? {
    var arrived: [Item] = []
    agenda.withLock { swap(&$0.arrived, &arrived) }
    for item in arrived { waiting.insert(item, by: precedes) }
    while let first = waiting.first, first.work.isClosed { _ = waiting.popFirst(by: precedes) }
    return waiting.first
  }

  private func precedes(_ lhs: Item, _ rhs: Item) -> Bool {
    let order = converter.compareVirtualTime(lhs.time, rhs.time)
    return order == .lessThan || order == .equal && lhs.sequence < rhs.sequence
  }

  private struct Agenda {
    var clock: VirtualTime
    var arrived: [Item] = []
    var sequence = 0
    var isRunning = false
    var isStopped = false
  }

  private struct Item {
    let time: VirtualTime
    let sequence: Int
    let work: ScheduledWork
  }
}
