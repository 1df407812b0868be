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
    case nil: self = Self.isCancelling.pointer == nil ? .completed : .cancelled
    case is CancellationError: self = .cancelled
    case let error?: self = .failed("\(error)".withoutAddresses)
    }
  }

  // Not nil while this thread cancels an effect: the cancelled effect then delivers a completion.
  private static let isCancelling = ThreadSlot()

  static func cancelling(_ body: () -> Void) {
    isCancelling.holding(UnsafeMutableRawPointer(bitPattern: 1), body)
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
