import Compose
import Reactive
import Synchronization
import Tracing

/// Makes spans of the trace of one composer.
final class ComposerSpans: Sendable {
  private let name: String
  private let tracer: any Tracer
  private let causes = Mutex(SpanCauses())

  init(_ name: String, _ tracer: any Tracer) {
    self.name = name
    self.tracer = tracer
  }

  /// The trace calls it by one thread at a time.
  func note<State, Action>(_ event: TraceEvent<State, Action>) {
    switch event.kind {
    case .step(let step): note(step)
    case .started(let effect, let origin, let id): start(effect, origin, id: id)
    case .ended(let effect, let outcome): end(effect, outcome)
    }
  }

  private func note<State, Action>(_ step: ComposerStep<State, Action>) {
    let cause = step.actions.first.map(actionName) ?? step.change ?? "step"
    let context = causes.withLock { $0.context(for: step.source) }
    let span = tracer.startAnySpan(
      "\(name).\(cause)", context: context ?? .current ?? .topLevel)
    span.attributes["composer.name"] = name
    span.attributes["composer.step"] = step.number
    span.attributes["composer.actions"] = step.actions.count
    span.end()
    causes.withLock { $0.add(.step(step.number), span.context) }
  }

  private func start(_ effect: Int, _ origin: EffectOrigin, id: String?) {
    let context = causes.withLock { $0.context(for: origin) }
    let span = tracer.startAnySpan(
      "\(name) effect", context: context ?? .current ?? .topLevel)
    span.attributes["composer.name"] = name
    span.attributes["composer.effect"] = effect
    if let id { span.attributes["composer.effect.id"] = id }
    if !causes.withLock({ $0.start(effect, span) }) { span.end() }
  }

  private func end(_ effect: Int, _ outcome: EffectOutcome) {
    guard let span = causes.withLock({ $0.end(effect) }) else { return }
    switch outcome {
    case .completed: span.attributes["composer.effect.outcome"] = "completed"
    case .cancelled: span.attributes["composer.effect.outcome"] = "cancelled"
    case .failed(let error):
      span.attributes["composer.effect.outcome"] = "failed"
      span.setStatus(SpanStatus(code: .error, message: error))
    }
    span.end()
  }

  /// Ends the spans of running effects.
  func end() {
    for span in causes.withLock({ $0.endAll() }) { span.end() }
  }
}

/// The name of the action's case, or of its type, without its values: there may be too many of them for
/// names of spans, and secrets among them.
func actionName(of action: some Any) -> String {
  let mirror = Mirror(reflecting: action)
  guard mirror.displayStyle == .enum else { return "\(type(of: action))" }
  if let label = mirror.children.first?.label { return label }
  // The text of a case without values is its name, unless the type describes itself.
  let isDescribed =
    action is any CustomStringConvertible || action is any CustomDebugStringConvertible
    || action is any TextOutputStreamable
  return isDescribed ? "\(type(of: action))" : "\(action)"
}

/// The contexts of the last steps and effects, and the spans of running effects.
struct SpanCauses {
  enum Cause: Hashable {
    case step(Int)
    case effect(Int)
  }

  /// How many contexts are remembered.
  static let limit = 1_000

  private var contexts: [Cause: ServiceContext] = [:]
  /// The causes in a ring, in the order in which they were added.
  private var order: [Cause] = []
  private var oldest = 0
  private var lastStep: Int?
  private var running: [Int: any Span] = [:]
  private var hasEnded = false

  mutating func add(_ cause: Cause, _ context: ServiceContext) {
    if case .step(let number) = cause { lastStep = number }
    contexts[cause] = context
    if order.count < Self.limit {
      order.append(cause)
    } else {
      contexts[order[oldest]] = nil
      order[oldest] = cause
      oldest = (oldest + 1) % Self.limit
    }
  }

  /// Adds the span of a running effect; returns whether it is ended by this, not after ``endAll()``.
  mutating func start(_ effect: Int, _ span: any Span) -> Bool {
    guard !hasEnded else { return false }
    running[effect] = span
    return true
  }

  /// Remembers the context of an effect from its end on.
  mutating func end(_ effect: Int) -> (any Span)? {
    let span = running.removeValue(forKey: effect)
    if let span { add(.effect(effect), span.context) }
    return span
  }

  mutating func endAll() -> [any Span] {
    hasEnded = true
    defer { running = [:] }
    return Array(running.values)
  }

  /// The context of a step's cause; nil for one from outside.
  func context(for source: ActionSource) -> ServiceContext? {
    switch source {
    case .outside, .shared: nil
    case .step(let number): contexts[.step(number)]
    case .effect(let number): context(ofEffect: number)
    }
  }

  /// The context of an effect's cause.
  func context(for origin: EffectOrigin) -> ServiceContext? {
    switch origin {
    case .step(let number), .middleware(let number): contexts[.step(number)]
    case .failure(let effect): context(ofEffect: effect)
    case .stateEffect: lastStep.flatMap { contexts[.step($0)] }
    }
  }

  private func context(ofEffect number: Int) -> ServiceContext? {
    running[number]?.context ?? contexts[.effect(number)]
  }
}
