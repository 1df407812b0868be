import Synchronization

/// Runs observables one after the other, for `concat`, `catch` and `retry`.
///
/// Each runs in a child lifetime, which is released before the next observable starts. Observables
/// that end at once follow each other in a loop, so a million of them need no deep stack.
@usableFromInline package final class SequentialRunner<Element> {
  /// The action that `nextAction` returns when an observable has ended.
  @usableFromInline package enum NextAction {
    case run(Observable<Element>)
    case end((any Error)?)
  }

  // `phase` decides which thread continues after an end: the thread that started the observable, or
  // the thread on which it ended. `endError` is written before `phase` becomes `ended` and read
  // after.
  private let phase = Atomic(RunnerPhase.starting)
  private let down: Observer<Element>
  private let continues: ((any Error)?) -> Bool
  private let nextAction: ((any Error)?) -> NextAction
  @exclusivity(unchecked) private var endError: (any Error)?

  /// Creates a runner whose result goes to `down`.
  ///
  /// - Parameters:
  ///   - continues: whether the runner continues after an end; any other end is passed on within the
  ///     call that delivers it, as in RxSwift
  ///   - nextAction: returns what follows such an end; called after the subscription to the ended
  ///     observable has returned
  @usableFromInline package init(
    _ down: Observer<Element>, continues: @escaping ((any Error)?) -> Bool,
    nextAction: @escaping ((any Error)?) -> NextAction
  ) {
    self.down = down
    self.continues = continues
    self.nextAction = nextAction
  }

  /// Runs `observable`, and then the observables that `nextAction` returns.
  @usableFromInline package func run(_ observable: Observable<Element>) {
    var current = observable
    while !down.lifetime.isDisposed {
      phase.store(.starting, ordering: .relaxed)
      start(current)
      let (isRunning, _) = phase.compareExchange(
        expected: .starting, desired: .running, ordering: .acquiringAndReleasing)
      if isRunning { return }
      switch nextAction(endError) {
      case .run(let next): current = next
      case .end(let error): return down.end(error)
      }
    }
  }

  private func start(_ observable: Observable<Element>) {
    let end: ((any Error)?) -> Void = { error in
      guard self.continues(error) else { return self.down.end(error) }
      self.endError = error
      let before = self.phase.exchange(.ended, ordering: .acquiringAndReleasing)
      guard before == .running else { return }
      switch self.nextAction(error) {
      case .run(let next): self.run(next)
      case .end(let error): self.down.end(error)
      }
    }
    observable.start(down.lifetime.child().observer(next: down.next, end: end))
  }
}

private enum RunnerPhase: UInt8, AtomicRepresentable { case starting, running, ended }
