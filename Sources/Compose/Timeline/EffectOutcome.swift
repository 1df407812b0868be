/// How an effect has ended.
public enum EffectOutcome: Codable, Hashable, Sendable {
  /// It completed.
  case completed
  /// It failed; the value describes the error.
  case failed(String)
  /// It was cancelled by a bag, by an id, or by the composer's end, or it threw
  /// `CancellationError`.
  case cancelled

  /// The outcome of an effect that has delivered its own terminal.
  @usableFromInline init(_ error: (any Error)?) {
    switch error {
    case nil: self = Self.isCancelledEnd ? .cancelled : .completed
    case is CancellationError: self = .cancelled
    case let error?: self = .failed("\(error)".withoutAddresses)
    }
  }

  // The lifetime of the effect that this thread cancels; the effect then delivers a completion.
  private static let threadSlot = ThreadSlot()

  /// Whether the completion that this thread delivers is that of the effect that it cancels.
  ///
  /// Until that effect has ended, what follows it in a concatenation may reduce actions here, whose
  /// effects complete by themselves.
  private static var isCancelledEnd: Bool {
    guard let pointer = threadSlot.pointer else { return false }
    return Unmanaged<Lifetime>.fromOpaque(pointer).takeUnretainedValue().isDisposed
  }

  /// Runs `body`, which completes the part of an effect that has this lifetime.
  static func cancelling(_ part: Lifetime, _ body: () -> Void) {
    var effect = part
    // A traced effect has a lifetime with an action, unlike the parts that operators run in it.
    while !(effect is ActionDisposable), let whole = effect.parent { effect = whole }
    withExtendedLifetime(effect) {
      threadSlot.holding(Unmanaged.passUnretained(effect).toOpaque(), body)
    }
  }
}

/// The cause of an effect's start.
public enum EffectOrigin: Codable, Hashable, Sendable {
  /// The reducer returned it in the step with this number.
  case step(Int)
  /// ``Composer/stateEffects(_:)`` returned it; the value describes its id.
  case stateEffect(String)
  /// A middleware returned it after the step with this number.
  case middleware(step: Int)
  /// The composer returned it for the failure of the effect with this number.
  case failure(effect: Int)
}
