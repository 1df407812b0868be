import Compose
import Foundation
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

private enum NicknameKey: DependencyKey {
  static let liveValue: String? = "live"
  static func testValue(in test: RunningTest) -> String?? { .some("test") }
}

private enum ListKey: DependencyKey {
  static let liveValue = EventRecorder<String>()
  static func testValue(in test: RunningTest) -> EventRecorder<String>? { EventRecorder() }
}

/// A value that is made while another thread reads it.
private enum SlowKey: DependencyKey {
  static let calls = Atomic(0)
  static let isRead = DispatchSemaphore(value: 0)
  static let liveValue = 0

  static func testValue(in test: RunningTest) -> Int? {
    isRead.waitInTime()
    return calls.wrappingAdd(1, ordering: .relaxed).newValue
  }
}

private enum CircularKey: DependencyKey {
  static let liveValue = "live"

  static func testValue(in test: RunningTest) -> String? {
    "test, \(Dependencies.current[CircularKey.self])"
  }
}

enum TokenKey: DependencyKey {
  static let liveValue: LiveToken? = nil
  static func testValue(in test: RunningTest) -> LiveToken?? { .some(nil) }
}

extension Dependencies {
  fileprivate var nickname: String? {
    get { self[NicknameKey.self] }
    set { self[NicknameKey.self] = newValue }
  }

  fileprivate var list: EventRecorder<String> { self[ListKey.self] }

  var token: LiveToken? {
    get { self[TokenKey.self] }
    set { self[TokenKey.self] = newValue }
  }
}

/// Logs the name that it finds wherever a dependency can be read.
private final class Reader: Composer, EffectFailureHandling {
  enum Action: Equatable { case read, note(String) }
  struct State: Equatable { var log: Set<String> = [] }

  final class Listener: Middleware {
    func didReduce(_ action: Action, _ state: State) -> Observable<Effect<Action>> {
      if case .note = action { return .none }
      return .send(.note("middleware: \(Dependencies.current.name)"))
    }
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  let nameAtInit = Dependencies.current.name
  let middleware: [any Middleware<State, Action>] = [Listener()]

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .note(let text):
      state.log.insert(text)
      return .none
    case .read:
      state.log.formUnion(["init: \(nameAtInit)", "reducer: \(Dependencies.current.name)"])
      return .concatenate(
        .run { $0.onNext(.send(.note("run: \(Dependencies.current.name)"))) },
        .decide { (_: State) in [.note("decide: \(Dependencies.current.name)")] },
        .run(.error(Failure()))
      )
    }
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    let name = Dependencies.current.name
    StateEffect(id: 1) {
      .group(.note("stateEffects: \(name)"), .note("StateEffect: \(Dependencies.current.name)"))
    }
  }

  func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>> {
    .send(.note("effectFailed: \(Dependencies.current.name)"))
  }

  static func log(_ name: String) -> Set<String> {
    let places = [
      "init", "reducer", "run", "decide", "stateEffects", "StateEffect", "effectFailed",
      "middleware",
    ]
    return Set(places.map { "\($0): \(name)" })
  }
}

@Suite("Dependencies", .workerPool)
struct DependenciesTests {
  let time = VirtualTime()

  @MainActor
  private final class Owner { @Compose({ $0.name = "main" }) var composer = Reader() }

  @Test func `a composer reads a dependency in its init, its reducer and its effects`() {
    let reader = Composed(sending: Reader(), on: .virtual(time)) { $0.name = "injected" }
    reader.send(.read)
    time.settle()
    #expect(reader.state.log == Reader.log("injected"))
  }

  @MainActor
  @Test func `@Compose injects dependencies into the composer that it creates`() {
    let owner = time.run { Owner() }
    owner.composer.action.accept(.read)
    time.settle()
    #expect(owner.composer.state.log == Reader.log("main"))
  }

  @MainActor
  @Test func `composers that are bound in virtual time have its dependencies`() {
    let time = VirtualTime { $0.name = "virtual" }
    let screen = time.run { Screen(Reader()) }
    screen.composer.action.accept(.read)
    time.settle()
    #expect(screen.composer.state.log == Reader.log("virtual"))
  }

  @Test func `a composer on a virtual executor has the dependencies of its time`() {
    let time = VirtualTime { $0.name = "virtual" }
    let handle = Composed(
      sending: ClosureComposer { _, state, _ in
        state.log.append(Dependencies.current.name)
        return .none
      }, on: .virtual(time))
    handle.send(.go)
    #expect(handle.state.log == ["virtual"])
  }

  @Test func `a composer that is injected into on a virtual executor counts in its time`() {
    for count in 1...2 {
      let handle = Composed(
        sending: ClosureComposer { _, state, _ in
          state.log = [Dependencies.current.name, Dependencies.current.uuid().uuidString]
          return .none
        }, on: .virtual(time)
      ) { $0.name = "injected" }
      handle.send(.go)
      #expect(handle.state.log == ["injected", UUID.counted(UInt64(count)).uuidString])
    }
  }

  @Test func `a composer that another one binds inherits its dependencies`() {
    let found = EventRecorder<String>()
    let parent = Composed(
      sending: ClosureComposer { _, _, _ in
        let bound = Composed(
          sending: ClosureComposer { _, _, _ in
            found.append(Dependencies.current.name)
            return .none
          })
        bound.send(.go)
        return .run { _ in found.append(Reader().nameAtInit) }
      }, on: .virtual(time)
    ) { $0.name = "parent" }
    parent.send(.go)
    time.settle()
    #expect(found.events == ["parent", "parent"])
  }

  @Test func `Dependencies.with changes the current dependencies inside its closure only`() {
    Dependencies.with {
      $0.name = "outer"
    } run: {
      Dependencies.with {
        $0.name += ", inner"
      } run: {
        #expect(Dependencies.current.name == "outer, inner")
      }
      #expect(Dependencies.current.name == "outer")
    }
    #expect(Dependencies.current.name == "test")
    #expect(throws: Failure.self) { try Dependencies.with({ _ in }, run: { throw Failure() }) }
  }

  @MainActor
  @Test func `Dependencies.with inside a reducer keeps the composer's effects and ids`() {
    let screen = time.run {
      Screen(
        ClosureComposer { _, state, action in
          if action == .stop { return .cancel(id: 1) }
          state.count += 1
          return Dependencies.with {
            $0.name = "changed"
          } run: {
            #expect(Dependencies.current.name == "changed")
            return .interval(.send(.tick), period: .seconds(1)).cancellable(id: 1)
          }
        })
    }
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(5))
    #expect(screen.composer.state.count == 1)
  }

  @Test func `an optional dependency can be nil`() {
    #expect(Dependencies.current.nickname == "test")
    Dependencies.with {
      $0.nickname = nil
    } run: {
      #expect(Dependencies.current.nickname == nil)
    }
  }

  @Test func `a test has one value of a dependency for all its composers`() {
    let times = [VirtualTime(), VirtualTime()]
    for time in times { time.run { Dependencies.current.list.append("a") } }
    for time in times { time.run { Dependencies.current.list.append("b") } }
    for time in times { #expect(time.run { Dependencies.current.list.events } == ["a", "b"]) }
    let test = TestComposer(ClosureComposer { _, _, _ in .none }, in: times[0]) {
      #expect($0.list.events == ["a", "b"])
    }
    test.finish()
  }

  @Test func `two threads that read a dependency of a test receive one value`() async {
    let dependencies = VirtualTime().run { Dependencies.current }
    async let first = onThread { dependencies[SlowKey.self] }
    async let second = onThread {
      SlowKey.isRead.signal()
      return dependencies[SlowKey.self]
    }
    #expect(await [first, second] == [1, 1])
  }

  @Test func `a dependency whose value reads itself fails the test`() {
    withKnownIssue {
      let value = VirtualTime().run { Dependencies.current[CircularKey.self] }
      if value == "test, live" { return }
      #expect(Bool(false), "The value is \(value).")
    } matching: {
      $0.description.contains("CircularKey.testValue(in:) reads CircularKey")
    }
  }

  @Test func `the clock of a composer is its executor's unless another one is injected`() {
    let executor = QueueExecutor(DispatchQueue(label: "clock"))
    for (isInjected, expected) in [
      (false, executor.scheduler as AnyObject), (true, time.scheduler as AnyObject),
    ] {
      let found = EventRecorder<ObjectIdentifier>()
      let reader = Composed(
        sending: ClosureComposer { _, _, _ in
          found.append(ObjectIdentifier(Dependencies.current.clock as AnyObject))
          found.append(ObjectIdentifier(EffectContext.clock as AnyObject))
          return .none
        }, on: .callerRunsWith(executor)
      ) { if isInjected { $0.clock = time.scheduler } }
      reader.send(.go)
      #expect(found.events == [ObjectIdentifier(expected), ObjectIdentifier(expected)])
    }
  }

  @Test func `an injected clock drives the effects of a composer`() {
    let handle = Composed(
      sending: ClosureComposer { _, state, action in
        if action == .go { return .interval(.send(.tick), period: .seconds(1)) }
        state.count += 1
        return .none
      }
    ) { $0.clock = time.scheduler }
    handle.send(.go)
    time.advance(by: .seconds(3))
    #expect(handle.state.count == 3)
  }

  @Test func `now is the date of the clock`() {
    time.run { #expect(Dependencies.current.now == Date(timeIntervalSinceReferenceDate: 0)) }
    time.advance(by: .seconds(5))
    time.run { #expect(Dependencies.current.now == Date(timeIntervalSinceReferenceDate: 5)) }
  }

  @Test func `random numbers and UUIDs are the same in each test`() {
    func draw() -> [UInt64] {
      VirtualTime().run { (0..<3).map { _ in Dependencies.current.random.next() } }
    }
    #expect(draw() == draw())
    #expect(Set(draw()).count == 3)
    for _ in 1...2 {
      let ids = VirtualTime().run { (0..<2).map { _ in Dependencies.current.uuid() } }
      #expect(ids == [.counted(1), .counted(2)])
    }
    #expect(UUID.counted(1).uuidString == "00000000-0000-0000-0000-000000000001")
  }

  @Test func `injected dependencies are released with the composer and its effects`() {
    let alive = LiveCount()
    do {
      let handle = Composed(
        sending: ClosureComposer { _, _, _ in .interval(.send(.tick), period: .seconds(1)) },
        on: .virtual(time)
      ) { $0.token = LiveToken(alive) }
      handle.send(.go)
      #expect(alive.count == 1)
    }
    #expect(alive.count == 0)
  }
}

/// Reduces on the sender's thread, with the clock of another executor.
private final class BorrowedClock: ComposeExecutor {
  let scheduler: any SchedulerType
  let isCurrent = true

  init(_ scheduler: any SchedulerType) { self.scheduler = scheduler }

  func enqueue(_ job: @escaping @Sendable () -> Void) { job() }
}

extension ComposeExecutor where Self == BorrowedClock {
  fileprivate static func callerRunsWith(_ other: some ComposeExecutor) -> BorrowedClock {
    BorrowedClock(other.scheduler)
  }
}
