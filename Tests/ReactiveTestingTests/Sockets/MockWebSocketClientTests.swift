import Foundation
import ReactiveTesting
import TestSupport
import Testing

@Suite("A mock client of closures", .workerPool)
struct MockWebSocketClientTests {
  private let here = URL(filePath: "/")

  @Test func `a mock client opens, sends, receives, pings and closes a mock socket`() async throws {
    let (socket, server) = MockWebSocket.pair(isOpen: false, subprotocol: "chat")
    let client = WebSocketClient.mock { _, _, _ in socket }
    let stream = await client.open("a", here, [])
    var actions = stream.makeAsyncIterator()
    server.connect()
    #expect(await actions.next() == .didOpen(protocol: "chat"))
    try server.send("hello")
    var results = await client.receive("a").makeAsyncIterator()
    #expect(await results.next() == .success(.text("hello")))
    try await client.send("a", .text("hi"))
    #expect(server.received == [.text("hi")])
    try await client.sendPing("a")
    #expect(socket.pings == 1)
    try await client.close("a", 4_000, "done")
    #expect(await actions.next() == .didClose(code: 4_000, reason: ""))
    #expect(await results.next() == .failure(.closed(code: 4_000, reason: "")))
    #expect(await results.next() == nil)
    await #expect(throws: WebSocketError.notConnected(.disconnected)) {
      try await client.sendPing("a")
    }
  }

  @Test func `a mock client reports the error of a failing socket`() async {
    let (socket, _) = MockWebSocket.pair(isOpen: false)
    let client = WebSocketClient.mock { _, _, _ in socket }
    var actions = await client.open("a", here, []).makeAsyncIterator()
    socket.fail(.connectionLost)
    #expect(await actions.next() == .didFail(.connectionLost))
    #expect(await actions.next() == .didClose(code: .abnormal, reason: ""))
    #expect(await actions.next() == nil)
  }

  @Test func `T11: an unimplemented closure fails the test with its name`() async {
    let client = WebSocketClient.unimplemented
    func issues(_ name: String, _ body: () async throws -> Void) async {
      await withKnownIssue {
        try? await body()
      } matching: { issue in
        issue.comments.contains { $0.rawValue.contains("WebSocketClient.\(name)") }
      }
    }
    await issues("open") { for await _ in await client.open("a", here, []) {} }
    await issues("receive") { for await _ in await client.receive("a") {} }
    await issues("sendPing") { try await client.sendPing("a") }
    await issues("send") { try await client.send("a", .text("")) }
    await issues("close") { try await client.close("a", .normal, "") }
  }
}
