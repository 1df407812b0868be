import Synchronization

/// Work handed to a scheduler: a lifetime that holds what the work returned.
///
/// What the work captures goes as soon as it is done or disposed of, even when its time is far.
class ScheduledWork: Lifetime, @unchecked Sendable {
  private enum Turn: UInt8, AtomicRepresentable { case waiting, running, disposed }

  // What subclasses capture belongs to whoever takes `turn` from `waiting`: to the thread that runs,
  // to dispose of it otherwise.
  private let turn = Atomic(Turn.waiting)

  /// Does the work once; nil when it has a next turn.
  func perform() -> (any Disposable)? { nil }

  /// Lets go of what the work captures.
  func forget() {}

  /// Does the work now, unless it was disposed of or is being done already; it ends with it when
  /// there is nothing to hold.
  final func run() {
    guard turn(from: .waiting, to: .running) else { return }
    let result = perform()
    if result == nil, turn(from: .running, to: .waiting) { return }
    forget()
    guard let result, !(result is NothingToDispose) else { return dispose() }
    add(result)
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

  override func perform() -> (any Disposable)? { job?() }

  override func forget() { job = nil }
}
