import ReactiveTesting
import TestSupport
import Testing

@testable import ActionCable

/// An hour of random faults of a cable in virtual time.
@Suite(.workerPool) struct CableChaosTests {
  /// A server that executes commands concurrently with individual delays, as Rails does.
  private final class Server {
    var subscriptions: [Int: Set<String>] = [:]
    var received: [Int: Int] = [:]
    var broadcasts = 0
    /// Whether the current connection is silent in both directions.
    var isSilent = false
    private var random: SeededGenerator
    private unowned let harness: CableHarness

    init(_ harness: CableHarness, seed: UInt64) {
      (self.harness, random) = (harness, SeededGenerator(seed: seed))
      harness.onConnect = { [unowned self] socket in
        if random(0.2) { return socket.refuse() }
        isSilent = false
        subscriptions[socket.number] = []
        socket.accept(welcome: false)
        after(0...100) {
          socket.receive(#"{"type":"welcome"}"#)
          socket.ping(every: .seconds(3))
        }
      }
      harness.onCommand = { [unowned self] socket, command in
        if isSilent { return }
        after(1...50) {
          if !self.isSilent, socket.state == .connected { self.carryOut(command, socket) }
        }
      }
    }

    private func carryOut(_ command: CableHarness.Command, _ socket: ScriptedSocket) {
      let (number, identifier) = (socket.number, command.identifier)
      switch command.name {
      case "subscribe":
        guard subscriptions[number]?.contains(identifier) == false else { return }
        if random(0.05) { return socket.reject(identifier) }
        // One command in ten is never answered.
        subscriptions[number]?.insert(identifier)
        if !random(0.1) { socket.confirm(identifier) }
      case "unsubscribe": subscriptions[number]?.remove(identifier)
      default:
        let isThere = subscriptions[number]?.contains(identifier) == true
        if isThere, let id = command.data?["id"]?.integer { received[id, default: 0] += 1 }
      }
    }

    func after(_ milliseconds: ClosedRange<Int>, _ body: @escaping () -> Void) {
      harness.after(.milliseconds(Int.random(in: milliseconds, using: &random)), body)
    }

    func random(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
  }

  @Test(arguments: 1...3)
  func `A8: an hour of faults duplicates no call, and loses none unreported`(
    seed: Int
  ) throws {
    #if SANITIZED
    let minutes = 6
    #else
    let minutes = 60
    #endif
    var random = SeededGenerator(seed: UInt64(seed))
    let harness = CableHarness(random: 0.3) { $0.reconnectJitter = .seconds(2) }
    let server = Server(harness, seed: UInt64(seed) &+ 1_000)
    let options = CableChannelOptions(autoSubscribe: false, buffering: .buffer(limit: 20))
    let channels = (0..<8).map {
      harness.client.channel("Room", ["id": .integer($0 / 2)], options: options)
    }
    let received = SharedVariable(channels.map { _ in [Int]() })
    let reported = SharedVariable<[Int: Int]>([:])
    let unwritten = SharedVariable<Set<Int>>([])
    let bag = DisposeBag()
    for (index, channel) in channels.enumerated() {
      channel.events
        .subscribe(onNext: { event in
          switch event {
          case .message(let message): received.value[index].append(message.integer ?? -1)
          case .performFailed(let perform, let error):
            let id = perform.data["id"]?.integer ?? -1
            reported.value[id, default: 0] += 1
            if error == .neverWritten { unwritten.value.insert(id) }
          default: break
          }
        })
        .disposed(by: bag)
      channel.subscribe()
    }
    harness.client.connect()

    var expected = channels.map { _ in [Int]() }
    var (performed, refused) = (0, 0)
    for _ in 0..<(minutes * 60 * 2) {
      harness.advance(0.5)
      let index = Int.random(in: 0..<8, using: &random)
      let channel = channels[index]
      switch Int.random(in: 0..<1_000, using: &random) {
      case 0: harness.live.last?.fail(.connectionLost)
      case 1: harness.live.last?.disconnect("server_restart", reconnect: true)
      case 2: harness.live.last?.end()
      case 3:
        server.isSilent = true
        harness.live.last?.breakQuietly()
      case 4: harness.client.reconnectNow()
      case 5:
        guard let socket = harness.live.last else { continue }
        socket.stall()
        harness.after(.seconds(8)) { [weak socket] in socket?.fail(.connectionLost) }
      case 6..<100: channel.unsubscribe()
      case 100..<250: channel.subscribe()
      case 250..<500:
        performed += 1
        do {
          try channel.perform("say", ["id": .integer(performed)])
        } catch {
          refused += 1
          reported.value[performed, default: 0] += 1
        }
      default:
        guard let socket = harness.live.last, !server.isSilent else { continue }
        server.broadcasts += 1
        let text = channel.identifier.text
        guard server.subscriptions[socket.number]?.contains(text) == true else { continue }
        for index in channels.indices
        where channels[index].identifier.text == text && channels[index].state == .subscribed {
          expected[index].append(server.broadcasts)
        }
        socket.message(.integer(server.broadcasts), to: text)
      }
      if harness.live.count > 1 { Issue.record("\(harness.live.count) live sockets") }
    }

    for index in channels.indices {
      let received = received.value[index]
      #expect(Set(expected[index]).isSubset(of: received))
      #expect(received == received.sorted() && Set(received).count == received.count)
      #expect(expected[index].count > minutes / 2)
    }
    // Queued calls are reported on release.
    for channel in channels { channel.unsubscribe() }
    harness.advance(1)
    harness.client.disconnect()
    let ids = 1...performed
    #expect(ids.filter { server.received[$0] ?? 0 > 1 || reported.value[$0] ?? 0 > 1 } == [])
    #expect(ids.filter { server.received[$0] == nil && reported.value[$0] == nil } == [])
    #expect(unwritten.value.filter { server.received[$0] != nil } == [])
    #expect(minutes < 60 || !unwritten.value.isEmpty)
    #expect(refused < performed / 2)
    #expect(harness.client.identifierCount == 0)
  }
}
