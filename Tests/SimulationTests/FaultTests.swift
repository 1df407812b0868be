import Foundation
import TestSupport
import Testing

@testable import ReactiveTesting

@Suite("Faults of a simulation", .workerPool)
struct FaultTests {
  @Test func `a cut ends when each fault that has made it has ended`() {
    let core = WorldCore(seed: 1, part: .all)
    let (a, b) = (core.addMachine("a"), core.addMachine("b"))
    core.network.cut(from: a, to: b)
    core.network.cut(from: b, to: a)
    core.network.cut(from: a, to: b)
    #expect(core.network.heal(from: a, to: b))
    #expect(!core.network.carries(from: a, to: b) && !core.network.carries(from: b, to: a))
    #expect(core.network.heal(from: a, to: b))
    #expect(core.network.carries(from: a, to: b) && !core.network.carries(from: b, to: a))
    #expect(!core.network.heal(from: a, to: b))
  }

  @Test func `a host that is paused does nothing, and goes on where it was`() throws {
    final class Ticks: @unchecked Sendable {
      // Used on the thread of the simulation alone.
      private(set) var times: [Int] = []
      private let bag = DisposeBag()
      init() {
        let start = MainScheduler.instance.now
        Observable<Int>.interval(.seconds(1), scheduler: MainScheduler.instance)
          .subscribe(onNext: { [weak self] _ in
            self?.times.append(Int(MainScheduler.instance.now.timeIntervalSince(start)))
          })
          .disposed(by: bag)
      }
    }
    var times: [Int] = []
    let simulation = try Simulation(seed: 3, for: .seconds(200), keepsStory: true) { world in
      let host = world.host("host") { _ in Ticks() }
      world.faults(.pauses(.occasional))
      world.eventually("it has ticked", within: .seconds(10), afterFaultsStop: true) {
        times = host.times ?? []
        return times.last ?? 0 >= 200
      }
    }
    let count = try #require(simulation.faultCounts[.pause])
    #expect(count > 0)
    // A second is missing where the host was paused, and only there.
    let gaps = zip(times, times.dropFirst()).filter { $1 - $0 > 1 }
    #expect((1...count).contains(gaps.count), "\(simulation.story) \(gaps)")
  }

  @Test(arguments: seeds(5))
  func `a peer that is paused stays connected, or is found by pings`(seed: UInt64) throws {
    try Simulation(seed: seed, for: .seconds(300)) { world in
      world.host("server") { _ in try Echo() }
      let client = world.host("client") { _ in Counter() }
      world.every(.seconds(1)...(.seconds(2))) { _ in client.perform { $0.count() } }
      world.faults(.pauses(.frequent))
      world.always("numbers ascend") { client.isAscending ?? true }
      world.eventually("it is connected", within: .seconds(60), afterFaultsStop: true) {
        client.isConnected ?? false
      }
    }
  }

  /// Counts the bytes that it receives.
  private final class Sink: @unchecked Sendable {
    // Used on the thread of the simulation alone.
    private(set) var count = 0
    private let server: WebSocketServer
    private let bag = DisposeBag()
    init() throws {
      server = try WebSocketServer(host: "", port: 8080)
      server.connections.flatMap { $0.messages.catch { _ in .empty() } }
        .subscribe(onNext: { [weak self] in self?.count += $0.data.count })
        .disposed(by: bag)
    }
  }

  /// Adds a host that sends messages of 20,000 bytes to the server once it is connected.
  private func addSender(of count: Int, to world: SimulatedWorld) {
    world.host("client") { _ in
      let socket = WebSocket.connect(to: "ws://server:8080/")
      return (
        socket,
        socket.states.subscribe(onNext: { [weak socket] state in
          guard state == .connected else { return }
          for _ in 0..<count { try? socket?.send(Data(repeating: 1, count: 20_000)) }
        })
      )
    }
  }

  @Test func `a connection goes on when segments and their acknowledgements are lost`() throws {
    let messages = isSanitized ? 10 : 150
    var count = 0
    // The first fault alone: one segment in twenty is lost, also of those that acknowledge.
    try Simulation(seed: 1, for: .seconds(600), only: SimulationPart(faults: [1])) { world in
      let server = world.host("server") { _ in try Sink() }
      addSender(of: messages, to: world)
      world.faults(.network(.frequent))
      world.eventually("all has arrived", within: .seconds(60), afterFaultsStop: true) {
        count = server.count ?? 0
        return count == messages * 20_000
      }
    }
    #expect(count == messages * 20_000)
  }

  @Test func `a network has a latency and a bandwidth`() throws {
    var counts: [Int: Int] = [:]
    try Simulation(seed: 1, for: .seconds(30)) { world in
      world.network(
        latency: .milliseconds(100)...(.milliseconds(100)), bytesPerSecond: 100_000)
      let server = world.host("server") { _ in try Sink() }
      addSender(of: 50, to: world)
      for time in [500, 5_500, 12_000] {
        world.after(.milliseconds(time)) { counts[time] = server.count ?? 0 }
      }
    }
    // The name takes a tenth of a second, the connection and the handshake two each, and the first bytes one.
    #expect(counts[500] == 0)
    #expect((400_000...500_000).contains(counts[5_500] ?? 0), "\(counts)")
    #expect(counts[12_000] == 1_000_000)
  }

  @Test func `the faults that have happened are counted by their kinds`() throws {
    let simulation = try Simulation(seed: 2, for: .seconds(600)) { world in
      world.host("server") { _ in try Echo() }
      for number in 1...2 { world.host("client \(number)") { _ in Counter() } }
      world.faults(
        .network(.frequent), .crashes(.frequent), .pauses(.frequent), .disk(.frequent), .clockSkew)
    }
    #expect(Set(simulation.faultCounts.keys) == Set(SimulatedFault.Kind.allCases))
    #expect(simulation.faultCounts[.clockError] == 3)
    #expect(simulation.faultCounts[.lostSegments] == 1)
  }

  @Test func `JSON is sent with its keys in one order`() throws {
    struct Message: Codable {
      var z = 1
      var a = 2
      var m = 3
    }
    var received: [String] = []
    try Simulation(seed: 1, for: .seconds(5)) { world in
      let server = world.host("server") { _ in try Echo() }
      world.host("client") { _ in
        let socket = WebSocket.connect(to: "ws://server:8080/")
        return (
          socket,
          socket.states.subscribe(onNext: { [weak socket] state in
            if state == .connected { try? socket?.send(json: Message()) }
          })
        )
      }
      world.after(.seconds(4)) { received = server.received ?? [] }
    }
    #expect(received == [#"{"a":2,"m":3,"z":1}"#])
  }
}
