import Compose
import Dispatch
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("ComposableState", .workerPool(limit: 300))
struct ComposableStateTests {
  @Test func `observable skips steps without a change, and states delivers all steps`() {
    let screen = Screen(
      ClosureComposer { _, state, action in
        if case .number(let number) = action { state.count = number }
        return .none
      }
    )
    let (changes, steps) = (EventRecorder<Int>(), EventRecorder<Int>())
    let bag = DisposeBag()
    screen.composer.$state.observable.drive(onNext: { changes.append($0.count) }).disposed(by: bag)
    screen.composer.$state.states.subscribe(onNext: { steps.append($0.count) }).disposed(by: bag)
    for _ in 0..<10 { screen.composer.action.accept(.other) }
    screen.composer.action.accept(.number(1))
    #expect(changes.events == [0, 1])
    #expect(steps.events.count == 12)
  }

  @Test func `select delivers a part of the state when the part changes`() {
    let screen = Screen(
      ClosureComposer { _, state, action in
        state.log.append("x")
        if case .number(let number) = action { state.count = number }
        return .none
      }
    )
    let counts = EventRecorder<Int>()
    let bag = DisposeBag()
    screen.composer.$state.select(\.count).drive(onNext: { counts.append($0) }).disposed(by: bag)
    for number in [0, 1, 1, 2] { screen.composer.action.accept(.number(number)) }
    #expect(counts.events == [0, 1, 2])
  }

  @Test func `a slow reader of values receives the newest state`() async {
    let screen = Screen(
      ClosureComposer { _, state, _ in
        state.count += 1
        return .none
      }
    )
    var counts: [Int] = []
    for await state in screen.composer.$state.values {
      counts.append(state.count)
      if state.count == 3 { break }
      for _ in 0..<3 where state.count == 0 { screen.composer.action.accept(.go) }
    }
    #expect(counts == [0, 3])
  }

  @Test func `observable delivers every step of a state that is not Equatable`() {
    let screen = Screen(Plain())
    let count = EventRecorder<Int>()
    let bag = DisposeBag()
    screen.composer.$state.observable.drive(onNext: { count.append($0.count) }).disposed(by: bag)
    for _ in 0..<3 { screen.composer.action.accept(.go) }
    #expect(count.events == [0, 0, 0, 0])
  }

  @Test func `a write of an observer is kept, and the next action changes it`() {
    let screen = Screen(
      ClosureComposer { _, state, _ in
        state.count += 1
        return .none
      }
    )
    let bag = DisposeBag()
    let state = screen.composer.$state
    state.states.subscribe(onNext: { if $0.count == 1 { state.wrappedValue.count = 10 } })
      .disposed(by: bag)
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.count == 11)
  }

  @Test func `a write of another thread during a step is applied after the step`() async {
    let screen = Screen(
      ClosureComposer { probe, state, _ in
        let box = probe.$state
        let written = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
          box.wrappedValue = ClosureComposer.State(count: 100)
          written.signal()
        }
        written.waitInTime()
        state.count += 1
        return .none
      }
    )
    let counts = EventRecorder<Int>()
    let bag = DisposeBag()
    screen.composer.$state.states.subscribe(onNext: { counts.append($0.count) }).disposed(by: bag)
    screen.composer.action.accept(.go)
    #expect(counts.events == [0, 1, 100])
  }

  @Test func `no write of another thread is lost while the composer reduces`() async {
    struct Marked: Sendable { var writes = 0 }
    final class Marking: Composer {
      enum Action { case go }
      @ComposableState var state = Marked()
      var action = PublishRelay<Action>()
      var disposeBag = DisposeBag()
      func reducer(_ state: inout Marked, _ action: Action) -> Observable<Effect<Action>> { .none }
    }
    let screen = Screen(Marking())
    let (box, seen) = (screen.composer.$state, Locked(0))
    let subscription = box.states.subscribe(onNext: { state in
      seen.withLock { $0 = max($0, state.writes) }
    })
    let writer = Task.detached {
      for number in 1...20_000 { box.wrappedValue = Marked(writes: number) }
    }
    for _ in 0..<20_000 { screen.composer.action.accept(.go) }
    await writer.value
    // The last write is kept, whichever actions were reduced during it.
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.writes == 20_000)
    #expect(seen.withLock { $0 } == 20_000)
    subscription.dispose()
  }

  final class Plain: Composer {
    enum Action { case go }
    struct State { var count = 0 }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .none }
  }
}

@MainActor
@Suite("ComposableState.present", .workerPool)
struct ComposableStatePresentTests {
  func screen() -> Screen<ClosureComposer> {
    Screen(
      ClosureComposer { _, state, action in
        switch action {
        case .present(let text): state.alert = text
        case .number(let number):
          state = ClosureComposer.State()
          state.alert = "fresh \(number)"
        case .stop: state = ClosureComposer.State()
        default: state.count += 1
        }
        return .none
      }
    )
  }

  func presented(_ screen: Screen<ClosureComposer>, _ bag: DisposeBag) -> EventRecorder<String?> {
    let notes = EventRecorder<String?>()
    screen.composer.$state.present(\.$alert).drive(onNext: { notes.append($0) }).disposed(by: bag)
    return notes
  }

  @Test func `a value is presented each time it is written, also an equal value`() {
    let (screen, bag) = (screen(), DisposeBag())
    let notes = presented(screen, bag)
    for action in [ClosureComposer.Action.present("A"), .present("A"), .other, .present("B")] {
      screen.composer.action.accept(action)
    }
    #expect(notes.events == [nil, "A", "A", "B"])
  }

  @Test func `a value is presented after the whole state was replaced`() {
    let (screen, bag) = (screen(), DisposeBag())
    let notes = presented(screen, bag)
    for action in [ClosureComposer.Action.number(1), .number(2), .stop] {
      screen.composer.action.accept(action)
    }
    #expect(notes.events == [nil, "fresh 1", "fresh 2", nil])
  }

  @Test func `a presented value is not presented again to a later observer`() {
    let (screen, bag) = (screen(), DisposeBag())
    let first = presented(screen, bag)
    screen.composer.action.accept(.present("A"))
    let second = presented(screen, bag)
    screen.composer.action.accept(.present("B"))
    #expect(first.events == [nil, "A", "B"])
    #expect(second.events == ["B"])
  }

  @Test func `a value that no observer has received is presented to the first observer`() {
    let (screen, bag) = (screen(), DisposeBag())
    screen.composer.action.accept(.present("early"))
    #expect(presented(screen, bag).events == ["early"])
    #expect(presented(screen, bag).events == [])
  }

  @Test func `a value is presented to each of two observers`() {
    let (screen, bag) = (screen(), DisposeBag())
    let (first, second) = (presented(screen, bag), presented(screen, bag))
    screen.composer.action.accept(.present("A"))
    #expect(first.events == [nil, "A"])
    #expect(second.events == [nil, "A"])
  }

  @Test func `the value of a child that may be absent is presented while the child is there`() {
    let screen = Screen(Outer())
    let bag = DisposeBag()
    let notes = EventRecorder<String?>()
    screen.composer.$state.present(\.inner?.$alert).drive(onNext: { notes.append($0) })
      .disposed(by: bag)
    screen.composer.action.accept("")
    #expect(notes.events == [nil])
    for text in ["A", "A", nil, "", "B"] { screen.composer.action.accept(text) }
    #expect(notes.events == [nil, "A", "A", nil, "B"])
  }

  private final class Outer: Composer {
    struct Inner { @PresentState var alert: String? }
    struct State { var inner: Inner? }
    @ComposableState var state = State()
    var action = PublishRelay<String?>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ alert: String?) -> Observable<Effect<String?>> {
      switch alert {
      case nil: state.inner = nil
      case "": state.inner = Inner()
      case let alert: state.inner?.alert = alert
      }
      return .none
    }
  }

  @Test func `states with equal presented values are equal`() {
    var (first, second) = (ClosureComposer.State(), ClosureComposer.State())
    first.alert = "A"
    #expect(first != second)
    second.alert = "A"
    #expect(first == second)
  }
}
