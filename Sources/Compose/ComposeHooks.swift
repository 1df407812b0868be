#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A programming mistake, or an error without a handler, that Compose detects at run time.
public enum ComposeProblem: Error, CustomStringConvertible {
  /// An effect failed with an error that it does not catch, and the composer does not handle
  /// failures: catch the error, or conform to ``EffectFailureHandling``.
  case effectFailed(error: any Error, composer: String, action: String)
  /// A state effect failed with an error that it does not catch, and the composer does not handle
  /// failures: catch the error, or conform to ``EffectFailureHandling``.
  case stateEffectFailed(error: any Error, composer: String, id: String)
  /// The state of a composer that is not bound was read: own the composer by `@Compose` or
  /// ``Composed``. Reported once for each composer.
  case readBeforeBinding(state: String)
  /// The reducer wrote to the composer's `state` property instead of its `inout` parameter, and the
  /// write was dropped: change the `inout` state.
  case wroteStateInReducer(state: String)
  /// The observable that `transform(action:)` returned has failed. Actions from outside no longer
  /// arrive: handle the error inside `transform(action:)`.
  case transformFailed(any Error, composer: String)
  /// An action was sent to a child that has no state, and was dropped: stop the sender when the
  /// child's state becomes nil.
  case childIsAbsent(child: String, action: String)
  /// A composer reduces a child that it has not found among its properties when it was bound: the
  /// child's effects do not end with its state, and its state effects do not run. Declare it with
  /// `let` as a property of its own, not `lazy`, computed or inside another value. Reported once for
  /// each declaration.
  case childIsNotFound(child: String)
  /// An effect was cancelled by an id that no effect of the composer has had so far, unlike other ids:
  /// compare the two ids, and their types. Reported once for each id, in debug builds only, because
  /// the effect may yet start.
  case cancelledUnusedID(composer: String, id: String)
  /// A ``Composed`` was released while actions waited for its composer, which were dropped: keep the
  /// handle until they are reduced. Reported in debug builds only.
  case releasedWithActions(composer: String, count: Int)
  /// A composer that is no child, or one that always exists, returned `.dismiss`, which had no effect.
  case dismissedWithoutParent(composer: String)
  /// So many actions wait to be reduced that the senders are faster than the reducer: send less, or
  /// bound ``Composer/mailbox``. Reported once for each composer.
  case mailboxIsLong(composer: String, count: Int)
  /// The mailbox of a composer was full, and an action was dropped: send less, or choose another
  /// policy for ``Composer/mailbox``.
  case mailboxIsFull(composer: String, action: String)
  /// A ``SharedValue`` without `onFailure` could not be loaded or saved: do what the error says.
  case valueNotKept(any Error)
  /// A composer declares two ``Sharing`` for one part of its state, and the second one has no effect:
  /// remove it.
  case sharedTwice(part: String)
  /// A composer has a `@Shared` part of its state and no ``Sharing``, so that the part is shared with
  /// nobody: declare one, with `let` as a property of its own. Reported in debug builds only.
  case sharedWithNobody(composer: String, part: String)
  /// A list of state effects has two effects of one id, and the second one was not started: give each an
  /// id of its own.
  case stateEffectIDIsTaken(id: String)
  /// The closure of ``SharedValue/update(by:_:)``, or the `merge` of a ``SharedValue``, has written that
  /// value itself or through a composer, and the write was replaced by that of `writer`: change the
  /// closure's own value, and write before or after the call.
  case sharedWriteReplaced(nested: String, writer: String)
  /// The observer of a `.run` was used after the closure had returned, and the action was dropped:
  /// await all work inside the closure.
  case sentAfterEnd(effect: String)

  /// One sentence on what is wrong and one on what to do.
  public var description: String { text.withoutAddresses }

  private var text: String {
    switch self {
    case .effectFailed(let error, let composer, let action):
      "An effect of \(composer) for \(action) failed with \(error). "
        + "Catch it in the effect (.run's catch, .socket's lifecycle), "
        + "or conform the composer to EffectFailureHandling."
    case .stateEffectFailed(let error, let composer, let id):
      "The state effect \(id) of \(composer) failed with \(error). "
        + "Catch it in the effect (.run's catch, .socket's lifecycle), "
        + "or conform the composer to EffectFailureHandling."
    case .readBeforeBinding(let state):
      "\(state) was read though its composer is not bound, so no action changes it. "
        + "Own the composer by @Compose or Composed."
    case .wroteStateInReducer(let state):
      "\(state) was written through self.state inside the reducer, and the write was dropped. "
        + "Change the reducer's inout state."
    case .transformFailed(let error, let composer):
      "transform(action:) of \(composer) failed with \(error), and no more actions arrive. "
        + "Handle the error inside transform(action:)."
    case .childIsAbsent(let child, let action):
      "\(child) has no state and was sent \(action), which was dropped. "
        + "Stop the sender when the child's state becomes nil."
    case .childIsNotFound(let child):
      "The child \(child) is not a stored property of the composer that reduces it, so that it does not "
        + "end with its state. Declare it with let, not lazy, computed or inside another value."
    case .cancelledUnusedID(let composer, let id):
      "\(composer) cancelled the id \(id), which no effect of it has had so far. "
        + "Compare it, and its type, with the id of the effect."
    case .releasedWithActions(let composer, let count):
      "The Composed of \(composer) was released while actions waited, and \(count) were dropped. "
        + "Keep the handle until they are reduced."
    case .dismissedWithoutParent(let composer):
      "\(composer) returned .dismiss and is no child, or one that always exists. "
        + "Declare it as the child of an optional state."
    case .mailboxIsLong(let composer, let count):
      "\(count) actions wait for \(composer). Send less, or bound its mailbox."
    case .mailboxIsFull(let composer, let action):
      "The mailbox of \(composer) is full, and \(action) was dropped. "
        + "Send less, or choose another policy for its mailbox."
    case .valueNotKept(let error):
      "A shared value is not kept: \(error)"
    case .sharedTwice(let part):
      "\(part) is shared by two declarations, and the second one has no effect. Remove it."
    case .sharedWithNobody(let composer, let part):
      "The part \(part) of \(composer) is @Shared, and no Sharing shares it. "
        + "Declare one with let, as a property of the composer."
    case .stateEffectIDIsTaken(let id):
      "Two state effects have the id \(id), and the second one was not started. "
        + "Give each an id of its own."
    case .sharedWriteReplaced(let nested, let writer):
      "\(nested) wrote a shared value inside the closure with which \(writer) changes it, and that "
        + "write was replaced. Change the closure's own value, and write before or after the call."
    case .sentAfterEnd(let effect):
      "\(effect) was sent after its .run had returned, and was dropped. "
        + "Await everything inside the closure."
    }
  }
}

/// The handler of problems that Compose detects.
public enum ComposeHooks {
  private static let handler = Locked(
    Handler { problem in
      writeErrorLine("Compose: \(problem)")
    })

  // A bare closure would be wrapped in one more closure by each generic call that returns it, and
  // the wrappers would accumulate.
  private struct Handler {
    let call: @Sendable (ComposeProblem) -> Void
  }

  /// Called with each problem, on the thread that detects it.
  ///
  /// By default it writes one line to standard error.
  public static var onProblem: @Sendable (ComposeProblem) -> Void {
    get { handler.withLock { $0 }.call }
    set { _ = handler.replace(with: Handler(call: newValue)) }
  }

  @usableFromInline static func report(_ problem: ComposeProblem) {
    (EffectContext.ambient?.onProblem ?? onProblem)(problem)
  }

  /// Reports a problem of the running reducer after its step.
  ///
  /// The handler, and the descriptions in `problem`, may read the state, which a reducer that works
  /// in place has taken.
  @usableFromInline static func reportAfterStep(_ problem: @escaping @Sendable () -> ComposeProblem)
  {
    guard EffectContext.isReducing, let context = EffectContext.ambient else {
      return report(problem())
    }
    context.perform { (context.onProblem ?? onProblem)(problem()) }
  }
}
