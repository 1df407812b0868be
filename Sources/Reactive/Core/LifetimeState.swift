/// The values of a lifetime's `state`; all after `locked` have the bit 2 of closed resources.
enum LifetimeState {
  static var open: UInt8 { 0 }
  static var locked: UInt8 { 1 }
  /// Closed, and its end is being delivered.
  static var ending: UInt8 { 6 }
  /// Closed, and its resources are being disposed of.
  static var releasing: UInt8 { 3 }
  /// As `releasing`, and another lifetime waits for it.
  static var releasingAwaited: UInt8 { 7 }
  /// All resources are disposed of, and no list holds this lifetime.
  ///
  /// A lifetime that was never in a list, or has left it by itself, stays in `releasing`.
  static var released: UInt8 { 2 }
}
