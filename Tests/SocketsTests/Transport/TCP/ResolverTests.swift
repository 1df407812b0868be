import Dispatch
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("The resolver of names", .workerPool) struct ResolverTests {
  private let answers = Watched<[String]>([])

  private func ask(_ resolver: Resolver, _ host: String, port: UInt16 = 80) -> Resolver.Query {
    resolver.find(host, port: port) { [answers] answer in
      switch answer {
      case .success(let addresses): answers.update { $0 += addresses.map(\.description) }
      case .failure(.hostNotFound(let host, _)): answers.update { $0.append("no \(host)") }
      case .failure(let error): answers.update { $0.append("\(error)") }
      }
    }
  }

  @Test func `resolving a name returns its addresses with the port`() async {
    let resolver = Resolver()
    withExtendedLifetime(ask(resolver, "127.0.0.1")) {}
    await answers.wait { $0 == ["127.0.0.1:80"] }
  }

  @Test func `an unknown name is an error with the name`() async {
    let resolver = Resolver()
    withExtendedLifetime(ask(resolver, "a..b")) {}
    await answers.wait { $0 == ["no a..b"] }
  }

  // MARK: Name servers that do not answer

  /// A name server that delays answers for `stuck...` names; other names are 127.0.0.1.
  private final class NameServer: Sendable {
    let time = VirtualTime()
    let asked = Watched<[String]>([])
    private let gate = DispatchSemaphore(value: 0)

    /// A resolver that uses this server, in virtual time.
    func resolver(_ limits: LookupQueue.Limits = .init()) -> Resolver {
      Resolver(limits, scheduler: time.scheduler) { [self] (host, port) throws(TransportError) in
        asked.update { $0.append(host) }
        if host.hasPrefix("stuck") { _ = gate.wait(timeout: .now() + 100) }
        return try SocketAddress.find("127.0.0.1", port: port, .literal)
      }
    }

    func answer(_ count: Int) { for _ in 0..<count { gate.signal() } }

    /// Advances the clock, and lets the loop run due work.
    func advance(by interval: Duration) async {
      time.advance(by: interval)
      await EventLoop.shared.settle()
    }
  }

  @Test func `eight look-ups run concurrently, and a cancelled one is not started`() async {
    let server = NameServer()
    let resolver = server.resolver()
    for number in 0..<8 { _ = ask(resolver, "stuck\(number)") }
    await server.asked.wait { $0.count == 8 }
    let unwanted = ask(resolver, "unwanted")
    _ = ask(resolver, "last", port: 3)
    #expect(answers.value.isEmpty)
    unwanted.cancel()
    server.answer(8)
    await answers.wait { $0.count == 9 }
    #expect(answers.value.contains("127.0.0.1:3"))
    #expect(server.asked.value.count == 9 && !server.asked.value.contains("unwanted"))
  }

  @Test func `one look-up answers all concurrent requests for its host and port`() async {
    let server = NameServer()
    let resolver = server.resolver()
    for _ in 0..<100 { _ = ask(resolver, "stuck", port: 1) }
    ask(resolver, "stuck", port: 1).cancel()
    await server.asked.wait { $0 == ["stuck"] }
    _ = ask(resolver, "other", port: 2)
    await answers.wait { $0 == ["127.0.0.1:2"] }
    server.answer(1)
    await answers.wait { $0.count == 101 }
    #expect(server.asked.value == ["stuck", "other"])
  }

  @Test func `eight look-ups that hang delay others by a second`() async {
    let server = NameServer()
    let resolver = server.resolver()
    for number in 0..<8 { _ = ask(resolver, "stuck\(number)") }
    await server.asked.wait { $0.count == 8 }
    _ = ask(resolver, "other")
    await server.advance(by: .milliseconds(999))
    #expect(server.asked.value.count == 8)
    await server.advance(by: .milliseconds(1))
    await answers.wait { $0 == ["127.0.0.1:80"] }
    // No request waits behind the slow look-ups.
    _ = ask(resolver, "another", port: 81)
    await answers.wait { $0 == ["127.0.0.1:80", "127.0.0.1:81"] }
    server.answer(8)
    await answers.wait { $0.count == 10 }
  }

  @Test func `a look-up fails after 30 seconds, and its late answer is ignored`() async {
    let server = NameServer()
    let resolver = server.resolver()
    for _ in 0..<2 { _ = ask(resolver, "stuck") }
    await server.asked.wait { $0.count == 1 }
    await server.advance(by: .milliseconds(29_999))
    #expect(answers.value.isEmpty)
    await server.advance(by: .milliseconds(1))
    let failure = "no answer to the look-up of stuck within 30.0 seconds"
    await answers.wait { $0 == [failure, failure] }
    // The next request starts another look-up.
    _ = ask(resolver, "stuck", port: 81)
    await server.asked.wait { $0.count == 2 }
    server.answer(2)
    await answers.wait { $0.count == 3 }
    #expect(answers.value.last == "127.0.0.1:81")
  }

  @Test func `while all threads hang, other names fail at once, and numeric addresses connect`()
    async throws
  {
    let server = NameServer()
    let resolver = server.resolver(.init(concurrent: 2, threads: 4))
    for number in 0..<5 { _ = ask(resolver, "stuck\(number)") }
    await server.asked.wait { $0.count == 2 }
    await server.advance(by: .seconds(1))
    await server.asked.wait { $0.count == 4 }
    #expect(answers.value.isEmpty)
    await server.advance(by: .seconds(1))
    func failure(_ host: String) -> String {
      "\(host) is not looked up: 4 look-ups of other names have no answer"
    }
    await answers.wait { $0 == [failure("stuck4")] }
    _ = ask(resolver, "other")
    #expect(answers.value == [failure("stuck4"), failure("other")])

    let listener = RawSocket.bound()
    listener.listen(backlog: 8)
    let clock = LoopClock(loop: .shared)
    let connector = TCPConnector(
      host: "127.0.0.1", port: listener.port, clock: clock, resolver: resolver)
    let client = TransportRecorder(TCPTransport(connector))
    await client.start()
    #expect(client.log.value.opened == 1)
    client.transport.close()
    listener.close()

    server.answer(1)
    await answers.wait { $0.count == 3 }
    // A thread is free again.
    _ = ask(resolver, "other", port: 81)
    await answers.wait { $0.last == "127.0.0.1:81" }
    server.answer(3)
    await answers.wait { $0.count == 7 }
  }

  // MARK: Connections

  private func connecting(
    _ resolver: Resolver, _ time: VirtualTime, within timeout: Duration
  ) -> (WebSocket, SocketEventRecorder) {
    let clock = LoopClock(loop: .shared, scheduler: time.scheduler)
    let connector = TCPConnector(host: "stuck", port: 80, clock: clock, resolver: resolver)
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    configuration.handshakeTimeout = timeout
    let transport = TCPTransport(connector)
    let socket = WebSocket.client(over: transport, configuration: configuration)
    let recorder = SocketEventRecorder(socket)
    socket.connect()
    return (socket, recorder)
  }

  @Test func `a shorter handshake timeout is reported instead of the look-up timeout`() async {
    let server = NameServer()
    let (socket, recorder) = connecting(server.resolver(), server.time, within: .seconds(10))
    await server.asked.wait { $0.count == 1 }
    await server.advance(by: .milliseconds(9_999))
    #expect(socket.state == .connecting)
    await server.advance(by: .milliseconds(1))
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == .handshakeTimedOut(after: .seconds(10)))
    server.answer(1)
  }

  @Test func `a longer handshake timeout lets the look-up timeout be reported`() async {
    let server = NameServer()
    let (socket, recorder) = connecting(server.resolver(), server.time, within: .seconds(60))
    await server.asked.wait { $0.count == 1 }
    await server.advance(by: .seconds(30))
    await recorder.waitUntilOver()
    let error = TransportError.lookupTimedOut(host: "stuck", after: .seconds(30))
    #expect(recorder.value.failure == .transport(error))
    withExtendedLifetime(socket) {}
    server.answer(1)
  }
}
