/// A random number generator as a value: copies draw from one source, on any thread.
///
/// A recorded step has the numbers that its reducer has drawn, and its replay draws the same.
public struct RandomSource: RandomNumberGenerator, Sendable {
  private let draw: @Sendable () -> UInt64

  /// A source of the numbers that `draw` returns.
  public init(_ draw: @escaping @Sendable () -> UInt64) { self.draw = draw }

  /// The system's random numbers.
  public static let system = RandomSource {
    var system = HostRandomNumberGenerator()
    return system.next()
  }

  /// The same numbers each time that it is created with the same seed (SplitMix64).
  public static func seeded(_ seed: UInt64) -> RandomSource {
    let state = Locked(seed)
    return RandomSource {
      var mixed = state.withLock { state in
        state &+= 0x9E37_79B9_7F4A_7C15
        return state
      }
      mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return mixed ^ mixed >> 31
    }
  }

  /// Returns the next number.
  public func next() -> UInt64 { StepDraws.value(draw) }

  /// Returns a number from 0 up to, not including, 1.
  package func fraction() -> Double {
    var source = self
    return .random(in: 0..<1, using: &source)
  }
}
