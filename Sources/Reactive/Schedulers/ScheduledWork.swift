import Synchronization

/// Work handed to a scheduler: a lifetime that holds what the work returned.
///
/// What the work captures goes as soon as it is done or disposed of, even when its time is far.
@usableFromInline class ScheduledWork: Lifetime, @unchecked Sendable {
  /// What a piece of work leaves behind.
  enum Outcome {
    /// It has a next turn.
    case again
    /// Nothing.
    case done
    /// What the work holds until it is disposed of.
    case holds(Resource)

    /// What is left of work that has returned `disposable`.
    init(_ disposable: any Disposable) {
      let resource = Resource.wrapping(disposable)
      self = resource === NothingToDispose.instance ? .done : .holds(resource)
    }
  }

  private enum Turn: UInt8, AtomicRepresentable { case waiting, running, disposed }

  // What subclasses capture belongs to whoever takes `turn` from `waiting`: to the thread that runs,
  // to dispose of it otherwise.
  private let turn = Atomic(Turn.waiting)

  /// The time between two turns, in nanoseconds; 0 when there is one turn.
  @usableFromInline var period: UInt64 { 0 }

  /// Does the work once.
  func perform() -> Outcome { .done }

  /// Lets go of what the work captures.
  func forget() {}

  /// Does the work now, unless it was disposed of or is being done already; it ends with it when
  /// there is nothing to hold.
  @usableFromInline final func run() {
    guard turn(from: .waiting, to: .running) else { return }
    let outcome = perform()
    if case .again = outcome, turn(from: .running, to: .waiting) { return }
    forget()
    guard case .holds(let resource) = outcome else { return dispose() }
    add(resource)
  }

  /// Whether the work was waiting for its turn.
  final func withdraw() -> Bool {
    guard turn.exchange(.disposed, ordering: .acquiringAndReleasing) == .waiting else {
      return false
    }
    forget()
    return true
  }

  override func didDispose() { _ = withdraw() }

  private func turn(from expected: Turn, to desired: Turn) -> Bool {
    turn.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing)
      .exchanged
  }
}

/// Work that is done once.
final class ScheduledJob: ScheduledWork, @unchecked Sendable {
  @exclusivity(unchecked) private var job: (() -> any Disposable)?

  init<State>(_ state: State, _ action: @escaping (State) -> any Disposable) {
    job = { action(state) }
    super.init()
  }

  override func perform() -> Outcome { job.map { Outcome($0()) } ?? .done }

  override func forget() { job = nil }
}

/// A scheduler of this package, which takes work as an object: one allocation for each piece.
protocol WorkScheduler: SchedulerType {
  /// Whether work that is due at the same time may be done in one turn. In virtual time the order of turns shows.
  var joinsTurns: Bool { get }

  /// Lets `work` wait for `dueTime`, and then for each of its periods.
  func add(_ work: TimedWork, after dueTime: RxTimeInterval)
}
