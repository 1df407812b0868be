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
/// Work runs on the thread that calls `start`, `advanceTo` or `sleep`, ordered by time, then by when
/// it was scheduled. Work may be scheduled from any thread.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType,
  @unchecked Sendable
{
  /// A point of virtual time.
  public typealias VirtualTime = Converter.VirtualTimeUnit
  /// A span of virtual time.
  public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

  // Protects the agenda.
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

  /// Runs `action` at the current virtual time, when the scheduler runs.
  public final func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { scheduleRelative(state, dueTime: .microseconds(0), action: action) }

  /// Runs `action` after `dueTime` of virtual time.
  public final func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let time = now.addingTimeInterval(dueTime.seconds)
    let absolute = adjustScheduledTime(converter.convertToVirtualTime(time))
    return scheduleAbsoluteVirtual(state, time: absolute, action: action)
  }

  /// Runs `action` after `dueTime`, in units of virtual time.
  public final func scheduleRelativeVirtual<StateType>(
    _ state: StateType, dueTime: VirtualTimeInterval,
    action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let time = adjustScheduledTime(converter.offsetVirtualTime(clock, offset: dueTime))
    return scheduleAbsoluteVirtual(state, time: time, action: action)
  }

  /// Runs `action` at `time`; a time that has passed counts as now.
  public final func scheduleAbsoluteVirtual<StateType>(
    _ state: StateType, time: VirtualTime, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let work = ScheduledWork()
    // Disposed work stays on the agenda until its time has come; what it holds goes at once.
    // The item keeps the work alive: held by its own job it would outlive the scheduler.
    let job = Locked<(() -> Void)?>({ [weak work] in work?.run(state, action) })
    let take: @Sendable () -> (() -> Void)? = {
      job.withLock { job in
        defer { job = nil }
        return job
      }
    }
    work.add(ActionDisposable { _ = take() })
    agenda.withLock {
      $0.sequence += 1
      let item = Item(time: time, sequence: $0.sequence, work: work) { take()?() }
      $0.items.insert(item, by: precedes)
    }
    return work
  }

  /// Changes the time that work is scheduled at; subclasses override it.
  ///
  /// The default changes nothing.
  open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

  /// Runs work until there is none, or `stop` is called.
  public final func start() {
    agenda.withLock { $0.isRunning = true }
    while agenda.withLock({ $0.isRunning }), runNext(upTo: nil) {}
    agenda.withLock { $0.isRunning = false }
  }

  /// Runs the work up to `virtualTime`, which the clock then shows.
  public final func advanceTo(_ virtualTime: VirtualTime) {
    let isPast = converter.compareVirtualTime(virtualTime, clock) == .lessThan
    precondition(!isPast, "Virtual time cannot go back from \(clock) to \(virtualTime).")
    agenda.withLock { $0.isRunning = true }
    while agenda.withLock({ $0.isRunning }), runNext(upTo: virtualTime) {}
    agenda.withLock {
      $0.isRunning = false
      $0.clock = virtualTime
    }
  }

  /// Moves the clock on by `virtualInterval` without running anything.
  public final func sleep(_ virtualInterval: VirtualTimeInterval) {
    agenda.withLock { $0.clock = converter.offsetVirtualTime($0.clock, offset: virtualInterval) }
  }

  /// Stops `start` or `advanceTo` after the work that is running.
  public final func stop() { agenda.withLock { $0.isRunning = false } }

  /// The time of the first work that waits.
  package final var nextTime: VirtualTime? {
    agenda.withLock {
      dropDisposed(&$0)
      return $0.items.first?.time
    }
  }

  /// Runs the first work that waits, unless it comes after `limit`.
  private func runNext(upTo limit: VirtualTime?) -> Bool {
    let next: Item? = agenda.withLock {
      dropDisposed(&$0)
      guard let first = $0.items.first else { return nil }
      if let limit, converter.compareVirtualTime(first.time, limit) == .greaterThan { return nil }
      if converter.compareVirtualTime(first.time, $0.clock) == .greaterThan {
        $0.clock = first.time
      }
      return $0.items.popFirst(by: precedes)
    }
    next?.run()
    return next != nil
  }

  private func dropDisposed(_ agenda: inout Agenda) {
    while let first = agenda.items.first, first.work.isClosed {
      _ = agenda.items.popFirst(by: precedes)
    }
  }

  private func precedes(_ lhs: Item, _ rhs: Item) -> Bool {
    switch converter.compareVirtualTime(lhs.time, rhs.time) {
    case .lessThan: true
    case .greaterThan: false
    case .equal: lhs.sequence < rhs.sequence
    }
  }

  private struct Agenda {
    var clock: VirtualTime
    var items = Heap<Item>()
    var sequence = 0
    var isRunning = false
  }

  private struct Item {
    let time: VirtualTime
    let sequence: Int
    let work: ScheduledWork
    let run: () -> Void
  }
}
