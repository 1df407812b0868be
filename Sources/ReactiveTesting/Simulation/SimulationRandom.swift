/// The numbers of a simulation: the same for the same seed on every machine (SplitMix64).
struct SimulationRandom: RandomNumberGenerator {
  private(set) var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// A number of this range; not that of the standard library, which may choose another way.
  mutating func number(in range: ClosedRange<UInt64>) -> UInt64 {
    let count = range.upperBound - range.lowerBound &+ 1
    return count == 0 ? next() : range.lowerBound + next() % count
  }

  /// An index below `count`, which is positive.
  mutating func index(below count: Int) -> Int { Int(next() % UInt64(count)) }

  /// A duration of this range, in nanoseconds.
  mutating func nanoseconds(in range: ClosedRange<Duration>) -> UInt64 {
    number(in: range.lowerBound.nanoseconds...range.upperBound.nanoseconds)
  }

  /// True once in `count` times on average.
  mutating func isOne(in count: Int) -> Bool { index(below: count) == 0 }
}

extension Duration {
  /// The whole nanoseconds; zero for a negative duration.
  var nanoseconds: UInt64 { RxTimeInterval(self).nanoseconds }
}

/// The running hash of what has happened in a simulation (of the kind of FNV-1a).
struct SimulationHash {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ number: UInt64) {
    value = (value ^ number) &* 0x100_0000_01B3
    // The product moves nothing to lower bits.
    value ^= value >> 32
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    add(UInt64(bytes.count))
    for start in stride(from: 0, to: bytes.count, by: 8) {
      var word: UInt64 = 0
      for byte in bytes[start..<min(start + 8, bytes.count)] { word = word << 8 | UInt64(byte) }
      add(word)
    }
  }

  mutating func add(_ text: some StringProtocol) { for byte in text.utf8 { add(byte) } }

  private mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
  }
}
