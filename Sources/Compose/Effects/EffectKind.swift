/// The kind of an effect, which tools show.
@usableFromInline package enum EffectKind: UInt8, Sendable {
  case run = 1
  /// An action after a delay.
  case delay
  case timer
  case interval
  case poll
  case race
  case socket
  /// A request on a socket, with its reply.
  case request
  /// A channel of Action Cable.
  case channel

  /// The name for tools: `run`.
  package var name: String { "\(self)" }
}

extension Observable {
  /// The kind of the effect; nil when it is not known, as behind most operators.
  @usableFromInline package var effectKind: EffectKind? { EffectKind(rawValue: kindNumber) }

  /// The same effect, with a kind.
  package func named(_ kind: EffectKind) -> Observable { named(kind.rawValue) }

  /// The same effect, with the kind of this number; 0 for none.
  func named(_ number: UInt8) -> Observable { number == 0 ? self : NumberedObservable(number, run) }
}
