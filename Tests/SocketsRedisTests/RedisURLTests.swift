import Foundation
import TestSupport
import Testing

@testable import SocketsRedis

@Suite("The URL of Redis", .workerPool)
struct RedisURLTests {
  @Test func `only the host is required`() throws {
    let url = try RedisURL("redis://cache")
    #expect(url.host == "cache" && url.port == 6379 && url.database == 0)
    #expect(!url.isSecure && url.credentials == nil)
    #expect("\(url)" == "redis://cache:6379/0")
  }

  @Test func `all parts are read`() throws {
    let url = try RedisURL("REDISS://ann:p%40ss%3Aw@[::1]:7000/12")
    #expect(url.host == "::1" && url.port == 7000 && url.database == 12 && url.isSecure)
    #expect(url.credentials?.user == "ann" && url.credentials?.password == "p@ss:w")
    #expect("\(url)" == "rediss://[::1]:7000/12")
    let alone = try RedisURL("valkey://:x:y@h/")
    #expect(alone.credentials?.user == "default" && alone.credentials?.password == "x:y")
  }

  @Test func `a wrong URL is an error with its reason`() {
    let wrong: [(String, RedisURLError)] = [
      ("", .unknownScheme("")),
      ("localhost:6379", .unknownScheme("")),
      ("http://localhost", .unknownScheme("http")),
      ("redis://", .missingHost),
      ("redis://:x@", .missingHost),
      ("redis://[::1", .missingHost),
      ("redis://a b", .missingHost),
      ("redis://h:", .invalidPort("")),
      ("redis://h:0", .invalidPort("0")),
      ("redis://h:65536", .invalidPort("65536")),
      ("redis://[::1]7", .invalidPort("")),
      ("redis://h/-1", .invalidDatabase("-1")),
      ("redis://h/a", .invalidDatabase("a")),
      ("redis://ann@h", .missingPassword),
      ("redis://:%zz@h", .invalidEscape),
      ("redis://h?db=1", .unexpectedQuery),
      ("redis://h#1", .unexpectedQuery),
    ]
    for (text, error) in wrong {
      #expect(throws: error, "\(text)") { _ = try RedisURL(text) }
      #expect(throws: RedisError.invalidURL(error)) { _ = try RedisBackplane(text) }
      #expect(!error.description.isEmpty)
    }
  }

  @Test func `the password is in no description, dump or error`() throws {
    let text = "redis://ann:secret@localhost:6379/1"
    let backplane = try RedisBackplane(text)
    var dumped = ""
    dump(backplane, to: &dumped)
    let url = try RedisURL(text)
    var shown = ["\(backplane)", String(reflecting: backplane), dumped, "\(url)"]
    shown += [String(reflecting: url), String(describing: url.credentials)]
    for wrong in ["redis://ann:secret@", "redis://ann:secret@h:x", "redis://ann:secret@h/x"] {
      #expect {
        _ = try RedisBackplane(wrong)
      } throws: { error in
        shown.append("\(error)")
        shown.append(String(reflecting: error))
        return true
      }
    }
    #expect(shown.allSatisfy { !$0.contains("secret") }, "\(shown)")
  }
}
