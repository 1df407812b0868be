import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct SHA1Tests {
  private func hex(_ text: String) -> String {
    SHA1.digest(Array(text.utf8)).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  @Test func `RFC 3174, section 7.3: the test vectors of SHA-1`() {
    #expect(hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(
      hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    )
    #expect(
      hex(
        String(
          repeating: "0123456701234567012345670123456701234567012345670123456701234567",
          count: 10
        )
      )
        == "dea356a2cddd90c7a7ecedc5ebb563934f460452"
    )
    #expect(hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
  }

  @Test func `SHA-1 pads correctly on both sides of a block's end`() {
    #expect(hex(String(repeating: "a", count: 55)) == "c1c8bbdc22796e28c0e15163d20899b65621d65a")
    #expect(hex(String(repeating: "a", count: 56)) == "c2db330f6083854c99d4b5bfb6e8f29f201be699")
    #expect(hex(String(repeating: "a", count: 63)) == "03f09f5b158a7a8cdad920bddc29b81c18a551f5")
    #expect(hex(String(repeating: "a", count: 64)) == "0098ba824b5c16427bd7a1122a5a442a25ec644d")
  }
}
