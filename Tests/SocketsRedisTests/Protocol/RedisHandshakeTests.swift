import Foundation
import TestSupport
import Testing

@testable import SocketsRedis

@Suite("The opening of a connection to Redis", .workerPool)
struct RedisHandshakeTests {
  private func handshake(_ url: String) throws -> RedisHandshake {
    RedisHandshake(try RedisURL(url))
  }

  /// The words of a command.
  private func words(_ command: RedisCommand?) -> String? {
    command?.arguments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }

  private static let hello = RESPValue.map([.text("server"), .text("redis")])

  @Test func `version 3 takes one command without password and database`() throws {
    var handshake = try handshake("redis://localhost")
    #expect(words(handshake.first) == "HELLO 3")
    #expect(try handshake.receive(Self.hello) == nil)
    #expect(handshake.isDone)
  }

  @Test func `user, password and database are sent`() throws {
    var handshake = try handshake("redis://ann:s%40crEt@localhost/3")
    #expect(words(handshake.first) == "HELLO 3 AUTH ann s@crEt")
    #expect(words(try handshake.receive(Self.hello)) == "SELECT 3")
    #expect(!handshake.isDone)
    #expect(try handshake.receive(.text("OK")) == nil)
    #expect(handshake.isDone)
    #expect(words(try self.handshake("redis://:x@localhost").first) == "HELLO 3 AUTH default x")
  }

  @Test(arguments: ["ERR unknown command 'HELLO'", "NOPROTO unsupported protocol version"])
  func `a server without version 3 is asked in version 2`(error: String) throws {
    var plain = try handshake("redis://localhost")
    #expect(try plain.receive(.error(error)) == nil)
    #expect(plain.isDone)
    var secret = try handshake("redis://:x@localhost/1")
    #expect(words(try secret.receive(.error(error))) == "AUTH x")
    #expect(words(try secret.receive(.text("OK"))) == "SELECT 1")
    var named = try handshake("redis://ann:x@localhost")
    #expect(words(try named.receive(.error(error))) == "AUTH ann x")
    #expect(throws: RedisError.wrongPassword) {
      try named.receive(.error("ERR invalid password"))
    }
  }

  @Test func `a refusal is an error of its kind`() throws {
    let refusals: [(String, RedisError)] = [
      ("WRONGPASS invalid username-password pair or user is disabled.", .wrongPassword),
      ("NOAUTH HELLO must be called with the client already authenticated", .passwordRequired),
      ("ERR max number of clients reached", .refused("ERR max number of clients reached")),
      ("LOADING Redis is loading", .refused("LOADING Redis is loading")),
    ]
    for (text, error) in refusals {
      var handshake = try handshake("redis://localhost")
      #expect(throws: error) { try handshake.receive(.error(text)) }
    }
    var handshake = try handshake("redis://localhost")
    #expect(throws: RedisError.malformedAnswer(.unexpected("7"))) {
      try handshake.receive(.integer(7))
    }
  }
}
