import Foundation
import TestSupport
import Testing

@testable import SocketsRedis

@Suite("A parser of Redis's protocol", .workerPool)
struct RESPParserTests {
  private static let examples: [(String, RESPValue)] = [
    ("+OK\r\n", .text("OK")),
    ("+\r\n", .text("")),
    ("-ERR no\r\n", .error("ERR no")),
    (":42\r\n", .integer(42)),
    (":-7\r\n", .integer(-7)),
    ("$5\r\nhello\r\n", .bytes(Data("hello".utf8))),
    ("$0\r\n\r\n", .bytes(Data())),
    ("$4\r\n\r\n\r\n\r\n", .bytes(Data("\r\n\r\n".utf8))),
    ("$-1\r\n", .null),
    ("*-1\r\n", .null),
    ("_\r\n", .null),
    ("#t\r\n", .boolean(true)),
    ("#f\r\n", .boolean(false)),
    (",3.5\r\n", .number("3.5")),
    ("(12345678901234567890\r\n", .number("12345678901234567890")),
    ("!5\r\nERR x\r\n", .error("ERR x")),
    ("=7\r\ntxt:abc\r\n", .bytes(Data("abc".utf8))),
    ("*0\r\n", .array([])),
    ("*2\r\n:1\r\n*1\r\n+a\r\n", .array([.integer(1), .array([.text("a")])])),
    ("~1\r\n:1\r\n", .array([.integer(1)])),
    ("%1\r\n+a\r\n:1\r\n", .map([.text("a"), .integer(1)])),
    ("%0\r\n", .map([])),
    (
      ">3\r\n+message\r\n+c\r\n$1\r\nx\r\n",
      .push([.text("message"), .text("c"), .bytes(Data("x".utf8))])
    ),
    ("|1\r\n+ttl\r\n:9\r\n:1\r\n", .integer(1)),
    ("*2\r\n|1\r\n+ttl\r\n:9\r\n:1\r\n:2\r\n", .array([.integer(1), .integer(2)])),
    ("|0\r\n:1\r\n", .integer(1)),
    ("*2\r\n*0\r\n$-1\r\n", .array([.array([]), .null])),
  ]

  private func values(
    _ pieces: [[UInt8]], limit: Int = 1 << 20
  ) throws(RedisAnswerError) -> [RESPValue] {
    var parser = RESPParser(limit: limit)
    var values: [RESPValue] = []
    for piece in pieces {
      piece.withUnsafeBytes { parser.append($0) }
      while let value = try parser.next() { values.append(value) }
    }
    return values
  }

  @Test func `each type is read as one value, whole and byte by byte`() throws {
    for (text, value) in Self.examples {
      let bytes = Array(text.utf8)
      #expect(try values([bytes]) == [value], "\(text)")
      #expect(try values(bytes.map { [$0] }) == [value], "\(text)")
      for cut in bytes.indices {
        #expect(try values([Array(bytes[..<cut]), Array(bytes[cut...])]) == [value], "\(text)")
      }
    }
  }

  @Test func `a stream of values is the same however it is split`() throws {
    var random = SeededGenerator(seed: 11)
    let chosen = (0..<400).compactMap { _ in Self.examples.randomElement(using: &random) }
    let bytes = chosen.flatMap { Array($0.0.utf8) }
    for round in 0..<50 {
      var pieces: [[UInt8]] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let length = Int.random(in: 1...(round % 5 == 0 ? 3 : 200), using: &random)
        pieces.append(Array(rest.prefix(length)))
        rest = rest.dropFirst(length)
      }
      #expect(try values(pieces) == chosen.map(\.1))
    }
  }

  @Test func `malformed bytes are errors of their kind`() {
    let wrong: [(String, RedisAnswerError)] = [
      ("HTTP/1.1 400 Bad Request\r\n", .unknownType(0x48)),
      ("\r\n", .unknownType(0x0D)),
      (":\r\n", .invalidNumber),
      (":1x\r\n", .invalidNumber),
      (":99999999999999999999\r\n", .invalidNumber),
      ("$-2\r\n", .invalidNumber),
      ("$abc\r\n", .invalidNumber),
      ("$?\r\n", .invalidNumber),
      ("$2\r\nabcd", .invalidNumber),
      ("=2\r\nab\r\n", .invalidNumber),
      ("*-5\r\n", .invalidNumber),
      ("#x\r\n", .invalidNumber),
      ("$1048577\r\n", .tooLong(limit: 1 << 20)),
      ("$9223372036854775807\r\n", .tooLong(limit: 1 << 20)),
      ("*9223372036854775807\r\n", .tooLong(limit: 1 << 20)),
      ("%9223372036854775807\r\n", .tooLong(limit: 1 << 20)),
      (String(repeating: "*1\r\n", count: 17), .tooDeep(limit: 16)),
      ("+" + String(repeating: "a", count: 5_000), .lineTooLong(limit: 4_096)),
      (
        "*3\r\n$600000\r\n" + String(repeating: "a", count: 600_000) + "\r\n$600000\r\n",
        .tooLong(limit: 1 << 20)
      ),
    ]
    for (text, error) in wrong {
      #expect(throws: error, "\(text.prefix(40))") { _ = try values([Array(text.utf8)]) }
      #expect(!error.description.isEmpty)
    }
  }

  @Test func `a limit counts what one value holds, not what a connection has received`() throws {
    let text = "$900\r\n" + String(repeating: "a", count: 900) + "\r\n"
    let many = [[UInt8]](repeating: Array(text.utf8), count: 100)
    #expect(try values(many, limit: 1_000).count == 100)
    #expect(throws: RedisAnswerError.tooLong(limit: 1_000)) {
      _ = try values([Array(("*2\r\n" + text + text).utf8)], limit: 1_000)
    }
  }

  @Test func `random bytes never trap`() {
    var random = SeededGenerator(seed: 3)
    let alphabet = Array("+-:$*%~>|=!#_,(0123456789\r\n\r\n\r\nab".utf8)
    var errors = 0
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 1..<60, using: &random)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      do {
        _ = try values([bytes], limit: 2_000)
      } catch {
        errors += 1
      }
    }
    #expect(errors > 1_000)
  }

  @Test func `a command is an array of its bytes`() {
    var bytes: [UInt8] = []
    RedisCommand("PUBLISH", [Data("a\r\n".utf8), Data([0xFF])]).write(to: &bytes)
    #expect(
      bytes == Array("*3\r\n$7\r\nPUBLISH\r\n$3\r\na\r\n\r\n$1\r\n".utf8) + [0xFF, 0x0D, 0x0A])
  }
}
