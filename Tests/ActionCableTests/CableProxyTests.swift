#if canImport(Glibc)
import ReactiveTesting
import TestSupport
import Testing

@testable import ActionCable

/// Calls over sockets behind a proxy that stalls and cuts, in the client's virtual time.
@Suite("Calls behind a stalling proxy", .workerPool) struct CableProxyTests {
  /// Longer than the server needs for a call that it has read, shorter than the stale threshold.
  private static let pause = Duration.milliseconds(1_500)

  /// A client, a proxy, a server, and the outcome of each call by its number.
  private final class ProxyHarness: Sendable {
    struct Calls {
      var made = 0
      var executed: [Int: Int] = [:]
      var reported: [Int: [CableError]] = [:]
      var marks = 0

      /// Calls without an outcome.
      var silent: [Int] { (0..<made).filter { executed[$0] == nil && reported[$0] == nil } }

      func reported(_ error: CableError) -> Set<Int> {
        Set(reported.filter { $0.value.contains(error) }.keys)
      }
    }

    let calls = Watched(Calls())
    let server: CableServer
    let proxy: StallingProxy
    let client: CableClient
    let channel: CableChannel
    let time = VirtualTime()
    private let connections = Watched((begun: 0, ended: 0))
    private let bag = DisposeBag()

    init(_ configure: (inout CableConfiguration) -> Void = { _ in }) throws {
      let calls = calls
      // Its pings would be in real time: a busy machine may answer them too late.
      server = try CableServer(
        keepalive: nil,
        authorize: { _ in "ann" },
        subscribe: { _, _ in true },
        perform: { _, _, _, data in
          guard let id = data["id"]?.integer else { return }
          calls.update { $0.executed[id, default: 0] += 1 }
        }
      )
      proxy = try StallingProxy(to: WebSocketURL(server.url).port)
      var configuration = CableConfiguration()
      configuration.socket.scheduler = time.scheduler
      configure(&configuration)
      let url = "ws://127.0.0.1:\(proxy.port)/cable"
      client = CableClient(url, configuration: configuration)
      channel = client.channel("Room")
      channel.events
        .subscribe(onNext: { [connections] event in
          switch event {
          case .subscribed: connections.update { $0.begun += 1 }
          case .disconnected: connections.update { $0.ended += 1 }
          case .message: calls.update { $0.marks += 1 }
          case .performFailed(let perform, let error):
            let id = perform.data["id"]?.integer ?? -1
            calls.update { $0.reported[id, default: []].append(error) }
          case .unsubscribed, .rejected, .timedOut: break
          }
        })
        .disposed(by: bag)
    }

    deinit { proxy.close() }

    /// Connects through the proxy.
    func connect() async {
      proxy.forward(.all)
      let begun = connections.value.begun
      client.connect()
      client.reconnectNow()
      await connections.wait { $0.begun == begun + 1 }
    }

    func perform(_ count: Int, bytes: Int = 0) throws -> Range<Int> {
      let first = calls.value.made
      let padding = JSONValue.string(String(repeating: "x", count: bytes))
      for id in first..<first + count {
        calls.update { $0.made += 1 }
        #expect(try channel.perform("note", ["id": .integer(id), "padding": padding]) == .sent)
      }
      return first..<first + count
    }

    /// Lets the server send a message, and waits until the client has received it.
    func receiveFromServer() async {
      let marks = calls.value.marks
      server.broadcast("mark", to: ["channel": "Room"])
      await calls.wait { $0.marks == marks + 1 }
    }

    /// Advances time until the server has confirmed all calls.
    func confirm() async {
      while client.unconfirmedCallCount > 0 {
        time.advance(by: CableProxyTests.pause)
        await receiveFromServer()
      }
    }

    /// Waits for the end of the connection on both sides, and for the outcome of each call.
    func end() async {
      await connections.wait { $0.ended == $0.begun }
      await calls.wait { $0.silent.isEmpty }
      while server.connectionCounts.connections > 0 { await EventLoop.shared.settle() }
    }
  }

  @Test func `A8: each call behind a proxy that stalls and cuts is executed or reported`()
    async throws
  {
    let harness = try ProxyHarness()
    await harness.connect()
    let early = try harness.perform(100)
    await harness.confirm()
    harness.proxy.forward(.nothing)
    // More than the buffers of both sides and the proxy hold.
    _ = try harness.perform(1_000, bytes: 6_000)
    harness.proxy.cut()
    await harness.end()
    let calls = harness.calls.value
    #expect(calls.reported.keys.filter(early.contains) == [], "confirmed before the stall")
    #expect(calls.reported(.neverWritten).count > 100)
    #expect(calls.reported(.mayBeLost).count > 100)
    #expect(calls.reported(.neverWritten).intersection(calls.executed.keys) == [])
    #expect(calls.reported.values.allSatisfy { $0.count == 1 })
    #expect(calls.executed.values.allSatisfy { $0 == 1 })
  }

  @Test func `A8: a proxy that forwards only the server's bytes loses no call unreported`()
    async throws
  {
    let harness = try ProxyHarness()
    await harness.connect()
    _ = try harness.perform(10)
    await harness.confirm()
    harness.proxy.forward(.serverOnly)
    let stalled = try harness.perform(50)
    // The server sends for a minute, and reads nothing.
    for _ in 0..<40 {
      harness.time.advance(by: Self.pause)
      await harness.receiveFromServer()
    }
    #expect(harness.client.state == .connected)
    harness.proxy.cut()
    await harness.end()
    #expect(Set(harness.calls.value.reported.keys) == Set(stalled))
  }

  @Test
  func `a call that is written while the connection closes is not reported as never written`()
    async throws
  {
    let harness = try ProxyHarness()
    await harness.connect()
    harness.proxy.forward(.nothing)
    let stalled = try harness.perform(1_000, bytes: 6_000)
    harness.client.disconnect()
    harness.proxy.forward(.all)
    await harness.end()
    await harness.calls.wait { $0.reported.count == stalled.count }
    let calls = harness.calls.value
    #expect(calls.executed.count == stalled.count, "the close frame is behind them")
    #expect(calls.reported(.mayBeLost).count == stalled.count)
  }

  @Test
  func `A8: a call above the limit throws during a stall, and earlier calls are reported`()
    async throws
  {
    let harness = try ProxyHarness { $0.unconfirmedCallLimit = 100 }
    await harness.connect()
    harness.proxy.forward(.nothing)
    _ = try harness.perform(100)
    #expect(harness.client.unconfirmedCallCount == 100)
    #expect(throws: CableError.tooManyUnconfirmed(limit: 100)) {
      try harness.channel.perform("note")
    }
    harness.proxy.cut()
    await harness.end()
  }

  @Test(arguments: 1...3)
  func `A8: over connections that stall, close and break, each call is executed or reported`(
    seed: Int
  ) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let harness = try ProxyHarness()
    var confirmed: Set<Int> = []
    for _ in 0..<12 {
      await harness.connect()
      confirmed.formUnion(try harness.perform(Int.random(in: 0...40, using: &random)))
      await harness.confirm()
      _ = try harness.perform(Int.random(in: 0...40, using: &random))
      let forwarding = [StallingProxy.Forwarding.all, .serverOnly, .nothing].randomElement(
        using: &random)
      harness.proxy.forward(forwarding ?? .all)
      let isLong = Int.random(in: 0..<8, using: &random) == 0
      _ = try harness.perform(isLong ? 600 : 60, bytes: isLong ? 8_000 : 10)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: harness.client.disconnect()
      case 1:
        harness.client.disconnect()
        harness.proxy.forward(.all)
        continue
      default: break
      }
      harness.proxy.cut()
      await harness.end()
    }
    harness.client.disconnect()
    harness.proxy.forward(.all)
    await harness.end()
    let calls = harness.calls.value
    #expect(calls.reported.keys.filter(confirmed.contains) == [])
    #expect(calls.reported(.neverWritten).intersection(calls.executed.keys) == [])
    #expect(calls.reported.values.allSatisfy { $0.count == 1 })
    #expect(calls.executed.values.allSatisfy { $0 == 1 })
  }
}
#endif
