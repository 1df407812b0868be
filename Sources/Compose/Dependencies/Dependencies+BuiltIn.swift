#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Dependencies {
  /// The current date of the clock: of virtual time in a test, which begins at the first moment of
  /// 2001.
  ///
  /// A recorded step has the date that its reducer has read here, and its replay reads the same.
  public var now: Date { StepDraws.value { clock.now } }

  /// The source of random numbers: the system's by default, the same sequence for each test.
  ///
  /// ```swift
  /// private var random = Dependencies.current.random
  ///
  /// state.die = Int.random(in: 1...6, using: &random)
  /// ```
  public var random: RandomSource {
    get { self[RandomSource.Key.self] }
    set { self[RandomSource.Key.self] = newValue }
  }

  /// Returns a new UUID: random by default, counted from 1 in each test.
  ///
  /// A recorded step has the UUIDs that its reducer has got here, and its replay gets the same.
  public var uuid: @Sendable () -> UUID {
    get { self[UUIDKey.self] }
    set { self[UUIDKey.self] = { StepDraws.value(newValue) } }
  }
}

extension RandomSource {
  fileprivate enum Key: DependencyKey {
    static let liveValue = RandomSource.system
    static func testValue(in test: RunningTest) -> RandomSource? { .seeded(0) }
  }
}

private enum UUIDKey: DependencyKey {
  static let liveValue: @Sendable () -> UUID = { StepDraws.value { UUID.random() } }

  static func testValue(in test: RunningTest) -> (@Sendable () -> UUID)? {
    let count = Locked<UInt64>(0)
    return {
      StepDraws.value {
        UUID(
          count: count.withLock { count in
            count += 1
            return count
          })
      }
    }
  }
}

extension UUID {
  /// A random UUID (RFC 9562, version 4), of the simulation whose code calls this.
  package static func random() -> UUID {
    guard let host = HostSystem.current else { return UUID() }
    let high = host.random() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = host.random() >> 2 | 0x8000_0000_0000_0000
    return UUID(uuid: unsafeBitCast((high.bigEndian, low.bigEndian), to: uuid_t.self))
  }

  /// The UUID whose last bytes are this number: 00000000-0000-0000-0000-000000000001.
  package init(count: UInt64) {
    let bytes = (UInt64(0), count.bigEndian)
    self.init(uuid: unsafeBitCast(bytes, to: uuid_t.self))
  }
}
