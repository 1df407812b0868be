import TestSupport
import Testing

@testable import Sockets

@Suite("A URL in a log", .workerPool) struct RedactedURLTests {
  @Test(
    arguments: [
      ("ws://me:secret@a.test/x", "ws://...@a.test/x"), ("ws://me@a.test", "ws://...@a.test"),
      ("ws://a:b@c:secret@a.test/", "ws://...@a.test/"), ("ws://a.test/x", "ws://a.test/x"),
      ("ws://a.test/x@y", "ws://a.test/x@y"), ("ws://a.test?to=me@b", "ws://a.test?to=me@b"),
      ("ws://a.test#me@b", "ws://a.test#me@b"), ("me:secret", "me:secret"), ("", ""),
    ]
  )
  func `has no password, and keeps what only looks like one`(url: String, shown: String) {
    #expect(url.withoutPassword == shown)
  }

  @Test(
    arguments: [
      ("ws://a.test/x?token=secret", "ws://a.test/x?..."), ("ws://a.test/x?", "ws://a.test/x?..."),
      ("ws://me:secret@a.test?t=1#f", "ws://...@a.test?..."), ("ws://a.test/x", "ws://a.test/x"),
    ]
  )
  func `has no query, where that may be a secret`(url: String, shown: String) {
    #expect(url.withoutSecrets == shown)
  }
}
