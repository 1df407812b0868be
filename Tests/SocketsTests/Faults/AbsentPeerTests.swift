import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// Peers that disconnect while reading is paused, over TCP: the server has to detect it.
@Suite("A server that pauses reading from a client that disconnects", .workerPool)
struct AbsentClientTests {
  /// The reason why the server pauses reading.
  enum Pause: String, CaseIterable {
    case echoOfAnObserver, echoOfATask, consumerThatTakesNothing, nobodyObserves, slowBroadcast
  }

  @Test(arguments: Pause.allCases, [false, true])
  func `a client that disconnects while reading is paused leaves no connection, timer or object`(
    pause: Pause, isSecure: Bool
  ) async throws {
    let time = VirtualTime()
    var served = WebSocketConfiguration()
    served.scheduler = time.scheduler
    let server = try WebSocketServer(
      identity: isSecure ? Certificates.good : nil, configuration: served)
    let bag = DisposeBag()
    server.connections.subscribe(onNext: { use($0, pause, bag) }).disposed(by: bag)
    var configuration = WebSocketConfiguration().onStoppedClock
    configuration.tls.authorities = .only(Certificates.authority)
    let url = server.url.replacing("127.0.0.1", with: "localhost")
    let clients = (0..<4).map { _ in WebSocket.connect(to: url, configuration: configuration) }
    for client in clients { try await client.connected() }
    if pause == .slowBroadcast {
      let message = WebSocketMessage.binary(Data(count: 1 << 20))
      while server.broadcast(message).slow.count < clients.count { await EventLoop.shared.settle() }
    } else {
      // The clients have no observers, so they do not read the echoes.
      for client in clients {
        for _ in 0..<40 { try client.send(Data(count: 256 << 10)) }
      }
      _ = await EventLoop.shared.stableCount {
        server.sockets.all.reduce(0) { $0 + $1.metrics.bytesReceived }
      }
    }
    #expect(server.sockets.all.count == clients.count)
    for client in clients { client.driver.drop() }
    await EventLoop.shared.settle(turns: 20)
    // A client with nothing to read ends in order, which does not prove a disconnect. It is
    // detected by a ping, or after 30 seconds without a consumed message.
    for _ in 0..<12 {
      time.advance(by: .seconds(5))
      await EventLoop.shared.settle(turns: 20)
    }
    await server.sockets.ended()
    server.close()
  }

  private func use(_ socket: WebSocket, _ pause: Pause, _ bag: DisposeBag) {
    switch pause {
    case .echoOfAnObserver:
      socket.messages.subscribe(onNext: { try? socket.send($0) }, onError: { _ in }).disposed(
        by: bag)
    case .echoOfATask:
      let values = socket.values
      Task {
        for try await message in values { try await socket.sendWhenWritable(message) }
      }
    case .consumerThatTakesNothing:
      let values = socket.values
      bag.insert(ActionDisposable { withExtendedLifetime(values) {} })
    case .nobodyObserves, .slowBroadcast: break
    }
  }
}

@Suite("A client that pauses reading from a server that disconnects", .workerPool)
struct AbsentServerTests {
  @Test func `a reset while reading is paused is reported after the messages that were read`()
    async throws
  {
    let server = try RawServer()
    let socket = WebSocket.connect(
      to: server.url, configuration: WebSocketConfiguration().onStoppedClock)
    let values = socket.values
    let messages = (0..<16).map { Wire.frame(0x81, "\($0)", masked: false) }
    let peer = try await server.upgradedPeer(then: Array(messages.joined()))
    await EventLoop.shared.settle(turns: 20)
    // More bytes than the socket reads, and unread bytes at the server: its close is a reset.
    peer.transport.setReading(false)
    try await socket.connected()
    try socket.send("unread")
    for _ in 0..<100 {
      peer.send(Wire.frame(0x82, [UInt8](repeating: 0, count: 1_000), masked: false))
    }
    await EventLoop.shared.settle(turns: 20)
    #expect(socket.state == .connected)
    peer.transport.close()
    try await socket.closed()
    var iterator = values.makeAsyncIterator()
    for number in 0..<16 { #expect(try await iterator.next() == .text("\(number)")) }
    await #expect(throws: WebSocketError.transport(.reset)) {
      while try await iterator.next() != nil {}
    }
  }

  @Test func `messages before an orderly end are read at the pace of the consumer`() async throws {
    let server = try RawServer()
    let socket = WebSocket.connect(
      to: server.url, configuration: WebSocketConfiguration().onStoppedClock)
    let values = socket.values
    let peer = try await server.upgradedPeer()
    for number in 0..<2_000 {
      peer.send(Wire.frame(0x81, "\(number) " + String(repeating: "x", count: 100), masked: false))
    }
    peer.send(Wire.frame(0x88, [0x03, 0xE8], masked: false))
    peer.transport.closeWriting()
    await peer.log.wait { $0.received.isEmpty }
    var number = 0
    for try await message in values {
      #expect(message.text?.hasPrefix("\(number) ") == true)
      number += 1
      if number % 100 == 0 { await EventLoop.shared.settle() }
    }
    #expect(number == 2_000)
    #expect(try await socket.closed().code == .normal)
  }
}

/// Deadlines for a lack of progress, in virtual time.
@Suite("A peer without progress", .workerPool)
struct StalledPeerTests {
  @Test func `a peer that reads no queued byte is dropped after 30 seconds`() async throws {
    let pair = try await MemoryPeer(capacity: 1_000)
    let recorder = SocketEventRecorder(pair.socket)
    pair.peer.transport.setReading(false)
    try pair.socket.send(Data(count: 10_000))
    await EventLoop.shared.settle()
    // The stall watch checks four times in 30 seconds.
    for _ in 0..<3 { await pair.advance(by: .milliseconds(7_500)) }
    await pair.advance(by: .milliseconds(7_499))
    #expect(pair.socket.state == .connected)
    await pair.advance(by: .milliseconds(1))
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == .writeTimedOut(after: .seconds(30)))
    #expect(recorder.value.closeCode == .abnormal)
    pair.peer.transport.setReading(true)
    await pair.peer.log.wait { $0.isClosed || $0.ended == 1 }
    #expect(pair.time.scheduler.nextTime == nil)
  }

  @Test func `a peer that reads a few bytes now and then is kept`() async throws {
    var configuration = WebSocketConfiguration()
    configuration.keepalive = nil
    let pair = try await MemoryPeer(configuration, capacity: 1_000)
    pair.peer.transport.setReading(false)
    try pair.socket.send(Data(count: 10_000))
    await EventLoop.shared.settle()
    for _ in 0..<9 {
      await pair.advance(by: .seconds(25))
      #expect(pair.socket.state == .connected)
      pair.peer.transport.setReading(true)
      await EventLoop.shared.settle(turns: 1)
      pair.peer.transport.setReading(false)
      await EventLoop.shared.settle()
    }
    await pair.peer.log.wait { $0.received.count > 8_000 }
    pair.peer.transport.setReading(true)
    pair.socket.close()
    await pair.peer.log.wait { TransportRecorder.longFrames(in: $0.received).count == 1 }
    pair.close()
    try await pair.socket.closed()
  }

  @Test func `without a write timeout a peer that reads nothing is kept`() async throws {
    var configuration = WebSocketConfiguration()
    configuration.keepalive = nil
    configuration.writeTimeout = nil
    let pair = try await MemoryPeer(configuration, capacity: 1_000)
    pair.peer.transport.setReading(false)
    try pair.socket.send(Data(count: 10_000))
    await pair.advance(by: .seconds(86_400))
    #expect(pair.socket.state == .connected)
    pair.socket.driver.drop()
    try await pair.socket.closed()
  }

  @Test func `a peer that acknowledges no byte is dead, also while reading is paused`() async throws
  {
    let time = VirtualTime()
    let (near, far) = MemoryTransport.pair()
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    let socket = WebSocket.client(over: near, configuration: configuration)
    let server = WebSocket.server(over: far, configuration: WebSocketConfiguration().onStoppedClock)
    let values = socket.values
    for side in [socket, server] { side.connect() }
    try await server.connected()
    for number in 0..<20 { try server.send("\(number)") }
    await EventLoop.shared.settle()
    // No sent byte is acknowledged, pings included.
    func acknowledge(before age: Duration) {
      near.setAcknowledgement(
        .init(outstanding: socket.metrics.bytesSent, age: age, isDue: true))
    }
    for _ in 0..<5 {
      acknowledge(before: .milliseconds(20_019))
      time.advance(by: .seconds(20))
      await EventLoop.shared.settle()
    }
    #expect(socket.state == .connected)
    acknowledge(before: .milliseconds(20_020))
    time.advance(by: .seconds(20))
    try await socket.closed()
    await #expect(throws: WebSocketError.silent(after: .seconds(20))) {
      for try await _ in values {}
    }
    try await server.closed()
  }

  @Test func `a peer that acknowledges queued bytes slowly is alive`() async throws {
    let time = VirtualTime()
    let (near, far) = MemoryTransport.pair(capacity: 1_000)
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    let socket = WebSocket.client(over: near, configuration: configuration)
    let server = WebSocket.server(over: far, configuration: WebSocketConfiguration().onStoppedClock)
    for side in [socket, server] { side.connect() }
    for side in [socket, server] { try await side.connected() }
    far.setReading(false)
    try socket.send(Data(count: 100_000))
    await EventLoop.shared.settle()
    let sent = socket.metrics.bytesSent
    for step in 0..<10 {
      // From the system's buffer, which has no room yet.
      near.setAcknowledgement(
        .init(outstanding: sent - 10 * step, age: .seconds(1), isDue: true))
      time.advance(by: .milliseconds(20_000))
      await EventLoop.shared.settle()
      #expect(socket.state == .connected)
    }
    for _ in 0..<2 {
      time.advance(by: .seconds(20))
      await EventLoop.shared.settle()
    }
    try await socket.closed()
    socket.drop()
    server.drop()
  }

  @Test
  func `a peer that has vanished is detected by unacknowledged bytes while reading is paused`()
    async throws
  {
    let time = VirtualTime()
    let (near, far) = MemoryTransport.pair(capacity: 1_000)
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    configuration.writeTimeout = nil
    let socket = WebSocket.client(over: near, configuration: configuration)
    let server = WebSocket.server(over: far, configuration: WebSocketConfiguration().onStoppedClock)
    let values = socket.values
    for side in [socket, server] { side.connect() }
    try await server.connected()
    for number in 0..<20 { try server.send("\(number)") }
    await EventLoop.shared.settle()
    far.setReading(false)
    try socket.send(Data(count: 100_000))
    await EventLoop.shared.settle()
    near.setAcknowledgement(
      .init(outstanding: socket.metrics.bytesSent, age: .seconds(3_600), isDue: true))
    for _ in 0..<3 {
      time.advance(by: .seconds(20))
      await EventLoop.shared.settle()
    }
    await #expect(throws: WebSocketError.silent(after: .seconds(20))) {
      for try await _ in values {}
    }
    server.drop()
  }

  @Test func `the last messages of a peer are kept for a consumer that takes one in 30 seconds`()
    async throws
  {
    let pair = try await MemoryPeer(maximumDelivery: 4)
    let values = pair.socket.values
    for number in 0..<40 { pair.send("\(number)") }
    pair.close()
    await EventLoop.shared.settle(turns: 100)
    var iterator = values.makeAsyncIterator()
    for number in 0..<20 {
      for _ in 0..<3 { await pair.advance(by: .milliseconds(7_500)) }
      #expect(try await iterator.next() == .text("\(number)"))
    }
    await EventLoop.shared.settle(turns: 100)
    for _ in 0..<5 { await pair.advance(by: .milliseconds(7_500)) }
    // Messages that were read are delivered; others are lost.
    await #expect(throws: WebSocketError.unreadDropped(after: .seconds(30))) {
      while try await iterator.next() != nil {}
    }
    try await pair.socket.closed()
    #expect(pair.time.scheduler.nextTime == nil)
  }

  @Test func `unread messages of a peer that has closed are dropped after 30 seconds`() async throws
  {
    let pair = try await MemoryPeer(maximumDelivery: 4)
    for number in 0..<40 { pair.send("\(number)") }
    pair.close()
    await EventLoop.shared.settle(turns: 100)
    #expect(pair.socket.state == .connected)
    for _ in 0..<4 { await pair.advance(by: .milliseconds(7_500)) }
    try await pair.socket.closed()
  }
}

/// Operations of a program on a broken or ended connection.
@Suite("A broken connection", .workerPool)
struct BrokenConnectionTests {
  /// A WebSocket with a full window, whose peer has sent more, closed and reset the connection.
  private func broken(
    _ closesFirst: Bool = false
  ) async throws -> (socket: WebSocket, values: WebSocketMessages, time: VirtualTime) {
    let pair = try await MemoryPeer(maximumDelivery: 4)
    let values = pair.socket.values
    for number in 0..<40 { pair.send("\(number)") }
    pair.close()
    pair.peer.transport.close()
    await EventLoop.shared.settle(turns: 100)
    if closesFirst { pair.socket.close() }
    // The peer has disconnected.
    try? pair.socket.send("late")
    await EventLoop.shared.settle(turns: 200)
    return (pair.socket, values, pair.time)
  }

  @Test
  func `a broken connection delivers the messages before its end at the pace of the consumer`()
    async throws
  {
    let (socket, values, _) = try await broken()
    #expect(socket.state == .disconnecting)
    var texts: [String?] = []
    var iterator = values.makeAsyncIterator()
    while let message = try await iterator.next() { texts.append(message.text) }
    // The peer's close frame follows them.
    #expect(texts == (0..<40).map { "\($0)" })
    #expect(try await socket.closed().code == .normal)
  }

  @Test func `close ends a broken connection at once`() async throws {
    let (socket, values, time) = try await broken()
    socket.close()
    try await socket.closed()
    await #expect(throws: WebSocketError.transport(.reset)) { for try await _ in values {} }
    #expect(time.scheduler.nextTime == nil)
  }

  @Test func `a server that shuts down drops a broken connection at once`() async throws {
    let (socket, values, _) = try await broken()
    socket.driver.drop()
    try await socket.closed()
    withExtendedLifetime(values) {}
  }

  @Test func `a broken connection ends with the peer's close frame after a close by the program`()
    async throws
  {
    let (socket, values, _) = try await broken(true)
    #expect(try await socket.closed().code == .normal)
    withExtendedLifetime(values) {}
  }
}

@Suite("A slow consumer", .workerPool)
struct SlowConsumerTests {
  @Test
  func `a consumer slower than a second per message has one message read for each that it takes`()
    async throws
  {
    let pair = try await MemoryPeer(maximumDelivery: 4)
    let values = pair.socket.values
    for number in 0..<60 { pair.send("\(number)") }
    await EventLoop.shared.settle(turns: 100)
    #expect(pair.socket.metrics.messagesReceived == 16)
    var iterator = values.makeAsyncIterator()
    for number in 0..<10 {
      await pair.advance(by: .seconds(5))
      #expect(try await iterator.next() == .text("\(number)"))
      await EventLoop.shared.settle(turns: 20)
      #expect(pair.socket.metrics.messagesReceived == 17 + number)
    }
    pair.socket.driver.drop()
    try await pair.socket.closed()
  }
}

@Suite("The stall watch", .workerPool) struct StallWatchTests {
  @Test func `a stall watch reports a stall when the mark has not changed within the limit`() {
    var watch = StallWatch(limit: .seconds(20))
    #expect(watch.check(mark: 1, now: .seconds(100)) == .wait(.seconds(5)))
    #expect(watch.check(mark: 1, now: .seconds(117)) == .wait(.seconds(3)))
    #expect(watch.check(mark: 2, now: .seconds(120)) == .wait(.seconds(5)))
    #expect(watch.check(mark: 2, now: .seconds(139)) == .wait(.seconds(1)))
    #expect(watch.check(mark: 2, now: .seconds(140)) == .stalled(limit: .seconds(20)))
  }
}
