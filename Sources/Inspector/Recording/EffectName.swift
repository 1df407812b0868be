/// What an effect is called, besides its number.
struct EffectName: Sendable, Equatable {
  /// The id of `cancellable(id:)` or `latest(id:)`; nil for an effect without one.
  var id: String?
  /// The kind; nil when it is not known.
  var kind: EffectKind?

  static let none = EffectName()
}
