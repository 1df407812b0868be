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
  /// The server end accepts when the test calls `connect()`.
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

  @Test func `T06: the echo's button connects, and disconnects by cancelling the effects`() throws {
    let test = connected()
    test.send(.connectTapped) { $0.connection = .disconnected }
    #expect(server.state == .disconnected)
    #expect(try server.events.toBlocking().last() == .disconnected(code: .goingAway, reason: ""))
    #expect(test.running.isEmpty)
    test.finish()
  }

  @Test func `T06: the echo's button cancels a connection in progress`() throws {
    let test = connecting()
    test.send(.connectTapped) { $0.connection = .disconnected }
    #expect(client.state == .disconnected)
    test.finish()
  }

  @Test func `T06: the echo's button connects again after a disconnect`() {
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

  @Test func `T07: the echo composer pings every 10 seconds`() throws {
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

  @Test func `T08: sending clears the echo's field, and the message is received`() throws {
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

  @Test func `T08: a failed send of the echo is an alert, which can be dismissed`() {
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

  @Test func `T09: a close by the server ends all effects of the echo`() throws {
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

  @Test func `T10: a new connection of the echo starts with an empty list`() throws {
    Given(EchoComposer(client: .unimplemented, url: url), .init(received: ["old"]))
      .when(.socket(.didOpen(protocol: nil)))
      .then { ($0.connection, $0.received) = (.connected, []) }
  }

  @Test func `T11: the echo's other actions call no closure of an unimplemented client`() {
    let test = TestComposer(EchoComposer(client: .unimplemented, url: url))
    test.send(.typed("nothing is sent")) { $0.draft = "nothing is sent" }
    test.send(.alertDismissed)
    test.finish()
  }

  @Test func `T12: a failed connection of the echo is an alert, then disconnected`() throws {
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
