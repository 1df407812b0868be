import Synchronization

/// A piece of work for a scheduler: a lifetime that holds the disposable that the work returned.
///
/// The objects that the work captures are released as soon as the work is done or disposed of, even
/// if its time is far in the future.
@usableFromInline class ScheduledWork: Lifetime, @unchecked Sendable {
  /// The state of the work after a run.
  enum WorkResult {
    /// The work runs again.
    case again
    /// The work has ended.
    case done
    /// The work has run, and holds a resource until it is disposed of.
    case holds(Resource)

    /// The result of work that returned `disposable`.
    init(_ disposable: any Disposable) {
      let resource = Resource.wrapping(disposable)
      self = resource === NothingToDispose.instance ? .done : .holds(resource)
    }
  }

  private enum WorkState: UInt8, AtomicRepresentable { case waiting, running, disposed }

  // The thread that changes `workState` from `waiting` may touch the fields of subclasses: the
  // thread that runs the work, or the one that disposes of it.
  private let workState = Atomic(WorkState.waiting)

  /// A number of nanoseconds, more than a century, that counts as no end.
  @inlinable static var never: UInt64 { UInt64.max >> 2 }

  /// The time between two runs, in nanoseconds; 0 for work that runs once.
  @usableFromInline var period: UInt64 { 0 }

  /// Does the work once.
  func perform() -> WorkResult { .done }

  /// Releases the objects that the work captures.
  func forget() {}

  /// Does the work now, unless it is disposed of or running.
  ///
  /// The lifetime ends with the work when no resource remains to be held.
  @usableFromInline final func run() {
    guard change(from: .waiting, to: .running) else { return }
    let result = perform()
    if case .again = result, change(from: .running, to: .waiting) { return }
    forget()
    guard case .holds(let resource) = result else { return dispose() }
    add(resource)
  }

  /// Withdraws the work; returns true if it was waiting.
  final func withdraw() -> Bool {
    guard workState.exchange(.disposed, ordering: .acquiringAndReleasing) == .waiting else {
      return false
    }
    forget()
    return true
  }

  override func didDispose() { _ = withdraw() }

  private func change(from expected: WorkState, to desired: WorkState) -> Bool {
    workState.compareExchange(
      expected: expected, desired: desired, ordering: .acquiringAndReleasing
    )
    .exchanged
  }
}

/// Work that runs once.
final class ScheduledJob: ScheduledWork, @unchecked Sendable {
  @exclusivity(unchecked) private var job: (() -> any Disposable)?

  init<State>(_ state: State, _ action: @escaping (State) -> any Disposable) {
    job = { action(state) }
    super.init()
  }

  override func perform() -> WorkResult { job.map { WorkResult($0()) } ?? .done }

  override func forget() { job = nil }
}

/// A scheduler of this package, which accepts work as an object: one allocation per piece of work.
protocol WorkScheduler: SchedulerType {
  /// Whether one turn may run all work that is due at the same time; false in virtual time.
  ///
  /// The order of turns is visible in virtual time.
  var joinsTurns: Bool { get }

  /// Runs `work` after `dueTime`, and then after each of its periods.
  func add(_ work: TimedWork, after dueTime: RxTimeInterval)
}
