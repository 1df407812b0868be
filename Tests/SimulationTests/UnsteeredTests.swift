import Foundation
import ReactiveTesting
import TestSupport
import Testing

/// What a simulation does not decide is found and named.
@Suite("What a simulation cannot steer", .workerPool)
struct UnsteeredTests {
  private final class Tally: Composer {
    @ComposableState var state = 0
    var action = PublishRelay<Int>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout Int, _ action: Int) -> Observable<Effect<Int>> {
      state += action
      return .none
    }
  }

  @Test(arguments: [true, false])
  func `an action that another thread sends is named`(onMain: Bool) {
    let problem = failure { world in
      world.host("phone") { _ in
        let tally =
          onMain
          ? Composed(sending: Tally(), on: .main) : Composed(sending: Tally(), on: .callerRuns)
        onAnotherThread { tally.send(1) }
        return tally
      }
    }?.problem
    #expect(
      problem == .unsteered(host: "phone", "an action is sent to a composer by another thread"))
    #expect(
      problem.map { "\($0)" } == """
        The simulation does not decide what happens on "phone": \
        an action is sent to a composer by another thread.
        """)
  }

  @Test func `an action that another host or the test itself sends is named`() {
    let byAnotherHost = failure { world in
      let phone = world.host("phone") { _ in Composed(sending: Tally(), on: .main) }
      let other = world.host("other") { _ in 0 }
      world.after(.seconds(1)) { other.perform { _ in phone.program?.send(1) } }
    }
    #expect(
      byAnotherHost?.problem
        == .unsteered(host: "phone", "an action is sent to a composer by another host"))
    let byTest = failure { world in
      let phone = world.host("phone") { _ in Composed(sending: Tally(), on: .main) }
      world.after(.seconds(1)) { phone.program?.send(1) }
    }
    #expect(
      byTest?.problem
        == .unsteered(
          host: "phone", "an action is sent to a composer by code that is not in \"perform\""))
  }

  @Test func `actions by perform, reads by the test, and a pool of threads are steered`() {
    var total = 0
    let failure = failure { world in
      let phones = (1...3).map { number in
        world.host("phone \(number)") { _ in Composed(sending: Tally(), on: .pool) }
      }
      for phone in phones {
        world.after(.seconds(1)) { phone.perform { $0.send(1) } }
        world.after(.seconds(2)) {
          phone.crash()
          phone.startProgram()
        }
        world.after(.seconds(3)) { phone.perform { $0.send(2) } }
      }
      world.after(.seconds(4)) { total = phones.reduce(0) { $0 + ($1.program?.state ?? 0) } }
    }
    #expect(failure?.problem == nil)
    #expect(total == 6)
  }

  @Test func `an element that another thread emits to an observer of a host is named`() {
    let onMain = failure { world in
      world.host("phone") { _ in
        let subject = PublishSubject<Int>()
        let bag = DisposeBag()
        subject.observe(on: SerialDispatchQueueScheduler(qos: .default)).subscribe().disposed(
          by: bag)
        onAnotherThread { subject.onNext(1) }
        return bag
      }
    }
    #expect(
      onMain?.problem
        == .unsteered(
          host: "phone", "an element is emitted to observe(on:) by another thread"))
    let onClock = failure { world in
      world.host("phone") { _ in
        let subject = PublishSubject<Int>()
        let bag = DisposeBag()
        subject.debounce(.seconds(1), scheduler: EffectContext.clock).subscribe().disposed(by: bag)
        onAnotherThread { subject.onNext(1) }
        return bag
      }
    }
    #expect(
      onClock?.problem
        == .unsteered(host: "phone", "a timer is scheduled by another thread"))
  }

  @Test func `a socket that another thread uses is named`() {
    let problem = failure { world in
      world.host("server") { _ in try Echo() }
      world.host("phone") { _ in
        let socket = WebSocket("ws://server:8080/")
        let bag = DisposeBag()
        socket.states.filter { $0 == .connected }.subscribe(onNext: { _ in
          onAnotherThread { try? socket.send("1") }
        })
        .disposed(by: bag)
        socket.connect()
        return bag
      }
    }?.problem
    guard case .unsteered("phone", let what)? = problem else {
      Issue.record("\(String(describing: problem))")
      return
    }
    #expect(what.hasSuffix("by another thread"))
  }

  private actor Sleeper {
    func sleep() async throws { try await Task.sleep(for: .seconds(5)) }
  }

  private final class Waiting: Composer {
    enum Action {
      case sleep, sleepInActor, waitForOther
      /// Waits until the continuation is resumed that the closure receives.
      case wait(@Sendable (CheckedContinuation<Void, Never>) -> Void)
    }
    @ComposableState var state = 0
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout Int, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .sleep:
        return .fireAndForget { try await Task.sleep(for: .seconds(5)) }
      case .sleepInActor:
        return .fireAndForget { try await Sleeper().sleep() }
      case .wait(let receive):
        return .fireAndForget { await withCheckedContinuation { receive($0) } }
      case .waitForOther:
        // No value ever arrives.
        return .fireAndForget { _ = try await Observable<Int>.never().asSingle().value }
      }
    }
  }

  #if os(Linux) && compiler(>=6.3) && compiler(<6.4)
  @Test(arguments: ["task", "actor", "effect"])
  func `a task that sleeps in real time is named`(kind: String) {
    let problem = failure { world in
      world.host("phone") { _ in
        let waiting = Composed(sending: Waiting(), on: .main)
        switch kind {
        case "task": Task { try await Task.sleep(for: .seconds(5)) }
        case "actor": waiting.send(.sleepInActor)
        default: waiting.send(.sleep)
        }
        return waiting
      }
    }?.problem
    #expect(
      problem
        == .unsteered(
          host: "phone",
          "a task sleeps in real time; EffectContext.sleep follows the host's clock"
        ))
  }
  #endif

  @Test func `an effect that another thread continues is named`() {
    let problem = failure { world in
      let phone = world.host("phone") { _ in
        let waiting = Composed(sending: Waiting(), on: .main)
        let continuation = Locked<CheckedContinuation<Void, Never>?>(nil)
        waiting.send(.wait { waiting in continuation.withLock { $0 = waiting } })
        return (waiting, continuation)
      }
      world.after(.seconds(1)) {
        phone.perform { _, continuation in
          onAnotherThread { continuation.withLock { $0.take() }?.resume() }
        }
      }
    }?.problem
    #expect(problem == .unsteered(host: "phone", "a task is continued by another thread"))
  }

  @Test func `operations that have not ended are named when a condition is missed`() {
    let failure = failure { world in
      world.host("phone") { _ in
        let waiting = Composed(sending: Waiting(), on: .main)
        waiting.send(.waitForOther)
        return waiting
      }
      world.eventually("it goes on", within: .seconds(1)) { false }
    }
    #expect(failure?.problem == .missed("it goes on", within: .seconds(1)))
    #expect(failure?.unfinished.count == 1)
    let line = failure?.unfinished.first ?? ""
    #expect(line.hasPrefix("0.000 s  phone: an operation of Waiting"))
    #expect(failure.map { "\($0)".contains("Not ended:\n  \(line)") } == true)
  }

  @Test func `a start that waits for something real is named while it waits`() {
    let reported = DispatchSemaphore(value: 0)
    let line = Locked("")
    let problem = SimulationWatch.$report.withValue({ text in
      line.withLock { $0 = text }
      reported.signal()
    }) {
      failure(patience: .milliseconds(20)) { world in
        world.host("phone") { _ in reported.wait() }
      }?.problem
    }
    let expected = SimulationProblem.unsteered(
      host: "phone",
      "its start waits for something real: it has kept the thread for 0.02 seconds of real time")
    #expect(problem == expected)
    #expect(line.withLock { $0 } == "Simulation of seed 1: \(expected)")
  }

  @Test func `a condition that waits for something real is named while it waits`() {
    let reported = DispatchSemaphore(value: 0)
    let problem = SimulationWatch.$report.withValue({ _ in reported.signal() }) {
      failure(patience: .milliseconds(20)) { world in
        var hasWaited = false
        world.always("nothing waits") {
          if !hasWaited { reported.wait() }
          hasWaited = true
          return true
        }
        world.host("phone") { _ in 0 }
      }?.problem
    }
    #expect(
      problem
        == .unsteered(
          host: nil,
          "a closure or a condition waits for something real: it has kept the thread for 0.02 seconds of real time"
        ))
  }

  @Test func `a socket that the test or another host uses is named`() {
    func using(_ use: @escaping (SimulatedHost<WebSocket>, SimulatedHost<Int>) -> Void)
      -> SimulationProblem?
    {
      failure { world in
        world.host("server") { _ in try Echo() }
        let phone = world.host("phone") { _ in WebSocket.connect(to: "ws://server:8080/") }
        let other = world.host("other") { _ in 0 }
        world.after(.seconds(1)) { use(phone, other) }
      }?.problem
    }
    for use in ["send", "close"] {
      let byTest = using { phone, _ in
        if use == "send" { try? phone.program?.send("x") } else { phone.program?.close() }
      }
      let byOther = using { phone, other in
        other.perform { _ in
          if use == "send" { try? phone.program?.send("x") } else { phone.program?.close() }
        }
      }
      guard case .unsteered("phone", let test)? = byTest,
        case .unsteered("phone", let other)? = byOther
      else {
        Issue.record("\(use): \(String(describing: byTest)), \(String(describing: byOther))")
        continue
      }
      #expect(test.hasSuffix(" by code that is not in \"perform\""))
      #expect(other.hasSuffix(" by another host"))
    }
  }

  private struct CounterKey: DependencyKey {
    static var liveValue: Locked<Int> { Locked(0) }
    static func testValue(in test: RunningTest) -> Locked<Int>? { Locked(0) }
  }

  private struct PlainKey: DependencyKey {
    static let liveValue = 1
  }

  @Test func `each program has its own values of dependencies`() {
    var counts: [Int] = []
    let problem = failure { world in
      for number in 1...2 {
        let host = world.host("phone \(number)") { _ in
          Dependencies.current[CounterKey.self].withLock { count in
            count += 1
            return count
          }
        }
        world.after(.seconds(1)) { host.crash() }
        world.after(.seconds(2)) { host.startProgram() }
        for time in [500, 3_000] {
          world.after(.milliseconds(time)) { counts.append(host.program ?? 0) }
        }
      }
    }?.problem
    #expect(problem == nil)
    #expect(counts == [1, 1, 1, 1])
  }

  @Test func `a dependency without a value for tests that a host does not inject is named`() {
    let problem = failure { world in
      world.host("phone") { _ in Dependencies.current[PlainKey.self] }
    }?.problem
    guard case .unsteered("phone", let text)? = problem else {
      Issue.record("\(String(describing: problem))")
      return
    }
    #expect(text.contains("PlainKey was read, and this test does not inject it."))
  }

  @Test func `a problem of the last job is found`() {
    let problem = failure { world in
      let phone = world.host("phone") { _ in Composed(sending: Tally(), on: .main) }
      world.eventually("an action is sent", within: .seconds(1), afterFaultsStop: true) {
        phone.program?.send(1)
        return true
      }
    }?.problem
    guard case .unsteered("phone", _)? = problem else {
      Issue.record("\(String(describing: problem))")
      return
    }
  }

  @Test func `what is added while the simulation runs is a failure`() {
    for added in ["host", "fault", "condition"] {
      let problem = failure { world in
        world.host("phone") { _ in 0 }
        world.after(.seconds(1)) {
          switch added {
          case "host": world.host("late") { _ in 0 }
          case "fault": world.faults(.clockSkew)
          default: world.eventually("it holds", within: .seconds(1)) { true }
          }
        }
      }?.problem
      guard case .thrown(let text)? = problem else {
        Issue.record("\(String(describing: problem))")
        continue
      }
      #expect(text.contains(" is added while the simulation runs. "))
    }
  }

  @Test func `random numbers of the system are found by a second run`() {
    /// Sends numbers of six digits, which `draw` returns.
    func sending(_ draw: @escaping () -> Int) -> SimulationFailure? {
      do throws(SimulationFailure) {
        try Simulation.twice(seed: 1, for: .seconds(60)) { world in
          world.host("server") { _ in try Echo() }
          let phone = world.host("phone") { _ in Counter() }
          world.every(.seconds(1)...(.seconds(2))) { _ in
            phone.perform { try? $0.socket.send(.text("\(draw())")) }
          }
        }
        return nil
      } catch { return error }
    }
    let problem = sending { Int.random(in: 100_000...999_999) }?.problem
    guard case .differs(_, let first, let second)? = problem else {
      Issue.record("\(String(describing: problem))")
      return
    }
    #expect(first.contains("phone, "))
    #expect(second == first + ", with other data")
    let steered = sending {
      var random = RandomSource.system
      return Int.random(in: 100_000...999_999, using: &random)
    }
    #expect(steered?.problem == nil)
  }

  @Test func `another number of hosts is found by a second run`() {
    var count = 5
    let problem: SimulationProblem?
    do throws(SimulationFailure) {
      try Simulation.twice(seed: 1, for: .seconds(1)) { world in
        for number in 1...count { world.host("phone \(number)") { _ in 0 } }
        count = 1
      }
      problem = nil
    } catch { problem = error.problem }
    guard case .differs? = problem else {
      Issue.record("\(String(describing: problem))")
      return
    }
  }

  @Test func `jobs in another order are found by a second run`() {
    var runs = 0
    let problem: SimulationProblem?
    do throws(SimulationFailure) {
      try Simulation.twice(seed: 1, for: .seconds(10)) { world in
        runs += 1
        let late = runs == 2
        world.host("phone") { _ in
          MainScheduler.instance.scheduleRelative((), dueTime: .seconds(late ? 3 : 2)) { _ in
            Disposables.create()
          }
        }
      }
      problem = nil
    } catch { problem = error.problem }
    let (first, second) = ("2.000 s  phone, main queue", "3.000 s  phone, main queue")
    #expect(problem == .differs(job: 3, first: first, second: second))
  }

  /// An object that an operation keeps.
  private final class Kept: Sendable {}

  @Test func `an operation whose host crashes while it waits for its turn is released`() throws {
    weak var kept: Kept?
    weak var system: HostSystem?
    try Simulation(seed: 1, for: .seconds(30)) { world in
      let phone = world.host("phone") { _ in
        let waiting = Composed(sending: Waiting(), on: .main)
        let object = Kept()
        (kept, system) = (object, HostSystem.current)
        waiting.send(
          .wait { continuation in withExtendedLifetime(object) { continuation.resume() } })
        Task { withExtendedLifetime(object) {} }
        return waiting
      }
      world.always("it crashes at once") {
        if phone.program != nil { phone.crash() }
        return true
      }
    }
    #expect(kept == nil && system == nil)
  }

  @Test func `a simulation that has ended keeps no memory of its hosts`() throws {
    weak var system: HostSystem?
    weak var program: Echo?
    try Simulation(seed: 1, for: .seconds(30)) { world in
      world.faults(.network(.frequent), .crashes(.frequent))
      world.host("server") { _ in
        let echo = try Echo()
        (system, program) = (HostSystem.current, echo)
        return echo
      }
      world.host("client") { _ in Counter() }
      world.after(.seconds(1)) {
        #expect(system != nil)
        #expect(program != nil)
      }
    }
    #expect(system == nil)
    #expect(program == nil)
  }
}
