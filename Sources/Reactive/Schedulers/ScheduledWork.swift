import Synchronization

/// Work handed to a scheduler: a lifetime that holds what the work returned.
///
/// What the work captures goes as soon as it is done or disposed of, even when its time is far.
class ScheduledWork: Lifetime, @unchecked Sendable {
  private enum Turn: UInt8, AtomicRepresentable { case waiting, running, disposed }

  // `job` belongs to whoever takes `turn` from `waiting`: to the thread that runs, to dispose of it
  // otherwise.
  private let turn = Atomic(Turn.waiting)
  @exclusivity(unchecked) private var job: (() -> (any Disposable)?)?

  /// Work that is done again in its next turn as long as `job` returns nil.
  init(_ job: @escaping () -> (any Disposable)?) {
    self.job = job
    super.init()
  }

  /// Work that is done once.
  convenience init<State>(_ state: State, _ action: @escaping (State) -> any Disposable) {
    self.init { action(state) }
  }

  /// Does the work now, unless it was disposed of or is being done already; it ends with it when
  /// there is nothing to hold.
  final func run() {
    guard turn(from: .waiting, to: .running), let job else { return }
    let result = job()
    if result == nil, turn(from: .running, to: .waiting) { return }
    self.job = nil
    guard let result, !(result is NothingToDispose) else { return dispose() }
    add(result)
  }

  /// Whether the work was waiting for its turn.
  final func withdraw() -> Bool {
    guard turn.exchange(.disposed, ordering: .acquiringAndReleasing) == .waiting else {
      return false
    }
    job = nil
    return true
  }

  override func didDispose() { _ = withdraw() }

  private func turn(from expected: Turn, to desired: Turn) -> Bool {
    turn.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing)
      .exchanged
  }
}
