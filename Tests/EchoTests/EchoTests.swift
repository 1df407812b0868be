import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import echo

@MainActor
@Suite("The echo program", .workerPool)
struct EchoTests {
  private final class Lines {
    var all: [String] = []
  }

  private func echo(_ lines: Lines) throws -> (Echo, EchoServer) {
    let server = try EchoServer()
    let url = try #require(URL(string: server.url))
    let composer = EchoComposer(client: .live(), url: url)
    return (Echo(composer) { lines.all.append($0) }, server)
  }

  @Test func `the echo demonstrates a failure, a connection, two echoes and the end`() async throws
  {
    let lines = Lines()
    let (echo, server) = try echo(lines)
    #expect(await echo.demonstrate())
    #expect(
      lines.all == [
        "! The message could not be sent. Connect first, and try again.",
        "* connecting", "* connected", "< hello", "< goodbye", "* disconnected",
      ])
    withExtendedLifetime(server) {}
  }

  @Test func `the echo executes input lines until /q`() async {
    let lines = Lines()
    // The server end never accepts, so the result does not depend on timing.
    let (client, server) = MockWebSocket.pair(isOpen: false)
    let composer = EchoComposer(client: .mock { _, _, _ in client }, url: URL(filePath: "/"))
    let echo = Echo(composer) { lines.all.append($0) }
    await echo.run(
      AsyncStream { continuation in
        for line in ["/c", "/c", "/q", "/c"] { continuation.yield(line) }
      }
    )
    #expect(lines.all == ["* connecting", "* disconnected"])
    withExtendedLifetime(server) {}
  }

  @Test func `an input line is a command or a text to send`() {
    #expect(
      ["/c", "/q", "hello", "/x"].map { Input($0) } == [
        .toggle, .quit, .send("hello"), .send("/x"),
      ])
  }
}

@Suite("The transcript of an echo", .workerPool)
struct TranscriptTests {
  @Test func `the transcript of an echo has only the changes of the state`() {
    var old = EchoComposer.State()
    var new = EchoComposer.State(connection: .connected, received: ["a"], alert: "b")
    #expect(Transcript.lines(from: old, to: new) == ["* connected", "< a", "! b"])
    #expect(Transcript.lines(from: new, to: new) == [])
    (old, new.received) = (new, ["a", "b", "c"])
    #expect(Transcript.lines(from: old, to: new) == ["< b", "< c"])
    (old, new.received) = (new, [])
    #expect(Transcript.lines(from: old, to: new) == [])
  }
}
