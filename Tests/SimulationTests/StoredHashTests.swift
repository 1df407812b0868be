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
    0x0F9F_0C0B_DDAB_68E8, 0xDB4C_8340_4108_3A9D, 0x6839_DBD4_759F_6718, 0xB27E_EF94_9159_BB12,
    0x66EA_0541_55D5_AA8F, 0xA731_2015_822F_E7AF, 0x32FE_1989_22C0_91B8, 0x17A7_15A5_BD1B_779C,
    0xAF35_68A9_6108_5732, 0x53B5_FEDB_3C4C_1699, 0x5AB4_7C73_0CE6_2289, 0xCFE5_7C92_A8FF_8A68,
    0x4C78_50AF_DC5D_769F, 0x56D2_FF14_3D0E_346F, 0xB39D_6163_DDCF_6186, 0xE285_6B5D_7DE0_2D52,
    0x74EA_185C_92DC_418B, 0xAB37_94DA_FB6F_C940, 0x44CB_A3AC_A22D_57CC, 0x916F_A50F_68D5_E20B,
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
