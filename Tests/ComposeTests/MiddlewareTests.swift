import Compose
import Dispatch
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Middleware", .workerPool(limit: 300))
struct MiddlewareTests {
  enum Action: Equatable { case add(Int), secret, secrets, loud, start, stop, received(Int) }

  struct State: Equatable {
    var sum = 0
    var received: [Int] = []
  }

  final class Counter: Composer {
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let middleware: [any Middleware<State, Action>]

    init(_ middleware: [any Middleware<State, Action>]) { self.middleware = middleware }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .add(let number): state.sum += number
      case .received(let number): state.received.append(number)
      case .stop: return .cancelAll
      case .secrets: return .group(.secret, .secret)
      default: break
      }
      return .none
    }
  }

  /// Records the actions, drops `secret`, replaces `loud` by 100, and counts seconds from
  /// `start` on.
  final class Watching: Middleware {
    let seen = EventRecorder<String>()
    let scheduler: (any ImmediateSchedulerType)?

    init(on scheduler: (any ImmediateSchedulerType)? = nil) { self.scheduler = scheduler }

    func willReduce(_ action: Action, _ state: State) -> Action? {
      switch action {
      case .secret: nil
      case .loud: .add(100)
      default: action
      }
    }

    func didReduce(_ action: Action, _ state: State) -> Observable<Effect<Action>> {
      seen.append("\(action) \(state.sum)")
      return switch action {
      case .add(7): .send(.received(7))
      case .add(13): .cancel(id: "ticks")
      case .add(-1): .cancelAll
      case .start:
        Observable.interval(.send(.received(1)), period: .seconds(1)).cancellable(id: "ticks")
      default: .none
      }
    }

    func didChange(_ change: String, _ state: State) -> Observable<Effect<Action>> {
      seen.append("\(change) \(state.sum)")
      return state.sum == 7 ? .send(.received(1)) : .none
    }
  }

  struct Failure: Error {}

  let time = VirtualTime()
  let watching = Watching()

  func screen() -> Screen<Counter> { time.run { Screen(Counter([watching])) } }

  func send(_ actions: Action..., to screen: Screen<Counter>) {
    for action in actions { screen.composer.action.accept(action) }
  }

  @Test func `middleware receives every action with the state after it`() {
    let screen = screen()
    send(.add(1), .add(2), to: screen)
    #expect(watching.seen.events == ["add(1) 1", "add(2) 3"])
  }

  @Test func `middleware receives changes without an action`() {
    let screen = screen()
    screen.composer.controlProperty(\.sum).onNext(5)
    screen.composer.controlProperty(\.sum).onNext(7)
    send(.add(1), to: screen)
    #expect(
      watching.seen.events == [#"\State.sum 5"#, #"\State.sum 7"#, "received(1) 7", "add(1) 8"])
    #expect(screen.composer.state.received == [1])
  }

  @Test func `the failed effect of a change is reported with the change`() {
    final class Failing: Middleware {
      func didChange(_ change: String, _ state: State) -> Observable<Effect<Action>> {
        .run(.error(Failure()))
      }
    }
    let test = TestComposer(Counter([Failing()]))
    withKnownIssue {
      test.composer.controlProperty(\.sum).onNext(5)
      test.settle()
    } matching: {
      $0.description.contains(#"An effect of Counter for \State.sum failed with Failure()"#)
    }
    test.receiveChange(#"\State.sum"#) { $0.sum = 5 }
    test.finish()
  }

  @Test func `middleware drops, changes and adds actions`() {
    let screen = screen()
    send(.secret, .loud, .add(7), to: screen)
    #expect(watching.seen.events == ["add(100) 100", "add(7) 107", "received(7) 107"])
    #expect(screen.composer.state == State(sum: 107, received: [7]))
  }

  @Test func `actions that middleware drops make no step, alone or as a group`() {
    let screen = screen()
    let (published, steps) = (EventRecorder<Int>(), EventRecorder<Int>())
    let bag = DisposeBag()
    screen.composer.$state.states.subscribe(onNext: { published.append($0.sum) }).disposed(by: bag)
    screen.composer.trace.compactMap(\.step).subscribe(onNext: { steps.append($0.number) })
      .disposed(by: bag)
    send(.secret, .secrets, .add(1), to: screen)
    // The action that sent the group is among them.
    #expect(published.events == [0, 0, 1])
    #expect(steps.events == [1, 2])
  }

  @Test func `middleware that holds the composer's relay is released with the composer`() {
    final class Sending: Middleware {
      let actions: PublishRelay<Action>
      let token: LiveToken
      init(_ actions: PublishRelay<Action>, _ liveCount: LiveCount) {
        (self.actions, token) = (actions, LiveToken(liveCount))
      }
      func didReduce(_ action: Action, _ state: State) -> Observable<Effect<Action>> {
        if action == .start { actions.accept(.add(5)) }
        return .none
      }
    }
    final class Held: Composer {
      @ComposableState var state = State()
      var action = PublishRelay<Action>()
      var disposeBag = DisposeBag()
      let liveCount: LiveCount
      init(_ liveCount: LiveCount) { self.liveCount = liveCount }
      var middleware: [any Middleware<State, Action>] { [Sending(action, liveCount)] }
      func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        if case .add(let number) = action { state.sum += number }
        return .none
      }
    }
    let liveCount = LiveCount()
    do {
      let composed = Composed(sending: Held(liveCount))
      composed.send(.start)
      #expect(composed.state.sum == 5)
      #expect(liveCount.count == 1)
    }
    #expect(liveCount.count == 0)
  }

  @Test func `middleware has its own effects and ids, which the composer's bag does not end`() {
    let screen = screen()
    send(.start, .stop, to: screen)
    time.advance(by: .milliseconds(2_500))
    #expect(screen.composer.state.received == [1, 1])
    send(.add(13), to: screen)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.received.count == 2)
  }

  @Test func `cancelAll of a middleware ends its own effects`() {
    let screen = screen()
    send(.start, .add(-1), to: screen)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.received.isEmpty)
  }

  @Test func `effects of a middleware end with the composer`() {
    let disposed = EventRecorder<String>()
    final class Endless: Middleware {
      let disposed: EventRecorder<String>
      init(_ disposed: EventRecorder<String>) { self.disposed = disposed }
      func didReduce(_ action: Action, _ state: State) -> Observable<Effect<Action>> {
        guard action == .start else { return .none }
        return .run(Observable.never().do(onDispose: { [disposed] in disposed.append("disposed") }))
      }
    }
    let relay: PublishRelay<Action>
    do {
      let screen = Screen(Counter([Endless(disposed)]))
      relay = screen.composer.action
      relay.accept(.start)
      relay.accept(.stop)
      #expect(disposed.events.isEmpty)
    }
    #expect(disposed.events == ["disposed"])
    relay.accept(.start)
  }

  @Test func `middleware runs on its own scheduler in order`() async {
    let queue = DispatchQueue(label: "middleware", attributes: .concurrent)
    let watching = Watching(on: ConcurrentDispatchQueueScheduler(queue: queue))
    let screen = Screen(Counter([watching]))
    for _ in 0..<1_000 { screen.composer.action.accept(.add(1)) }
    // Elements that arrive during a burst are delivered in another turn of the queue.
    while watching.seen.events.count < 1_000 {
      await withCheckedContinuation { continuation in
        queue.async(flags: .barrier) { continuation.resume() }
      }
    }
    #expect(watching.seen.events == (1...1_000).map { "add(1) \($0)" })
  }

  @Test func `middleware receives the actions of a group with the state after it`() {
    final class Group: Composer {
      @ComposableState var state = State()
      var action = PublishRelay<Action>()
      var disposeBag = DisposeBag()
      let middleware: [any Middleware<State, Action>]
      init(_ middleware: [any Middleware<State, Action>]) { self.middleware = middleware }
      func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        guard case .add(let number) = action else { return .group(.add(1), .secret, .add(2)) }
        state.sum += number
        return .none
      }
    }
    let screen = Screen(Group([watching]))
    screen.composer.action.accept(.start)
    #expect(watching.seen.events == ["start 0", "add(1) 3", "add(2) 3"])
  }
}

@MainActor
@Suite("transform(action:)", .workerPool(limit: 300))
struct TransformTests {
  final class Listening: Composer {
    enum Action: Equatable { case typed(String), online(Bool), echo }
    struct State { var log: [String] = [] }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let network: Observable<Bool>
    private let token: LiveToken

    init(_ network: Observable<Bool>, _ liveCount: LiveCount = LiveCount()) {
      self.network = network
      token = LiveToken(liveCount)
    }

    func transform(action: Observable<Action>) -> Observable<Action> {
      .merge(action.filter { $0 != .typed("") }, network.map(Action.online))
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      state.log.append("\(action)")
      return action == .echo ? .send(.typed("")) : .none
    }
  }

  @Test func `transform merges other streams, and changes only actions from outside`() {
    let network = PublishSubject<Bool>()
    let screen = Screen(Listening(network))
    for text in ["a", "", "b"] { screen.composer.action.accept(.typed(text)) }
    network.onNext(true)
    screen.composer.action.accept(.echo)
    #expect(
      screen.composer.state.log
        == [#"typed("a")"#, #"typed("b")"#, "online(true)", "echo", #"typed("")"#]
    )
  }

  @Test func `transform finds the composer's clock`() {
    final class Quiet: Composer {
      struct State { var count = 0 }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      let clock = EventRecorder<String>()
      func transform(action: Observable<Int>) -> Observable<Int> {
        clock.append("\(type(of: EffectContext.clock))")
        return action
      }
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> { .none }
    }
    let quiet = Quiet()
    let clock = quiet.clock
    _ = Composed(sending: quiet)
    #expect(clock.events == ["ConcurrentDispatchQueueScheduler"])
  }

  @Test func `transform ends with the composer and is not in its bag`() {
    let (network, liveCount) = (PublishSubject<Bool>(), LiveCount())
    do {
      let screen = Screen(Listening(network, liveCount))
      screen.composer.disposeBag = DisposeBag()
      network.onNext(true)
      #expect(screen.composer.state.log.count == 1)
      #expect(network.hasObservers)
    }
    #expect(liveCount.count == 0)
    #expect(!network.hasObservers)
  }

  @Test func `transform runs where the composer reduces`() {
    final class Noting: Composer {
      struct State { var sum = 0 }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      let notes: EventRecorder<Int>
      init(_ notes: EventRecorder<Int>) { self.notes = notes }
      func transform(action: Observable<Int>) -> Observable<Int> {
        action.do(onNext: { [notes] in notes.append($0) })
      }
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
        state.sum += action
        return .none
      }
    }
    let (executor, notes) = (ManualExecutor(), EventRecorder<Int>())
    let noting = Composed(sending: Noting(notes), on: executor)
    noting.send(1)
    noting.send(2)
    #expect(notes.events.isEmpty)
    executor.run()
    #expect(notes.events == [1, 2])
    #expect(noting.state.sum == 3)
  }

  @Test func `transform receives actions of eight threads one at a time`() async throws {
    let listening = Composed(sending: Listening(.never()))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<1_000 { listening.send(.typed("x")) } }
      }
    }
    // Another thread may reduce the last actions.
    try await reaches(listening) { $0.log.count == 8_000 }
  }
}
