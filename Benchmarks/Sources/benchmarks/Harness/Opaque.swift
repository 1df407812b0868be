/// Hides a closure from the optimiser, which would otherwise inline it into the loop and delete both.
///
/// Ours, the loop and the peer call the same closures, so their times differ by the machinery alone.
@inline(never)
@_optimize(none)
func opaque(_ body: @escaping @Sendable (Int) -> Int) -> @Sendable (Int) -> Int { body }

/// Hides a closure from the optimiser.
@inline(never)
@_optimize(none)
func opaque(_ body: @escaping @Sendable (Int) -> Bool) -> @Sendable (Int) -> Bool { body }

/// Hides a closure from the optimiser.
@inline(never)
@_optimize(none)
func opaque(_ body: @escaping @Sendable (Int, Int) -> Int) -> @Sendable (Int, Int) -> Int { body }

/// Hides a closure from the optimiser.
@inline(never)
@_optimize(none)
func opaque(_ body: @escaping @Sendable (Int) -> Void) -> @Sendable (Int) -> Void { body }

/// Hides a closure from the optimiser.
@inline(never)
@_optimize(none)
func opaque(_ body: @escaping @Sendable (Eight) -> Int) -> @Sendable (Eight) -> Int { body }

/// What eight sources sent last.
typealias Eight = (Int, Int, Int, Int, Int, Int, Int, Int)

/// Takes a result that nobody else reads.
@inline(never)
@_optimize(none)
func consume(_ checksum: Int) {}

/// The closures that a user would pass.
enum UserCode {
  static let triple: @Sendable (Int) -> Int = opaque { $0 &* 3 }
  static let isEven: @Sendable (Int) -> Bool = opaque { $0 & 1 == 0 }
  static let isAny: @Sendable (Int) -> Bool = opaque { $0 != .min }
  static let increment: @Sendable (Int) -> Int = opaque { $0 &+ 1 }
  static let add: @Sendable (Int, Int) -> Int = opaque { $0 &+ $1 }
  static let addEight: @Sendable (Eight) -> Int = opaque {
    ($0.0 &+ $0.1 &+ $0.2 &+ $0.3) &+ ($0.4 &+ $0.5 &+ $0.6 &+ $0.7)
  }
  /// Counts odd numbers, so that every other result equals the one before.
  static let countOdd: @Sendable (Int, Int) -> Int = opaque { $0 &+ ($1 & 1) }
}
