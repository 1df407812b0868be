import Foundation
import ReactiveTesting
import TestSupport
import Testing

/// Programs without an end, tasks that others continue, and wrong arguments.
@Suite("What a simulation withstands", .workerPool)
struct MisuseTests {
  private func problem(
    for duration: Duration = .seconds(5), only part: SimulationPart = .all,
    _ setUp: (SimulatedWorld) throws -> Void
  ) -> SimulationProblem? { failure(for: duration, only: part, setUp)?.problem }

  private final class Endless: Composer {
    @ComposableState var state = 0
    var action = PublishRelay<Int>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout Int, _ action: Int) -> Observable<Effect<Int>> {
      state += 1
      return .send(action)
    }
  }

  @Test(arguments: isSanitized ? ["start"] : ["start", "main", "pool"])
  func `a composer that answers each action with an action is named`(place: String) {
    let found = problem { world in
      let phone = world.host("phone") { _ in
        let endless =
          place == "pool"
          ? Composed(sending: Endless(), on: .pool) : Composed(sending: Endless(), on: .main)
        if place == "start" { endless.send(1) }
        return endless
      }
      if place != "start" { world.after(.seconds(1)) { phone.perform { $0.send(1) } } }
    }
    #expect(found == .endless(host: "phone", at: .seconds(place == "start" ? 0 : 1)))
  }

  @Test func `a host that is started again and again at one moment is named`() {
    let found = problem { world in
      let phone = world.host("phone") { _ in 0 }
      world.always("it starts again") {
        phone.crash()
        phone.startProgram()
        return true
      }
    }
    #expect(found == .endless(host: "phone", at: .zero))
  }

  /// Waits in a task until it is continued, then connects.
  private final class Caller: @unchecked Sendable {
    // Used on the thread of the simulation alone.
    var continuation: CheckedContinuation<Void, Never>?
    var isOnThread = false
    private var socket: WebSocket?
    private let thread = ObjectIdentifier(Thread.current)

    init() {
      Task {
        await withCheckedContinuation { self.continuation = $0 }
        self.noteThread()
        self.socket = WebSocket.connect(to: "ws://server:8080/")
      }
    }

    private func noteThread() { isOnThread = ObjectIdentifier(Thread.current) == thread }

    func resume() { continuation.take()?.resume() }
  }

  @Test(arguments: ["test", "host"])
  func `a task goes on at its own host when the test or another host continues it`(by: String) {
    let peers = Locked<[String]>([])
    var isOnThread: Bool?
    let found = problem { world in
      let server = world.host("server") { _ in
        let server = try WebSocketServer(host: "", port: 8080)
        let bag = DisposeBag()
        server.connections.subscribe(onNext: { socket in
          peers.withLock { $0.append(socket.request?.peerAddress?.host ?? "") }
        })
        .disposed(by: bag)
        return (server, bag)
      }
      let alice = world.host("alice") { _ in Caller() }
      let bob = world.host("bob") { _ in 0 }
      world.after(.seconds(1)) {
        guard by == "host" else { return alice.program?.resume() ?? () }
        bob.perform { _ in alice.program?.resume() }
      }
      world.after(.seconds(2)) { isOnThread = alice.program?.isOnThread }
      withExtendedLifetime(server) {}
    }
    #expect(found == nil)
    #expect(isOnThread == true)
    #expect(peers.withLock { $0 } == ["10.0.0.2"])
  }

  @Test func `a task that another thread continues is named`() {
    let found = problem { world in
      let phone = world.host("phone") { _ in Caller() }
      world.after(.seconds(1)) {
        phone.perform { caller in
          onAnotherThread { caller.resume() }
        }
      }
    }
    #expect(found == .unsteered(host: "phone", "a task is continued by another thread"))
  }

  @Test func `a host that another thread stops is named`() {
    let found = problem { world in
      let phone = world.host("phone") { _ in 0 }
      world.after(.seconds(1)) {
        onAnotherThread { phone.crash() }
      }
    }
    guard case .unsteered("phone", let what)? = found else {
      Issue.record("\(String(describing: found))")
      return
    }
    #expect(what.hasPrefix("the host is used by another thread"))
  }

  @Test func `a program does nothing more once it has crashed`() {
    let charged = Locked(0)
    let found = problem { world in
      let phone = world.host("phone") { _ in
        Task {
          for _ in 1...100 { await Task.yield() }
          charged.withLock { $0 += 1 }
        }
      }
      world.always("it crashes at once") {
        if phone.program != nil { phone.crash() }
        return charged.withLock { $0 == 0 }
      }
    }
    #expect(found == nil)
  }

  @Test func `a host may begin stopped, and lose its power while it is stopped`() {
    var starts = 0
    var states: [WebSocketState] = []
    let found = problem(for: .seconds(60)) { world in
      let server = world.host("server") { _ in
        starts += 1
        return try Echo()
      }
      server.crash()
      let phone = world.host("phone") { _ in WebSocket.connect(to: "ws://server:8080/") }
      phone.crash()
      world.after(.seconds(1)) { #expect(starts == 0) }
      world.after(.seconds(2)) { server.startProgram() }
      world.after(.seconds(3)) {
        server.crash()
        server.losePower()
        phone.startProgram()
      }
      // Nothing answers, not even with a refusal.
      world.after(.seconds(6)) { phone.program.map { states.append($0.state) } }
    }
    #expect(found == nil)
    #expect(states == [.connecting] && starts == 1)
  }

  @Test func `what a machine has not sent is lost with its power`() {
    let heard = Locked(0)
    let found = problem(for: .seconds(30)) { world in
      world.network(bytesPerSecond: 1_000)
      let server = world.host("server") { _ in
        let server = try WebSocketServer(host: "", port: 8080)
        let bag = DisposeBag()
        server.connections.subscribe(onNext: { socket in
          for _ in 1...10 { try? socket.send(.text(String(repeating: "a", count: 1_000))) }
        })
        .disposed(by: bag)
        return (server, bag)
      }
      world.host("phone") { _ in
        let socket = WebSocket.connect(to: "ws://server:8080/")
        let bag = DisposeBag()
        socket.messages.subscribe(onNext: { _ in heard.withLock { $0 += 1 } }).disposed(by: bag)
        return (socket, bag)
      }
      var heardBefore = 0
      world.after(.seconds(3)) {
        heardBefore = heard.withLock { $0 }
        server.losePower()
      }
      world.after(.milliseconds(3_100)) { server.startProgram() }
      world.after(.seconds(29)) { #expect(heard.withLock { $0 } <= heardBefore + 1) }
    }
    #expect(found == nil)
  }

  @Test(arguments: [
    Duration.seconds(-1), .seconds(Int64.max), .seconds(9_000_000_000), .nanoseconds(-1),
  ])
  func `a time that is negative or longer than a century is refused`(time: Duration) {
    for found in [
      problem(for: time) { world in world.host("phone") { _ in 0 } },
      problem { world in world.eventually("late", within: time, afterFaultsStop: true) { false } },
    ] {
      guard case .thrown(let text)? = found else {
        Issue.record("\(String(describing: found))")
        continue
      }
      #expect(text.hasSuffix("and shall be between zero and a century."))
    }
  }

  @Test func `a condition that nothing can change is missed at once after years`() {
    let found = problem { world in
      world.host("phone") { _ in 0 }
      world.eventually("late", within: .seconds(3_000_000_000), afterFaultsStop: true) { false }
    }
    #expect(found == .missed("late", within: .seconds(3_000_000_000)))
  }

  @Test(arguments: ["", "localhost", "10.0.0.2", "::1"])
  func `a name by which no host can be reached is refused`(name: String) {
    let found = problem { world in world.host(name) { _ in 0 } }
    #expect(
      found == .thrown("\"\(name)\" is no name of a host, by which others could connect."))
  }

  @Test func `a part with a host that is not there is refused`() {
    let found = problem(only: SimulationPart(hosts: ["phone", "typo"])) { world in
      world.host("phone") { _ in 0 }
    }
    #expect(
      found == .thrown("The part has the host \"typo\", which is not one of the simulation."))
  }

  @Test func `the actions of a part have the names of their hosts`() throws {
    let part = SimulationPart(actions: [1, 3])
    let run = try Simulation(seed: 1, for: .seconds(9), only: part, keepsStory: true) { world in
      let phones = ["a", "b"].map { name in world.host(name) { _ in 0 } }
      for second in 1...3 {
        world.after(.seconds(second)) { for phone in phones { phone.perform { _ in } } }
      }
    }
    #expect(
      run.story.map(\.text).filter { $0.hasPrefix("action") } == [
        "action 1: a, b", "action 3: a, b",
      ])
  }

  @Test func `a start that keeps its own host, and a condition that keeps the world, are released`()
    throws
  {
    final class Kept {}
    weak var kept: Kept?
    try Simulation(seed: 1, for: .seconds(30)) { world in
      let object = Kept()
      kept = object
      var phone: SimulatedHost<Int>?
      phone = world.host("phone") { _ in
        withExtendedLifetime(object) { phone?.name.count ?? 0 }
      }
      world.always("the world is there") { withExtendedLifetime((world, object)) { true } }
      world.after(.seconds(1)) { phone?.crash() }
      world.after(.seconds(2)) { phone?.startProgram() }
    }
    #expect(kept == nil)
  }
}
