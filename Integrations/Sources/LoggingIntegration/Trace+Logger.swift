import Compose
import Logging

extension Observable {
  /// Writes the steps and effects of a composer to `logger`.
  ///
  /// ```swift
  /// let composed = Composed(sending: Ticker())
  /// composed.trace.log(to: logger, composer: "Ticker").disposed(by: bag)
  /// ```
  ///
  /// A step and the end of an effect are of level `debug`, a failed effect `warning`, a start `trace`.
  /// Metadata: `composer`, `composer.step`, `composer.effect`, `composer.source`, `composer.outcome`.
  /// The message has the actions; states are not written, because they are long and may be secret.
  ///
  /// - Parameters:
  ///   - logger: receives the lines, on the thread that delivers the trace
  ///   - composer: name for the metadata
  /// - Returns: The subscription; disposing of it ends the log.
  public func log<State, Action>(to logger: Logger, composer: String) -> any Disposable
  where Element == TraceEvent<State, Action> {
    subscribe(onNext: { event in logger.write(event, of: composer) })
  }
}

extension Logger {
  fileprivate func write<State, Action>(_ event: TraceEvent<State, Action>, of composer: String) {
    var metadata: Metadata = ["composer": "\(composer)"]
    switch event.kind {
    case .step(let step):
      guard logLevel <= .debug else { return }
      metadata["composer.step"] = "\(step.number)"
      metadata["composer.source"] = "\(step.source)"
      let names = [step.change].compactMap { $0 } + step.actions.map { "\($0)" }
      debug("\(names.joined(separator: ", "))", metadata: metadata, source: "Compose")
    case .started(let effect, let origin, let id):
      metadata["composer.effect"] = "\(effect)"
      metadata["composer.source"] = "\(origin)"
      metadata["composer.effect.id"] = id.map { "\($0)" }
      trace("effect started", metadata: metadata, source: "Compose")
    case .ended(let effect, let outcome):
      metadata["composer.effect"] = "\(effect)"
      metadata["composer.outcome"] = "\(outcome)"
      var level = Level.debug
      if case .failed = outcome { level = .warning }
      log(level: level, "effect ended", metadata: metadata, source: "Compose")
    }
  }
}
