import Foundation
import ReactiveTesting
import TestSupport
import Testing

@Suite("A link between a client and a server", .workerPool)
struct WebSocketLinkTests {
  private func configuration(_ time: VirtualTime = VirtualTime()) -> WebSocketConfiguration {
    // Its deadlines are in virtual time.
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    return configuration
  }

  private func link(
    toServer: WebSocketLink.Conditions = .init(),
    toClient: WebSocketLink.Conditions = .init()
  ) -> WebSocketLink {
    WebSocketLink(
      toServer: toServer,
      toClient: toClient,
      configuration: configuration(),
      serverConfiguration: configuration()
    )
  }

  private func messages(_ socket: WebSocket, _ count: Int) throws -> [WebSocketMessage] {
    try socket.messages.take(count).toBlocking(timeout: 20).toArray()
  }

  private func events(_ socket: WebSocket) throws -> [WebSocketEvent] {
    try socket.events.toBlocking(timeout: 20).toArray()
  }

  /// Advances virtual time until the condition holds, for at most 20 real seconds.
  private func advance(_ time: VirtualTime, until isThere: () -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while !isThere() {
      try #require(ContinuousClock.now < deadline)
      time.advance(by: .milliseconds(100))
    }
  }

  private func waitUntilConnected(_ link: WebSocketLink) throws {
    for socket in [link.client, link.server] {
      _ = try socket.states.filter { $0 == .connected }.take(1).toBlocking(timeout: 20).first()
    }
  }

  @Test func `a client that connects before its link waits for the link`() throws {
    let link = link()
    link.client.connect()
    link.connect()
    try waitUntilConnected(link)
    link.cut()
  }

  @Test func `linked client and server exchange messages, also one byte at a time`() throws {
    for conditions in [WebSocketLink.Conditions(), .init(pieceSize: 1)] {
      let link = link(toServer: conditions, toClient: conditions)
      let echo = link.server.messages.subscribe(onNext: { try? link.server.send($0) })
      defer { echo.dispose() }
      link.connect()
      try waitUntilConnected(link)
      try link.client.send("hello")
      try link.client.send(Data(count: 1_000))
      #expect(try messages(link.client, 2) == [.text("hello"), .binary(Data(count: 1_000))])
      #expect(
        link.deliveredByteCounts.toServer > 1_000 && link.deliveredByteCounts.toClient > 1_000)
    }
  }

  @Test func `the client reports a link that is cut at any byte of the handshake`() throws {
    let whole = link()
    whole.connect()
    try waitUntilConnected(whole)
    let length = whole.deliveredByteCounts.toClient
    #expect(length > 100)
    for place in stride(from: 0, to: length, by: 1) {
      let link = link(toClient: .init(cutAfter: place))
      link.connect()
      #expect(try events(link.client).first == .error(.handshake(.connectionClosed)))
    }
  }

  @Test func `client and server report a link that is cut inside a message`() throws {
    let link = link()
    link.connect()
    try waitUntilConnected(link)
    link.cut()
    for socket in [link.client, link.server] {
      let received = try events(socket)
      #expect(
        received == [
          .connected, .error(.connectionLost), .disconnected(code: .abnormal, reason: ""),
        ])
    }
  }

  @Test func `the client times out when a link drops bytes`() throws {
    let time = VirtualTime()
    let link = WebSocketLink(toServer: .init(dropAfter: 0), configuration: configuration(time))
    link.connect()
    time.advance(by: .seconds(10))
    #expect(try events(link.client).first == .error(.handshakeTimedOut(after: .seconds(10))))
  }

  @Test func `a close times out when the link is silent`() throws {
    let time = VirtualTime()
    let link = WebSocketLink(configuration: configuration(time))
    link.connect()
    try waitUntilConnected(link)
    link.silence()
    link.client.close()
    time.advance(by: .seconds(5))
    let received = try events(link.client)
    #expect(received.contains(.error(.closeTimedOut(after: .seconds(5)))))
    #expect(link.server.state == .connected)
  }

  @Test func `a link with a delay delivers bytes in order after the delay`() throws {
    let time = VirtualTime()
    let slow = WebSocketLink.Conditions(delay: .milliseconds(100))
    let link = WebSocketLink(
      toServer: slow,
      configuration: configuration(),
      serverConfiguration: configuration(),
      scheduler: time.scheduler
    )
    link.connect()
    // Bytes take 100 milliseconds; the test cannot observe when they are sent.
    try advance(time) { link.client.state == .connected }
    for number in 0..<10 { try link.client.send("\(number)") }
    let texts = Locked<[String]>([])
    let subscription = link.server.messages.subscribe(onNext: { message in
      texts.withLock { $0.append(message.text ?? "") }
    })
    defer { subscription.dispose() }
    try advance(time) { texts.withLock { $0.count } == 10 }
    let expected = (0..<10).map { "\($0)" }
    #expect(texts.withLock { $0 } == expected)
  }
}
