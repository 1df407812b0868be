import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// The client over TCP, against a server of this package.
@Suite("The closure-based WebSocket client", .workerPool)
struct WebSocketClientTests {
  private let client = WebSocketClient.live()

  private func url(_ server: WebSocketServer) throws -> URL {
    try #require(URL(string: server.url))
  }

  /// All events until the end.
  private func all<Element: Sendable>(_ stream: AsyncStream<Element>) async -> [Element] {
    var all: [Element] = []
    for await element in stream { all.append(element) }
    return all
  }

  @Test func `T01: the client reports open with the protocol, and close with the reason`()
    async throws
  {
    let server = try WebSocketServer(configuration: .init(subprotocols: ["chat.v2"]))
    let subscription = server.connections.subscribe(onNext: { $0.close(code: 4_001, reason: "bye") }
    )
    defer { subscription.dispose() }
    let actions = await all(client.open("a", try url(server), ["chat.v1", "chat.v2"]))
    #expect(
      actions == [.didOpen(protocol: "chat.v2"), .didClose(code: 4_001, reason: "bye")])
    server.close()
  }

  @Test func `T02: the client receives results: messages, one failure and the end`() async throws {
    let server = try WebSocketServer()
    let subscription = server.connections.subscribe(onNext: { socket in
      try? socket.send("one")
      try? socket.send(Data([2]))
      socket.close(code: 4_001, reason: "bye")
    })
    defer { subscription.dispose() }
    var actions = await client.open("a", try url(server), []).makeAsyncIterator()
    #expect(await actions.next() == .didOpen(protocol: nil))
    let results = await all(client.receive("a"))
    #expect(
      results == [
        .success(.text("one")), .success(.binary(Data([2]))),
        .failure(.closed(code: 4_001, reason: "bye")),
      ])
    #expect(await actions.next() == .didClose(code: 4_001, reason: "bye"))
    #expect(await all(client.receive("a")) == [.failure(.notConnected(.disconnected))])
    server.close()
  }

  @Test func `T03: sending fails with a typed error while no socket is open`() async throws {
    await #expect(throws: WebSocketError.notConnected(.disconnected)) {
      try await client.send("a", .text("early"))
    }
    let raw = try RawServer()
    let url = try #require(URL(string: raw.url))
    let actions = await client.open("a", url, [])
    await #expect(throws: WebSocketError.notConnected(.connecting)) {
      try await client.send("a", .text("early"))
    }
    await #expect(throws: WebSocketError.self) { try await client.sendPing("a") }
    withExtendedLifetime(actions) {}
  }

  @Test func `T04: a ping waits for its pong, and throws once when the connection is cut`()
    async throws
  {
    let raw = try RawServer()
    var actions = await client.open("a", try #require(URL(string: raw.url)), [])
      .makeAsyncIterator()
    let peer = try await raw.upgradedPeer()
    #expect(await actions.next() == .didOpen(protocol: nil))
    let client = client
    let pong = Task { try await client.sendPing("a") }
    await peer.log.wait { !TransportRecorder.frames(in: $0.received).isEmpty }
    let ping = try #require(peer.frames.first)
    #expect(ping.first == 0x89)
    peer.send(Wire.frame(0x8A, ping.payload, masked: false))
    try await pong.value
    let cut = Task { try await client.sendPing("a") }
    await peer.log.wait { TransportRecorder.frames(in: $0.received).count == 2 }
    peer.transport.close()
    await #expect(throws: WebSocketError.self) { try await cut.value }
    #expect(await actions.next() == .didFail(.connectionLost))
    #expect(await actions.next() == .didClose(code: .abnormal, reason: ""))
    #expect(await actions.next() == nil)
  }

  @Test func `T05: two ids are independent, and opening an id again replaces its socket`()
    async throws
  {
    let server = try WebSocketServer()
    let bag = DisposeBag()
    let paths = Watched<[String: WebSocket]>([:])
    server.connections.subscribe(onNext: { socket in
      paths.update { $0[socket.request?.path ?? ""] = socket }
      socket.messages.subscribe(onNext: { try? socket.send($0) }).disposed(by: bag)
    }).disposed(by: bag)
    func open(_ id: WebSocketClient.ID, _ path: String) async throws
      -> AsyncStream<WebSocketClient.Action>.Iterator
    {
      var actions = await client.open(id, try url(server).appending(path: path), [])
        .makeAsyncIterator()
      #expect(await actions.next() == .didOpen(protocol: nil))
      return actions
    }
    func echo(_ id: WebSocketClient.ID, _ text: String) async throws {
      try await client.send(id, .text(text))
      var results = await client.receive(id).makeAsyncIterator()
      #expect(await results.next() == .success(.text(text)))
    }
    var first = try await open("a", "a1")
    let other = try await open("b", "b")
    let second = try await open("a", "a2")
    #expect(await first.next() == .didClose(code: .goingAway, reason: ""))
    #expect(await first.next() == nil)
    await paths.wait { $0["/a1"]?.state == .disconnected }
    #expect(paths.value["/a2"]?.state == .connected && paths.value["/b"]?.state == .connected)
    try await echo("a", "to the second")
    try await echo("b", "to the other")
    withExtendedLifetime((second, other)) {}
    server.close()
  }

  @Test func `T06: ending the iteration closes the socket with 1001 and ends its messages`()
    async throws
  {
    let server = try WebSocketServer()
    let ended = Watched<[WebSocketEvent]>([])
    let bag = DisposeBag()
    server.connections.flatMap(\.events)
      .subscribe(onNext: { event in ended.update { $0.append(event) } })
      .disposed(by: bag)
    let (client, url) = (client, try url(server))
    let isReceiving = Watched(false)
    let task = Task {
      for await action in await client.open("a", url, []) where action == .didOpen(protocol: nil) {
        isReceiving.update { $0 = true }
        for await _ in await client.receive("a") {}
      }
    }
    await isReceiving.wait { $0 }
    task.cancel()
    await task.value
    await ended.wait { $0.last == .disconnected(code: .goingAway, reason: "") }
    await #expect(throws: WebSocketError.notConnected(.disconnected)) {
      try await client.send("a", .text("late"))
    }
    server.close()
  }

  @Test func `T06: cancelling a client that connects ends the attempt`() async throws {
    let raw = try RawServer()
    let (client, url) = (client, try #require(URL(string: raw.url)))
    let task = Task {
      for await _ in await client.open("a", url, []) {}
    }
    let peer = await raw.peerWithRequest()
    task.cancel()
    await task.value
    await peer.log.wait { $0.ended == 1 || $0.isClosed }
  }

  @Test func `T12: a failed connection is reported and closed`() async throws {
    let actions = await all(client.open("a", try #require(URL(string: "ws://127.0.0.1:1/")), []))
    guard case .didFail(.transport(.refused)) = actions.first else {
      Issue.record("\(actions)")
      return
    }
    #expect(actions.dropFirst() == [.didClose(code: .abnormal, reason: "")])
  }

  @Test func `U05: close sends its code and reason, and a second close does nothing`() async throws
  {
    let server = try WebSocketServer()
    let ended = Watched<[WebSocketEvent]>([])
    let bag = DisposeBag()
    server.connections.flatMap(\.events)
      .subscribe(onNext: { event in ended.update { $0.append(event) } })
      .disposed(by: bag)
    var actions = await client.open("a", try url(server), []).makeAsyncIterator()
    #expect(await actions.next() == .didOpen(protocol: nil))
    try await client.close("a", .goingAway, "leaving")
    #expect(await actions.next() == .didClose(code: .goingAway, reason: ""))
    await ended.wait { $0.last == .disconnected(code: .goingAway, reason: "leaving") }
    await #expect(throws: WebSocketError.notConnected(.disconnected)) {
      try await client.close("a", .normal, "")
    }
    server.close()
  }

  @Test func `ids of equal values are equal`() {
    #expect(WebSocketClient.ID() == WebSocketClient.ID())
    #expect(WebSocketClient.ID("a") == "a" && WebSocketClient.ID(1) != WebSocketClient.ID(2))
    #expect(WebSocketClient.ID(1) != WebSocketClient.ID("1"))
  }
}
