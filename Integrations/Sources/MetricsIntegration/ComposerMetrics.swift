import Compose
import Metrics
import Synchronization

extension Composed {
  /// Reports the steps and effects of the composer as metrics.
  ///
  /// ```swift
  /// let composed = Composed(sending: Ticker())
  /// composed.report(as: "Ticker").disposed(by: bag)
  /// ```
  ///
  /// | metric | kind | dimensions |
  /// | --- | --- | --- |
  /// | `composer.steps` | counter | |
  /// | `composer.actions` | counter | |
  /// | `composer.effects` | counter, at their end | `composer.effect.outcome` |
  /// | `composer.active_effects` | meter | |
  /// | `composer.effect.duration` | timer, by the composer's clock | `composer.effect.outcome` |
  /// | `composer.mailbox.pending_actions` | meter, after each step | |
  /// | `composer.mailbox.dropped_actions` | meter, after each step | |
  ///
  /// Each has the dimension `composer.name`. The outcome is `completed`, `failed` or `cancelled`. An
  /// effect that had started before the call has no duration, and is not active. Metrics are reported
  /// where the trace is delivered; the composer is not retained.
  ///
  /// - Parameters:
  ///   - name: value of `composer.name`; composers of the same name share their counters
  ///   - factory: makes the metrics: that of `MetricsSystem`
  /// - Returns: The subscription; disposing of it ends the reports.
  public func report(
    as name: String, to factory: any MetricsFactory = MetricsSystem.factory
  ) -> any Disposable {
    let reporter = ComposerReporter(Instruments("composer", [("composer.name", name)], factory))
    return trace.subscribe(onNext: { [weak self] event in
      reporter.note(event)
      if case .step = event.kind, let self {
        reporter.noteMailbox(pending: pendingActionCount, dropped: droppedActionCount)
      }
    })
  }
}

/// Counts the events of one composer.
private final class ComposerReporter: Sendable {
  private let instruments: Instruments
  /// The times in seconds at which the active effects have started.
  private let active = Mutex<[Int: Double]>([:])

  init(_ instruments: Instruments) { self.instruments = instruments }

  func note<State, Action>(_ event: TraceEvent<State, Action>) {
    let now = event.time.timeIntervalSinceReferenceDate
    switch event.kind {
    case .step(let step):
      instruments.count("steps", 1)
      instruments.count("actions", step.actions.count)
    case .started(let effect, _, _):
      let count = active.withLock { active in
        active[effect] = now
        return active.count
      }
      instruments.set("active_effects", count)
    case .ended(let effect, let outcome):
      let dimensions = [("composer.effect.outcome", outcome.name)]
      instruments.count("effects", 1, dimensions)
      let (began, count) = active.withLock { ($0.removeValue(forKey: effect), $0.count) }
      guard let began else { return }
      instruments.set("active_effects", count)
      instruments.record("effect.duration", .seconds(max(0, now - began)), dimensions)
    }
  }

  func noteMailbox(pending: Int, dropped: Int) {
    instruments.set("mailbox.pending_actions", pending)
    instruments.set("mailbox.dropped_actions", dropped)
  }
}

extension EffectOutcome {
  fileprivate var name: String {
    switch self {
    case .completed: "completed"
    case .failed: "failed"
    case .cancelled: "cancelled"
    }
  }
}
