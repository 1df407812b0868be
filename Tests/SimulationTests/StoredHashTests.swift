import ReactiveTesting
import TestSupport
import Testing

/// What twenty seeds have given before, on every machine, in debug and release.
///
/// A change of what the library does, such as one more turn of an event loop, gives others: then each seed is
/// to be run twice, in two processes, and the new hashes are stored.
@Suite("Hashes of seeds", .workerPool)
struct StoredHashTests {
  private static let stored: [UInt64] = [
    0xF64B_D211_DC13_04FD, 0xF757_2E0A_D45A_5B8C, 0x6E72_55E6_5B3E_6722, 0x192F_844C_1885_0201,
    0xCCAC_F3D4_9E4D_F023, 0xE2D9_98F1_B99B_6847, 0xA69B_B61A_29D3_7D4F, 0x6DED_6165_08CB_61ED,
    0xA583_5FD4_64FE_3598, 0xB715_9756_91A4_FFC2, 0xB20B_A7CD_E8CF_7271, 0xA605_4974_28BA_0545,
    0x1DF8_8EF3_C6B5_6C8B, 0x751D_0D4B_45D6_0247, 0x4902_A6FA_BE9F_3DB1, 0x1C38_E11C_A420_ED72,
    0xAD1F_592A_7825_56D1, 0xDF0E_FDD5_95E9_20B6, 0xF59C_7A59_C027_C8E8, 0x0510_55E8_67E4_D965,
  ]

  @Test(arguments: seeds(20))
  func `the run of a seed has the stored hash`(seed: UInt64) throws {
    let simulation = try Simulation(seed: seed, for: .seconds(120)) { world in
      world.host("server") { _ in try Echo() }
      let counters = (1...3).map { number in
        world.host("client \(number)") { _ in Counter() }
      }
      world.faults(.network(.frequent), .crashes(.occasional), .clockSkew)
      for counter in counters {
        world.every(.milliseconds(100)...(.seconds(3))) { _ in counter.perform { $0.count() } }
      }
    }
    let stored = Self.stored.dropFirst(Int(seed) - 1).first
    #expect(simulation.hash == stored, "\(seed): 0x\(String(simulation.hash, radix: 16))")
  }
}
