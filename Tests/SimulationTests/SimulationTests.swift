import Foundation
import ReactiveTesting
import TestSupport
import Testing

@Suite("Simulations", .workerPool)
struct SimulationTests {
  /// A server and some clients that count, with the faults of `faults`.
  @discardableResult private func counting(
    seed: UInt64, for duration: Duration = .seconds(60), clients: Int = 3,
    _ faults: [SimulatedFault] = [],
    _ check: ([SimulatedHost<Counter>], SimulatedWorld) -> Void = { _, _ in }
  ) throws -> Simulation {
    try Simulation(seed: seed, for: duration, keepsStory: true) { world in
      world.host("server") { _ in try Echo() }
      let counters = (1...clients).map { number in
        world.host("client \(number)") { _ in Counter() }
      }
      for fault in faults { world.faults(fault) }
      for counter in counters {
        world.every(.milliseconds(100)...(.seconds(3))) { _ in counter.perform { $0.count() } }
      }
      check(counters, world)
    }
  }

  @Test func `programs of several hosts talk to each other in virtual time`() throws {
    let start = ContinuousClock.now
    let minutes = isSanitized ? 5 : 60
    try counting(seed: 1, for: .seconds(minutes * 60)) { counters, world in
      world.eventually("all are connected", within: .seconds(1)) {
        counters.allSatisfy { $0.connections == 1 }
      }
      world.always("numbers ascend") { counters.allSatisfy { $0.isAscending ?? true } }
      world.eventually("all have counted", within: .seconds(60), afterFaultsStop: true) {
        counters.allSatisfy { ($0.receivedCount ?? 0) > minutes * 20 }
      }
    }
    #expect(ContinuousClock.now - start < .seconds(120))
  }

  @Test func `a seed gives the same run each time, and another seed another one`() throws {
    let faults: [SimulatedFault] = [.network(.frequent), .crashes(.frequent), .clockSkew]
    let first = try counting(seed: 7, faults)
    for _ in 0..<3 {
      let again = try counting(seed: 7, faults)
      #expect(again.hash == first.hash)
      #expect(again.story == first.story)
      #expect(again.jobCount == first.jobCount)
    }
    #expect(try counting(seed: 8, faults).hash != first.hash)
  }

  @Test(arguments: seeds(20))
  func `clients connect again after any faults`(seed: UInt64) throws {
    let faults: [SimulatedFault] = [.network(.frequent), .crashes(.frequent), .clockSkew]
    try counting(seed: seed, for: .seconds(300), faults) { counters, world in
      world.eventually("all are connected", within: .seconds(1_200), afterFaultsStop: true) {
        counters.allSatisfy { $0.program?.isConnected == true }
      }
    }
  }

  @Test func `a condition that does not hold is reported with its seed and its story`() {
    do {
      try counting(seed: 3) { counters, world in
        world.always("nobody receives a 5") {
          counters.allSatisfy { $0.last != 5 }
        }
      }
      Issue.record("nothing was found")
    } catch let failure as SimulationFailure {
      #expect(failure.problem == .violated("nobody receives a 5"))
      #expect(failure.seed == 3)
      #expect(failure.story.map(\.text).contains("client 2 starts"))
      #expect("\(failure)".hasPrefix(#"Seed 3: "nobody receives a 5" does not hold."#))
    } catch {
      Issue.record(error)
    }
  }

  @Test func `timers, schedulers and tasks of a host follow the clock of the simulation`() throws {
    final class Program: @unchecked Sendable {
      // Used on the thread of the simulation alone.
      var log: [String] = []
      let bag = DisposeBag()
      init() {
        let start = Date(timeIntervalSince1970: 1_767_225_600)
        let note: @Sendable (String) -> Void = { [weak self] name in
          let seconds = Int(MainScheduler.instance.now.timeIntervalSince(start))
          self?.log.append("\(name) \(seconds)")
        }
        Observable<Int>.timer(.seconds(1), scheduler: MainScheduler.instance)
          .subscribe(onNext: { _ in note("main") })
          .disposed(by: bag)
        Observable<Int>.timer(
          .seconds(2), scheduler: ConcurrentDispatchQueueScheduler(qos: .default)
        )
        .observe(on: SerialDispatchQueueScheduler(qos: .utility))
        .subscribe(onNext: { _ in note("queue") })
        .disposed(by: bag)
        Observable<Int>.timer(.seconds(3), scheduler: EffectContext.clock)
          .subscribe(onNext: { _ in note("clock") })
          .disposed(by: bag)
        Task {
          try await EffectContext.sleep(.seconds(4))
          note("task")
          await Task.detached { note("detached") }.value
        }
      }
    }
    var log: [String] = []
    try Simulation(seed: 1, for: .seconds(5)) { world in
      let host = world.host("program") { _ in Program() }
      world.eventually("all has run", within: .seconds(5)) {
        log = host.log ?? []
        return log.count == 5
      }
    }
    #expect(log == ["main 1", "queue 2", "clock 3", "task 4", "detached 4"])
  }

  // The compiler leaves out such calls only when it optimizes, and a seed has one hash in all builds.
  @Test func `the tasks of a host run one after the other until they wait`() throws {
    final class Program: @unchecked Sendable {
      // Used on the thread of the simulation alone.
      var log: [Int] = []
      init() {
        for number in 1...3 {
          Task {
            for _ in 0..<3 { await note(number) }
            await Task.yield()
            await note(-number)
          }
        }
      }
      @concurrent func note(_ number: Int) async { log.append(number) }
    }
    var log: [Int] = []
    try Simulation(seed: 1, for: .seconds(1)) { world in
      let host = world.host("program") { _ in Program() }
      world.eventually("all have ended", within: .seconds(1)) {
        log = host.log ?? []
        return log.count == 12
      }
    }
    let blocks = log.filter { $0 > 0 }.reduce(into: [Int]()) { blocks, number in
      if blocks.last != number { blocks.append(number) }
    }
    #expect(blocks.count == 3, "\(log)")
  }

  @Test func `a program that does not start, and one without an end, are named`() {
    struct Refused: Error {}
    #expect(
      performing: {
        try Simulation(seed: 1, for: .seconds(5)) { world in
          world.host("program") { _ -> Int in throw Refused() }
        }
      },
      throws: { error in
        (error as? SimulationFailure)?.problem == .thrown("program: Refused()")
      })
    #expect(
      performing: {
        try Simulation(seed: 1, for: .seconds(5)) { world in
          world.host("program") { _ in
            SerialDispatchQueueScheduler(qos: .default)
              .scheduleRecursive(0) { number, again in again(number + 1) }
          }
        }
      },
      throws: { error in
        (error as? SimulationFailure)?.problem == .endless(host: "program", at: .zero)
      })
  }

  @Test func `a timer without a period is named`() {
    #expect(
      performing: {
        try Simulation(seed: 1, for: .seconds(5)) { world in
          world.host("program") { _ in
            Observable<Int>.interval(.seconds(0), scheduler: MainScheduler.instance).subscribe()
          }
        }
      },
      throws: { error in
        guard case .endless("program", _)? = (error as? SimulationFailure)?.problem else {
          return false
        }
        return true
      })
  }

  @Test func `a program that crashes its own host ends after its job`() throws {
    final class Program: @unchecked Sendable {
      // Used on the thread of the simulation alone.
      let number: Int
      init(_ number: Int) { self.number = number }
    }
    var starts: [Int] = []
    try Simulation(seed: 1, for: .seconds(30)) { world in
      world.host("server") { _ in try Echo() }
      var crash = {}
      let phone = world.host("phone") { context in
        // In its start, too.
        if context.starts == 1 { crash() }
        return Program(context.starts)
      }
      crash = { phone.crash() }
      world.after(.seconds(1)) { phone.startProgram() }
      world.after(.seconds(2)) {
        phone.perform { _ in
          phone.crash()
          _ = WebSocket.connect(to: "ws://server:8080/")
        }
      }
      world.after(.seconds(3)) { phone.startProgram() }
      world.after(.seconds(4)) {
        phone.perform { _ in
          let socket = WebSocket.connect(to: "ws://server:8080/")
          _ = socket.states.subscribe(onNext: { state in
            if state == .connected { phone.losePower() }
          })
        }
      }
      for time in [500, 1_500, 2_500, 3_500, 6_000] {
        world.after(.milliseconds(time)) { starts.append(phone.program?.number ?? 0) }
      }
    }
    #expect(starts == [0, 2, 0, 3, 0])
  }

  @Test func `a condition has no more time than the simulation`() {
    #expect(
      performing: {
        try counting(seed: 1, for: .seconds(5)) { _, world in
          world.eventually("never", within: .seconds(60)) { false }
        }
      },
      throws: { error in
        (error as? SimulationFailure)?.problem == .missed("never", within: .seconds(5))
      })
  }

  @Test func `two hosts of one name are a failure`() {
    #expect(
      performing: {
        try Simulation(seed: 1, for: .seconds(5)) { world in
          for _ in 1...2 { world.host("phone") { _ in 0 } }
        }
      },
      throws: { error in
        (error as? SimulationFailure)?.problem
          == .thrown("Two hosts have the name \"phone\", by which others connect.")
      })
  }

  @Test func `a server is reached at the addresses on which it listens`() throws {
    final class Caller: @unchecked Sendable {
      // Used on the thread of the simulation alone.
      var result: String?
      let bag = DisposeBag()
      init(_ url: String) {
        let socket = WebSocket.connect(to: url)
        socket.messages.take(1)
          .subscribe(
            onNext: { [weak self] in self?.result = $0.text },
            onError: { [weak self] in self?.result = "\($0)" }
          )
          .disposed(by: bag)
        socket.states.filter { $0 == .connected }
          .subscribe(onNext: { [weak socket] _ in try? socket?.send("hello") })
          .disposed(by: bag)
      }
    }
    var results: [String?] = []
    try Simulation(seed: 1, for: .seconds(10)) { world in
      world.host("open") { _ in try Echo() }
      world.host("closed") { _ in try Echo(on: "127.0.0.1") }
      world.host("named") { _ in try Echo(on: "named") }
      let callers = ["open", "closed", "named"].map { name in
        world.host("caller of \(name)") { _ in Caller("ws://\(name):8080/") }
      }
      let own = world.host("own") { _ in (try Echo(on: "localhost"), Caller("ws://localhost:8080/"))
      }
      world.eventually("all have an answer", within: .seconds(10)) {
        results = callers.map { $0.program?.result } + [own.program?.1.result]
        return !results.contains(nil)
      }
    }
    #expect(results[0] == "hello" && results[2] == "hello" && results[3] == "hello")
    #expect(results[1]?.contains("refused the connection") == true, "\(results)")
    #expect(
      performing: {
        try Simulation(seed: 1, for: .seconds(1)) { world in
          world.host("server") { _ in try Echo(on: "10.1.2.3") }
        }
      },
      throws: { "\($0)".contains("no address found for 10.1.2.3: server has no such address") })
  }

  @Test func `an error that nothing handles is in the story with its host`() throws {
    struct Broken: Error {}
    let simulation = try Simulation(seed: 1, for: .seconds(1), keepsStory: true) { world in
      world.host("program") { _ in Observable<Int>.error(Broken()).subscribe() }
    }
    #expect(
      simulation.story.map(\.text).contains("program: an error that nothing handles: Broken()"))
  }

  @Test func `a host that is gone refuses, and one that does not exist has no address`() throws {
    final class Caller: @unchecked Sendable {
      // Used on the thread of the simulation alone.
      var errors: [any Error] = []
      let bag = DisposeBag()
      init(_ url: String) {
        WebSocket.connect(to: url).messages.subscribe(onError: { [weak self] in
          self?.errors.append($0)
        })
        .disposed(by: bag)
      }
    }
    try Simulation(seed: 1, for: .seconds(200)) { world in
      let server = world.host("server") { _ in try Echo() }
      let wrongPort = world.host("wrong port") { _ in Caller("ws://server:1/") }
      let wrongName = world.host("wrong name") { _ in Caller("ws://serve:8080/") }
      world.after(.seconds(1)) { server.losePower() }
      let late = world.host("late") { _ in Caller("ws://server:8080/") }
      world.after(.seconds(2)) {
        late.crash()
        late.startProgram()
      }
      world.eventually("all have failed", within: .seconds(200)) {
        [wrongPort, wrongName, late].allSatisfy { ($0.errors ?? []).count == 1 }
      }
    }
  }
}
