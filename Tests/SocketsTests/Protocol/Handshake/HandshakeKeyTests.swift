import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct HandshakeKeyTests {
  @Test func `1.3: the accept value of the RFC's key is computed`() {
    let key = HandshakeKey(value: "dGhlIHNhbXBsZSBub25jZQ==")
    #expect(key?.accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  @Test func `4.1: a key is the base64 of 16 random bytes`() {
    let key = HandshakeKey { room in for index in room.indices { room[index] = UInt8(index + 1) } }
    #expect(key.value == "AQIDBAUGBwgJCgsMDQ4PEA==")
  }

  @Test(arguments: [
    "", "x", "AQID", "AQIDBAUGBwgJCgsMDQ4PEBE=", "dGhlIHNhbXBsZSBub25jZQ", "====", "é",
  ])
  func `4.2.1: a value that is not the base64 of 16 bytes is not a key`(value: String) {
    #expect(HandshakeKey(value: value) == nil)
  }
}
