/// The key that a client XORs its payload with (RFC 6455, section 5.3).
///
/// Masking prevents scripts from choosing the bytes on the wire. Applying the key twice restores
/// the payload.
package struct MaskKey: Equatable, Sendable {
  /// The four bytes; the first one is the lowest.
  fileprivate var bits: UInt32

  /// Makes a key of four bytes in the order of the wire.
  package init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
    bits = UInt32(first) | UInt32(second) << 8 | UInt32(third) << 16 | UInt32(fourth) << 24
  }

  /// Makes a key of its four bytes as loaded from memory.
  init(loaded word: UInt32) { bits = UInt32(littleEndian: word) }

  /// The four bytes as stored to memory.
  var stored: UInt32 { bits.littleEndian }

  /// The key for bytes that begin at `offset` in the payload.
  private func rotated(by offset: Int) -> MaskKey {
    var key = self
    let shift = UInt32(truncatingIfNeeded: offset & 3) &* 8
    key.bits = bits &>> shift | bits &<< (32 &- shift)
    return shift == 0 ? self : key
  }

  /// Writes `source`, XORed with the key, to `target`; returns whether all bytes written are ASCII.
  ///
  /// - Parameters:
  ///   - source: bytes that begin at `offset` in the payload
  ///   - target: memory of the same size; may be the same memory
  @discardableResult
  func apply(
    to source: UnsafeRawBufferPointer,
    at offset: Int = 0,
    into target: UnsafeMutableRawPointer
  ) -> Bool {
    guard let start = source.baseAddress else { return true }
    let key = rotated(by: offset)
    let word = (UInt64(key.bits) << 32 | UInt64(key.bits)).littleEndian
    let words = SIMD4(repeating: word)
    let count = source.count
    var index = 0
    // The bits of all bytes together.
    var wideBits = SIMD4<UInt64>.zero
    // Each loop ends before an access would exceed `count`, the size of both sides.
    while index &+ 32 <= count {
      let masked = start.loadUnaligned(fromByteOffset: index, as: SIMD4<UInt64>.self) ^ words
      target.storeBytes(of: masked, toByteOffset: index, as: SIMD4<UInt64>.self)
      wideBits |= masked
      index &+= 32
    }
    var bits = wideBits[0] | wideBits[1] | wideBits[2] | wideBits[3]
    while index &+ 8 <= count {
      let masked = start.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ word
      target.storeBytes(of: masked, toByteOffset: index, as: UInt64.self)
      bits |= masked
      index &+= 8
    }
    while index < count {
      let mask = UInt8(
        truncatingIfNeeded: key.bits &>> (UInt32(truncatingIfNeeded: index & 3) &* 8)
      )
      let masked = start.load(fromByteOffset: index, as: UInt8.self) ^ mask
      target.storeBytes(of: masked, toByteOffset: index, as: UInt8.self)
      bits |= UInt64(masked)
      index &+= 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// XORs `bytes`, which begin at `offset` in the payload, in place.
  ///
  /// Returns whether all of them are ASCII then.
  @discardableResult
  func apply(inPlace bytes: UnsafeMutableRawBufferPointer, at offset: Int = 0) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    return apply(to: UnsafeRawBufferPointer(bytes), at: offset, into: start)
  }
}

/// Fills memory with unpredictable bytes: the protocol's only source of randomness.
package typealias RandomBytes = @Sendable (UnsafeMutableRawBufferPointer) -> Void

/// A supply of new mask keys.
///
/// 5.3 requires a new, unpredictable key for every frame. A call of the system's generator per
/// frame would cost more than the rest of a small frame, so one call fetches up to 64 keys. The
/// first call fetches 4, for a connection that sends little but pings.
package struct MaskKeys: Sendable {
  private static let stock = 4...64
  private var keys: [UInt32] = []
  /// The number of keys that the last call has fetched.
  private var lastCount: UInt8 = 0
  private let fill: RandomBytes

  /// Makes an empty supply; the first `next` fills it.
  package init(_ fill: @escaping RandomBytes) { self.fill = fill }

  /// Drops the supply, which many small frames have made large.
  mutating func forget() { (keys, lastCount) = ([], 0) }

  /// A key that was not used before.
  package mutating func next() -> MaskKey {
    if let key = keys.popLast() { return MaskKey(loaded: key) }
    // Not by the array's capacity, which is another one in each build: a simulation counts the numbers.
    let count = min(max(Int(lastCount) * 4, Self.stock.lowerBound), Self.stock.upperBound)
    lastCount = UInt8(count)
    keys.append(contentsOf: repeatElement(0, count: count))
    keys.withUnsafeMutableBytes { fill($0) }
    return MaskKey(loaded: keys.removeLast())
  }
}
