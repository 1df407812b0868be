import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct HandshakeKeyTests {
  @Test func `1.3: the accept value of the RFC's key is computed`() {
    let key = HandshakeKey(text: Array("dGhlIHNhbXBsZSBub25jZQ==".utf8)[...])
    #expect(key?.accept == Array("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=".utf8))
  }

  @Test func `4.1: a key is the base64 of 16 random bytes`() {
    let key = HandshakeKey { room in for index in room.indices { room[index] = UInt8(index + 1) } }
    #expect(key.text.elementsEqual("AQIDBAUGBwgJCgsMDQ4PEA==".utf8))
  }

  @Test(arguments: [
    "", "x", "AQID", "AQIDBAUGBwgJCgsMDQ4PEBE=", "dGhlIHNhbXBsZSBub25jZQ", "====", "é",
    "dGhlIHNhbXBsZSBub25jZQ=A", "dGhlIHNhbXBsZSBub25jZ===", "dGhlIHNhbXBsZSBub25jZ-==",
  ])
  func `4.2.1: a value that is not the base64 of 16 bytes is not a key`(value: String) {
    #expect(HandshakeKey(text: Array(value.utf8)[...]) == nil)
  }

  @Test func `base64 is that of Foundation`() {
    var random = SystemRandomNumberGenerator()
    for count in 0...64 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      var text = Array(">".utf8)
      Base64.append(bytes, to: &text)
      #expect(text == Array((">" + Data(bytes).base64EncodedString()).utf8))
    }
    let digits = (UInt8.min...UInt8.max).filter(Base64.isDigit)
    #expect(Set(digits.map { Character(Unicode.Scalar($0)) }).count == 64)
    #expect(digits.allSatisfy { Data(base64Encoded: "AAA\(Character(Unicode.Scalar($0)))") != nil })
  }
}
