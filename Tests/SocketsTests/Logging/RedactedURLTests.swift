import TestSupport
import Testing

@testable import Sockets

@Suite("URLs in a log", .workerPool) struct RedactedURLTests {
  @Test(
    arguments: [
      ("ws://me:secret@a.test/x", "ws://...@a.test/x"), ("ws://me@a.test", "ws://...@a.test"),
      ("ws://a:b@c:secret@a.test/", "ws://...@a.test/"), ("ws://a.test/x", "ws://a.test/x"),
      ("ws://a.test/x@y", "ws://a.test/x@y"), ("ws://a.test?to=me@b", "ws://a.test?to=me@b"),
      ("ws://a.test#me@b", "ws://a.test#me@b"), ("me:secret", "me:secret"), ("", ""),
    ]
  )
  func `a logged URL has no password, and keeps text that looks like one`(
    url: String, shown: String
  ) {
    #expect(url.withoutPassword == shown)
  }

  @Test(
    arguments: [
      ("ws://a.test/x?token=secret", "ws://a.test/x?..."), ("ws://a.test/x?", "ws://a.test/x?..."),
      ("ws://me:secret@a.test?t=1#f", "ws://...@a.test?..."), ("ws://a.test/x", "ws://a.test/x"),
    ]
  )
  func `a logged URL has no query that could be secret`(url: String, shown: String) {
    #expect(url.withoutSecrets == shown)
  }
}
