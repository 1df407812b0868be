import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("The limits of an address", .workerPool) struct AddressLimitsTests {
  private func remoteClient(_ number: Int, _ host: String, client: String? = nil) throws
    -> RemoteClient
  {
    let peer = try #require(NetworkAddress(host, port: UInt16(number)))
    return RemoteClient(
      number: number, peerAddress: peer,
      address: try client.map { try #require(NetworkAddress($0)) } ?? peer)
  }

  @Test func `a rate has a burst of any size`() {
    let rate = WebSocketRate(perSecond: 1, burst: .max)
    var bucket = TokenBucket()
    #expect(bucket.count(of: rate, at: .zero) == .max)
    let isTaken = bucket.take(1_000, of: rate, at: .zero)
    #expect(isTaken && bucket.count(of: rate, at: .seconds(1)) > 1 << 60)
  }

  @Test func `a token bucket passes a burst, then the refilled tokens`() {
    let rate = WebSocketRate(perSecond: 2, burst: 3)
    var bucket = TokenBucket()
    let takes = { (bucket: inout TokenBucket, now: Double) in
      bucket.take(1, of: rate, at: .seconds(now))
    }
    #expect((0..<4).map { _ in takes(&bucket, 1) } == [true, true, true, false])
    #expect([1.25, 1.5, 1.5, 2].map { takes(&bucket, $0) } == [false, true, false, true])
    #expect(!bucket.isFull(of: rate, at: .seconds(3)) && bucket.isFull(of: rate, at: .seconds(4)))
    // A long pause refills the burst, and a clock that jumps back refills nothing.
    #expect((0..<4).map { _ in takes(&bucket, 100) } == [true, true, true, false])
    #expect(takes(&bucket, 50) == false)
  }

  @Test func `connections of one address are counted over all ports`() throws {
    var limits = AddressLimits()
    limits.connections = 2
    let limiter = AddressLimiter(limits, nil)
    let remoteClients = try (1...3).map { try remoteClient($0, "192.0.2.1") }
    #expect(remoteClients.map { limiter.note($0, at: .zero)?.status } == [nil, nil, 429])
    #expect(limiter.note(try remoteClient(4, "192.0.2.2"), at: .zero) == nil)
    // A second request on the same connection.
    #expect(limiter.note(remoteClients[0], at: .zero)?.status == 429)
    limiter.connectionEnded(remoteClients[2])
    #expect(limiter.note(remoteClients[0], at: .zero) == nil)
    limiter.connectionEnded(remoteClients[2])
    limiter.connectionEnded(remoteClients[0])
    #expect(limiter.note(try remoteClient(5, "192.0.2.1"), at: .zero) == nil)
  }

  @Test func `IPv6 addresses with the same first 64 bits share their limits`() throws {
    var limits = AddressLimits()
    limits.connections = 1
    let limiter = AddressLimiter(limits, nil)
    #expect(limiter.note(try remoteClient(1, "2001:db8::1"), at: .zero) == nil)
    #expect(limiter.note(try remoteClient(2, "2001:db8::ffff:1"), at: .zero)?.status == 429)
    #expect(limiter.note(try remoteClient(3, "2001:db8:0:1::1"), at: .zero) == nil)
  }

  @Test func `behind a trusted proxy the limits apply to the client's address`() throws {
    var limits = AddressLimits()
    limits.connections = 1
    limits.handshakes = WebSocketRate(perSecond: 1, burst: 2)
    let limiter = AddressLimiter(limits, TrustedProxies(["10.0.0.0/8"]))
    for number in 1...5 {
      #expect(limiter.note(try remoteClient(number, "10.0.0.1"), at: .zero) == nil)
    }
    let client = try remoteClient(1, "10.0.0.1", client: "192.0.2.1")
    #expect(limiter.note(client, at: .zero) == nil)
    #expect(
      limiter.note(try remoteClient(2, "10.0.0.1", client: "192.0.2.1"), at: .zero)?.status == 429)
    // The proxy reuses the connection for another client.
    #expect(limiter.note(try remoteClient(2, "10.0.0.1", client: "192.0.2.2"), at: .zero) == nil)
    #expect(limiter.note(client, at: .zero) == nil)
    // Three handshakes at one time exceed the rate.
    #expect(limiter.note(client, at: .zero)?.status == 429)
  }

  @Test func `an address without connections is forgotten`() throws {
    var limits = AddressLimits()
    limits.handshakes = WebSocketRate(perSecond: 1, burst: 2)
    let limiter = AddressLimiter(limits, nil)
    for number in 1...50_000 {
      let host = "10.\(number >> 16).\(number >> 8 & 255).\(number & 255)"
      let remoteClient = try remoteClient(number & 0xFFFF, host)
      // A thousand connections per second.
      _ = limiter.note(remoteClient, at: .milliseconds(number))
      limiter.connectionEnded(remoteClient)
    }
    #expect(limiter.count <= 2_048)
  }

  @Test
  func
    `exceeded limits of an address are answered with 429, or closed with 1008`()
    async throws
  {
    let time = VirtualTime()
    var admission = WebSocketAdmission()
    admission.addressLimits.connections = 2
    admission.addressLimits.messages = WebSocketRate(perSecond: 10, burst: 20)
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    let server = try WebSocketServer(configuration: configuration, admission: admission)
    let bag = DisposeBag()
    server.connections
      .subscribe(onNext: { $0.messages.subscribe(onError: { _ in }).disposed(by: bag) })
      .disposed(by: bag)
    let calm = await RawClient.upgraded(by: server)
    let greedy = await RawClient.upgraded(by: server)
    let late = await RawClient.connected(to: server)
    late.send(Array(RawClient.request.utf8))
    await late.log.wait { $0.ended == 1 }
    #expect(late.text.hasPrefix("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\n"))
    late.transport.close()
    for count in [20, 10, 11] {
      for _ in 0..<count { greedy.send(Wire.frame(0x81, "a", masked: true)) }
      greedy.send(Wire.frame(0x89, "x", masked: true))
      await greedy.log.wait { $0.received.count >= 3 }
      if count == 11 { break }
      #expect(greedy.frames.map(\.payload) == [[0x78]])
      greedy.log.update { $0.received = [] }
      time.advance(by: .seconds(1))
    }
    #expect(await greedy.closeCode() == .policyViolation)
    #expect(calm.log.value.received.isEmpty)
    greedy.transport.close()
    await greedy.log.wait { $0.isClosed }
    calm.transport.close()
  }

  /// Whole messages, and messages in two fragments.
  private static let messages: [[UInt8]] = [
    Wire.frame(0x81, "a", masked: true),
    Wire.frame(0x01, "a", masked: true) + Wire.frame(0x80, "b", masked: true),
  ]

  @Test(arguments: messages, [false, true])
  func `messages above the rate limit are not delivered, however long the client stays`(
    message: [UInt8], isFrames: Bool
  ) async throws {
    let time = VirtualTime()
    var admission = WebSocketAdmission()
    admission.addressLimits.messages = WebSocketRate(perSecond: 10, burst: 10)
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    let lines = Watched<[String]>([])
    configuration.log = WebSocketLog(.notice) { level, line in
      lines.update { $0.append("\(level) \(line)") }
    }
    let server = try WebSocketServer(configuration: configuration, admission: admission)
    let bag = DisposeBag()
    let (delivered, failure) = (Watched(0), Watched<WebSocketError?>(nil))
    server.connections.subscribe(onNext: { socket in
      if isFrames { socket.frames.subscribe(onError: { _ in }).disposed(by: bag) }
      socket.messages.subscribe(onNext: { _ in delivered.update { $0 += 1 } }, onError: { _ in })
        .disposed(by: bag)
      socket.events.subscribe(onNext: { event in
        if case .error(let error) = event { failure.update { $0 = error } }
      }).disposed(by: bag)
    }).disposed(by: bag)
    let greedy = await RawClient.upgraded(by: server)
    greedy.send((0..<30).flatMap { _ in message })
    #expect(await greedy.closeCode() == .policyViolation)
    // The client does not answer the close frame.
    greedy.send((0..<100).flatMap { _ in message })
    await failure.wait { $0 != nil }
    time.advance(by: .seconds(60))
    greedy.transport.close()
    await greedy.log.wait { $0.isClosed }
    await lines.wait { !$0.isEmpty }
    let rate = try #require(admission.addressLimits.messages)
    #expect(delivered.value == 10)
    #expect(failure.value == .tooManyMessages(rate))
    #expect(lines.value.count == 1 && lines.value[0].hasPrefix("notice connection 1 from"))
    #expect(lines.value[0].contains("closed with 1008"))
    await server.shutDown()
    #expect(server.totals.closed == [.policyViolation: 1])
  }
}

@Suite("A server without descriptors", .workerPool) struct ShortageTests {
  @Test func `a server without descriptors logs once a minute that it cannot accept`() {
    let time = VirtualTime()
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    let lines = Watched<[String]>([])
    configuration.log = WebSocketLog(.error) { _, line in lines.update { $0.append(line) } }
    let sockets = ConnectionRegistry(configuration, WebSocketAdmission())
    for seconds in [0, 1, 58, 1, 1] {
      time.advance(by: .seconds(seconds))
      sockets.noteShortage(.system(errno: 24, operation: "accept"))
    }
    #expect(lines.value.count == 2)
    #expect(lines.value.allSatisfy { $0.contains("no connection can be accepted") })
  }
}
