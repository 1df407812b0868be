#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Something that a program built with Compose does wrong, or leaves unhandled.
public enum ComposeProblem: Error, CustomStringConvertible {
  /// An effect failed and neither `catch` nor `effectFailed(_:from:)` took the error: handle it in one
  /// of them.
  case effectFailed(error: any Error, composer: String, action: String)
  /// What the state asks for failed, and neither `catch` nor `effectFailed(_:of:)` took the error: handle
  /// it in one of them.
  case subscriptionFailed(error: any Error, composer: String, id: String)
  /// The state of a composer that nobody bound was read: own it by `@Compose` or ``Composed``. Told
  /// once for each composer.
  case readBeforeBinding(state: String)
  /// The composer's `state` was written inside its reducer, where the `inout` state wins: change that
  /// one.
  case wroteStateInReducer(state: String)
  /// What `transform(action:)` returned has failed, and no action from outside arrives any more: handle
  /// the error inside of it.
  case transformFailed(any Error, composer: String)
  /// A child without a state was sent an action, which was dropped: end what sends it when the state
  /// becomes nil.
  case childIsAbsent(child: String, action: String)
  /// The observer of a `.run` was used after its closure had returned; the action was dropped. Keep the
  /// closure running until everything was sent.
  case sentAfterEnd(effect: String)

  /// One sentence on what is wrong and one on what to do.
  public var description: String {
    switch self {
    case .effectFailed(let error, let composer, let action):
      "An effect of \(composer) for \(action) failed with \(error). "
        + "Catch it in the effect (.run's catch, .socket's lifecycle), or implement effectFailed(_:from:)."
    case .subscriptionFailed(let error, let composer, let id):
      "The subscription \(id) of \(composer) failed with \(error). "
        + "Catch it in the effect (.run's catch, .socket's lifecycle), or implement effectFailed(_:of:)."
    case .readBeforeBinding(let state):
      "\(state) was read though its composer is not bound, so no action changes it. "
        + "Own the composer by @Compose or Composed."
    case .wroteStateInReducer(let state):
      "\(state) was written through self.state inside the reducer, and the write was dropped. "
        + "Change the reducer's inout state."
    case .transformFailed(let error, let composer):
      "What \(composer) makes of its actions failed with \(error), and none arrives any more. "
        + "Handle the error inside of transform(action:)."
    case .childIsAbsent(let child, let action):
      "\(child) has no state and was sent \(action), which was dropped. "
        + "Remove the child when its state becomes nil."
    case .sentAfterEnd(let effect):
      "\(effect) was sent after its .run had returned, and was dropped. "
        + "Await everything inside the closure."
    }
  }
}

/// Where Compose reports what would otherwise go unseen.
public enum ComposeHooks {
  private static let handler = Locked(
    Handler { problem in
      writeErrorLine("Compose: \(problem)")
    })

  // A closure by itself would be wrapped once more each time that generic code hands it out, for good.
  private struct Handler {
    let call: @Sendable (ComposeProblem) -> Void
  }

  /// Called with each problem, on the thread where it is found; writes one line to standard error by
  /// default.
  public static var onProblem: @Sendable (ComposeProblem) -> Void {
    get { handler.withLock { $0 }.call }
    set { _ = handler.replace(with: Handler(call: newValue)) }
  }

  static func report(_ problem: ComposeProblem) {
    (EffectContext.here?.onProblem ?? onProblem)(problem)
  }
}
