/// A composer that handles the errors that its effects do not catch.
///
/// ```swift
/// class FeedComposer: Composer, EffectFailureHandling {
///   func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>> {
///     .send(.failed(failure.error.localizedDescription))
///   }
/// }
/// ```
///
/// The errors of a composer that does not conform are reported to ``ComposeHooks``. Those of a child's
/// effects come to the composer that is bound, also when the child conforms.
public protocol EffectFailureHandling<Action>: Composer {
  /// Called when an effect has failed with an error that it does not catch; returns the effect to
  /// start next.
  ///
  /// Called where the composer reduces, between two steps; `state` may be read. `CancellationError`
  /// is not reported, nor is the failure of a child that has ended. When the returned effect fails,
  /// this is called again with the same source: do not return an effect that always fails.
  func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>>
}

/// The failure of an effect.
public struct EffectFailure<Action: Sendable>: CustomStringConvertible {
  /// The cause of a failed effect.
  public enum Source {
    /// The reducer or a middleware returned the effect for this action.
    case action(Action)
    /// A middleware returned the effect for the change of this name.
    case change(String)
    /// ``Composer/stateEffects(_:)`` returned the effect with this id; for the effect of a child, the
    /// id that the child declared.
    case stateEffect(id: AnyHashable)
  }

  /// The error.
  public let error: any Error
  /// The cause of the effect.
  public let source: Source

  @usableFromInline init(_ error: any Error, _ source: Source) {
    self.error = error
    self.source = source
  }

  /// The action for which the effect was returned; nil for a state effect and for a change.
  public var action: Action? { if case .action(let action) = source { action } else { nil } }

  /// The error and its source: `timeout from load`, `timeout from the state effect poll`.
  public var description: String {
    let text =
      switch source {
      case .action(let action): "\(error) from \(action)"
      case .change(let change): "\(error) from \(change)"
      case .stateEffect(let id): "\(error) from the state effect \(id)"
      }
    return text.withoutAddresses
  }
}

extension Store {
  /// Reports the failure of the effect with this number, or starts the effect that the composer
  /// returns for it.
  ///
  /// The failure of a sender that has ended is dropped. An action that is returned without an effect
  /// of its own is traced as one of the failed effect.
  @usableFromInline func handle(
    _ failure: EffectFailure<C.Action>, of number: Int, from sender: SenderLife?, _ composer: C
  ) {
    updateIfWritten(composer)
    if let sender, sender.hasEnded { return }
    guard let handler = composer as? any EffectFailureHandling<C.Action> else {
      return report(.effectFailed(failure, composer: name))
    }
    let outer = EffectContext.beginReducing(in: self)
    let effect = handler.effectFailed(failure)
    EffectContext.endReducing(restoring: outer)
    run(effect, sentBy: .effect(number), .failure(effect: number), failure.source, context) {
      composer.disposeBag.insert($0)
    }
  }

  /// Runs an effect that no reducer has returned.
  func run(
    _ effect: Observable<Effect<C.Action>>, sentBy sender: ActionSender, _ origin: EffectOrigin,
    _ source: EffectFailure<C.Action>.Source, _ context: EffectContext,
    insertInto insert: (Lifetime) -> Void
  ) {
    switch effect.shape {
    case .empty: break
    case .just(let effect): receive(effect, sender)
    default:
      start(
        effect, origin, label: effect.label, kind: effect.effectKind, source, context,
        insertInto: insert)
    }
  }
}

extension ComposeProblem {
  fileprivate static func effectFailed<Action>(_ failure: EffectFailure<Action>, composer: String)
    -> Self
  {
    switch failure.source {
    case .action(let action):
      .effectFailed(error: failure.error, composer: composer, action: "\(action)")
    case .change(let change):
      .effectFailed(error: failure.error, composer: composer, action: change)
    case .stateEffect(let id):
      .stateEffectFailed(error: failure.error, composer: composer, id: "\(id)")
    }
  }
}
