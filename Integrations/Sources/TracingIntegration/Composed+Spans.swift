import Compose
import Tracing

extension Composed {
  /// Makes spans of the composer's steps and effects, with their causes as parents.
  ///
  /// ```swift
  /// let composed = Composed(sending: Ticker())
  /// composed.recordSpans(as: "Ticker").disposed(by: bag)
  /// ```
  ///
  /// - A step's span, `Ticker.received`, is named after its first action and has no duration: it begins
  ///   when the state is published. Its parent is the effect or the step that has sent the action.
  ///   Of an action from outside it is the context of the task that sends, if the composer reduces on the
  ///   sender's thread.
  /// - An effect's span, `Ticker effect`, lasts as long as the effect. Its parent is the step that has
  ///   started it. A failed effect sets the status.
  ///
  /// Attributes: `composer.name`, `composer.step`, `composer.actions` (their number), `composer.effect`,
  /// `composer.effect.id` and `composer.effect.outcome`. Values of actions are not recorded.
  ///
  /// Spans that code in an effect makes are children of these only by `span(_:)` on the effect. A cause
  /// that has ended is remembered for 1,000 further steps and ends of effects.
  ///
  /// - Parameters:
  ///   - name: name of the composer
  ///   - tracer: makes the spans: that of `InstrumentationSystem` at the time of the call
  /// - Returns: The subscription; disposing of it ends the spans of running effects.
  public func recordSpans(
    as name: String, tracer: any Tracer = InstrumentationSystem.tracer
  ) -> any Disposable {
    let spans = ComposerSpans(name, tracer)
    let subscription = trace.subscribe(onNext: { spans.note($0) })
    return Disposables.create(subscription, Disposables.create { spans.end() })
  }
}
