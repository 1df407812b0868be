import Foundation
import ReactiveTesting
import Sockets
import TestSupport
import Testing

@testable import echo

@Suite("The composer of an echo", .workerPool)
struct EchoComposerTests {
  private typealias Test = TestComposer<EchoComposer>

  private let url = URL(filePath: "/")
  /// The other end accepts when the test says so.
  private let client: MockWebSocket
  private let server: MockWebSocket

  init() { (client, server) = MockWebSocket.pair(isOpen: false, subprotocol: "echo") }

  private func connecting() -> Test {
    let test = TestComposer(EchoComposer(client: .mock { [client] _, _, _ in client }, url: url))
    test.send(.connectTapped) { $0.connection = .connecting }
    return test
  }

  private func connected() -> Test {
    let test = connecting()
    server.connect()
    test.receive(.socket(.didOpen(protocol: "echo"))) { $0.connection = .connected }
    return test
  }

  @Test func `T06: the button connects, and disconnects by cancelling the effects`() throws {
    let test = connected()
    test.send(.connectTapped) { $0.connection = .disconnected }
    #expect(server.state == .disconnected)
    #expect(try server.events.toBlocking().last() == .disconnected(code: .goingAway, reason: ""))
    #expect(test.running.isEmpty)
    test.finish()
  }

  @Test func `T06: a connection can be cancelled while it is made`() throws {
    let test = connecting()
    test.send(.connectTapped) { $0.connection = .disconnected }
    #expect(client.state == .disconnected)
    test.finish()
  }

  @Test func `T06: after that the button connects again`() {
    let pairs = (0..<2).map { _ in MockWebSocket.pair(isOpen: false) }
    let made = Locked(pairs.map(\.client))
    let client = WebSocketClient.mock { _, _, _ in made.withLock { $0.removeFirst() } }
    let test = TestComposer(EchoComposer(client: client, url: url))
    for pair in pairs {
      test.send(.connectTapped) { $0.connection = .connecting }
      pair.server.connect()
      test.receive(.socket(.didOpen(protocol: nil))) { $0.connection = .connected }
      test.send(.connectTapped) { $0.connection = .disconnected }
    }
    test.finish()
  }

  @Test func `T07: it pings every 10 seconds`() throws {
    let test = connected()
    for (seconds, pings) in [(9, 0), (1, 1), (10, 2), (10, 3)] {
      test.advance(by: .seconds(seconds))
      #expect(client.pings == pings)
    }
    test.send(.connectTapped) { $0.connection = .disconnected }
    test.advance(by: .seconds(60))
    #expect(client.pings == 3)
    test.finish()
  }

  @Test func `T08: the field is cleared first, and what is sent comes back`() throws {
    let test = connected()
    test.send(.typed("hello")) { $0.draft = "hello" }
    test.send(.sendTapped) { $0.draft = "" }
    test.receive(.sent)
    #expect(server.received == [.text("hello")])
    try server.send("hello")
    test.receive(.received(.text("hello"))) { $0.received = ["hello"] }
    try server.send(Data([1, 2]))
    test.receive(.received(.binary(Data([1, 2])))) { $0.received = ["hello", "2 bytes"] }
    test.send(.connectTapped) { $0.connection = .disconnected }
    test.finish()
  }

  @Test func `T08: a failure to send is an alert, which is dismissed`() {
    let test = TestComposer(
      EchoComposer(client: .mock { _, _, _ in MockWebSocket.pair().client }, url: url))
    test.send(.typed("hello")) { $0.draft = "hello" }
    test.send(.sendTapped) { $0.draft = "" }
    test.receive(.notSent) {
      $0.alert = "The message could not be sent. Connect first, and try again."
    }
    test.send(.alertDismissed) { $0.alert = nil }
    test.finish()
  }

  @Test func `T09: when the server closes, all effects end, and nothing comes after it`() throws {
    let test = connected()
    server.close(code: 4_000, reason: "enough")
    test.receive(.socket(.didClose(code: 4_000, reason: "enough"))) {
      $0.connection = .disconnected
    }
    #expect(test.running.isEmpty)
    test.advance(by: .seconds(60))
    #expect(client.pings == 0)
    test.finish()
  }

  @Test func `T10: a new connection begins with an empty list`() throws {
    Given(EchoComposer(client: .unimplemented, url: url), .init(received: ["old"]))
      .when(.socket(.didOpen(protocol: nil)))
      .then { ($0.connection, $0.received) = (.connected, []) }
  }

  @Test func `T11: what is not expected of the client fails the test`() {
    let test = TestComposer(EchoComposer(client: .unimplemented, url: url))
    test.send(.typed("nothing is sent")) { $0.draft = "nothing is sent" }
    test.send(.alertDismissed)
    test.finish()
  }

  @Test func `T12: a connection that fails is an alert, and over`() throws {
    let test = connecting()
    client.fail(.transport(.refused(address: "here")))
    test.receive(.socket(.didFail(.transport(.refused(address: "here"))))) {
      $0.alert = "here refused the connection"
    }
    test.receive(.socket(.didClose(code: .abnormal, reason: ""))) {
      $0.connection = .disconnected
    }
    test.finish()
  }
}
