/// Hides a closure from the optimiser, which would otherwise inline it into the loop and delete both.
@inline(never)
@_optimize(none)
func opaque(_ body: @escaping @Sendable (Int) -> Void) -> @Sendable (Int) -> Void { body }

/// The latest elements of eight sources.
typealias Eight = (Int, Int, Int, Int, Int, Int, Int, Int)

/// Uses a result that is not read otherwise.
@inline(never)
@_optimize(none)
func consume(_ checksum: Int) {}

/// The closures of a user.
///
/// Ours, the loop and the peer call the same functions, which the optimiser cannot inline, so their times
/// differ by the library only.
///
/// Pass them by name or in a closure, as a program does. The compiler wraps a closure from a variable: it
/// costs each stage of any generic library one more call and some memory.
enum UserCode {
  @inline(never) static func triple(_ element: Int) -> Int { element &* 3 }

  @inline(never) static func isEven(_ element: Int) -> Bool { element & 1 == 0 }

  @inline(never) static func isAny(_ element: Int) -> Bool { element != .min }

  @inline(never) static func increment(_ element: Int) -> Int { element &+ 1 }

  @inline(never) static func add(_ first: Int, _ second: Int) -> Int { first &+ second }

  @inline(never) static func addEight(_ all: Eight) -> Int {
    (all.0 &+ all.1 &+ all.2 &+ all.3) &+ (all.4 &+ all.5 &+ all.6 &+ all.7)
  }

  /// Counts odd numbers, so that every other result equals the previous one.
  @inline(never) static func countOdd(_ count: Int, _ element: Int) -> Int {
    count &+ (element & 1)
  }
}
