import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Children of a composer", .workerPool)
struct ComposerChildrenTests {
  final class Row: Composer {
    enum Action: Equatable { case start, stop, stopAll, tick, fail, group, twice }
    struct State: Equatable { var ticks = 0, isPolling = false }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let token: LiveToken

    init(_ liveCount: LiveCount) { token = LiveToken(liveCount) }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .start: return ticks
      case .stop: return .cancel(id: "ticks")
      case .stopAll: return .cancelAll
      case .tick: state.ticks += 1
      case .fail: return .run(.error(Failure()))
      case .group: return .group(.tick, .tick)
      case .twice: return .send(.tick)
      }
      return .none
    }

    var ticks: Observable<Effect<Action>> {
      Observable.interval(.send(.tick), period: .seconds(1)).cancellable(id: "ticks")
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      if state.isPolling {
        StateEffect(id: "poll") { .interval(.send(.tick), period: .seconds(1)) }
      }
    }
  }

  final class Parent: Composer, EffectFailureHandling {
    enum Action: Equatable {
      case only(Row.Action), editor(Row.Action), open, close(isForgotten: Bool)
      case row(Int, Row.Action), add(Int), delete(Int), start, stop, tick
    }
    struct State: Equatable {
      var only = Row.State()
      var editor: Row.State?
      var rows: [Int: Row.State] = [:]
      var ticks = 0
    }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    var failures: [String] = []
    let isAsked: Bool
    let only: Row
    let editor: OptionalChild<Row>
    let rows: Children<Int, Row>

    init(_ liveCount: LiveCount = LiveCount(), isAsked: Bool = false) {
      self.isAsked = isAsked
      only = Row(liveCount)
      editor = OptionalChild { Row(liveCount) }
      rows = Children { _ in Row(liveCount) }
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .only(let action): return reduce(only, &state.only, action) { .only($0) }
      case .editor(let action): return reduce(editor, &state.editor, action) { .editor($0) }
      case .open: state.editor = Row.State()
      case .close(let isForgotten):
        state.editor = nil
        if !isForgotten { editor.remove() }
      case .row(let id, let action):
        return reduce(rows, id, &state.rows[id], action) { .row(id, $0) }
      case .add(let id): state.rows[id] = Row.State()
      case .delete(let id):
        state.rows[id] = nil
        rows.remove(id)
      case .start:
        return Observable.interval(.send(.tick), period: .seconds(1)).cancellable(id: "ticks")
      case .stop: return .cancel(id: "ticks")
      case .tick: state.ticks += 1
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      if isAsked {
        stateEffects(of: only, state.only) { .only($0) }
        stateEffects(of: editor, state.editor) { .editor($0) }
        stateEffects(of: rows, state.rows) { .row($0, $1) }
      }
    }

    func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>> {
      failures.append("\(failure)")
      return .none
    }
  }

  let time = VirtualTime()
  let liveCount = LiveCount()

  func screen(isAsked: Bool = false) -> Screen<Parent> {
    time.run { Screen(Parent(liveCount, isAsked: isAsked)) }
  }

  func send(_ actions: Parent.Action..., to screen: Screen<Parent>) {
    for action in actions { screen.composer.action.accept(action) }
  }

  @Test func `children reduce their part, and their effects send the parent's actions`() {
    let screen = screen()
    send(.only(.start), .only(.twice), .only(.group), to: screen)
    time.advance(by: .milliseconds(2_500))
    #expect(screen.composer.state.only.ticks == 5)
  }

  @Test func `children have their own ids`() {
    let screen = screen()
    send(.start, .only(.start), .add(1), .row(1, .start), .only(.stop), to: screen)
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.ticks == 1)
    #expect(screen.composer.state.only.ticks == 0)
    #expect(screen.composer.state.rows[1]?.ticks == 1)
    send(.stop, to: screen)
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.ticks == 1)
    #expect(screen.composer.state.rows[1]?.ticks == 2)
  }

  @Test func `cancelAll of a child ends the child's effects only`() {
    let screen = screen()
    send(.start, .only(.start), .only(.stopAll), to: screen)
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.only.ticks == 0)
    #expect(screen.composer.state.ticks == 1)
  }

  @Test func `removed children end with their effects`() {
    let screen = screen()
    send(.add(1), .add(2), .row(1, .start), .row(2, .start), to: screen)
    #expect(liveCount.count == 3)
    send(.delete(1), to: screen)
    #expect(liveCount.count == 2)
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.rows == [2: Row.State(ticks: 1)])
    #expect(screen.composer.rows.ids == [2])
  }

  @Test func `an optional child is created again with its state`() {
    let screen = screen()
    send(.open, .editor(.start), .close(isForgotten: false), .open, .editor(.tick), to: screen)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.editor == Row.State(ticks: 1))
    #expect(liveCount.count == 2)
  }

  @Test func `children in stateEffects start and end with their states, and so do their effects`() {
    let screen = screen(isAsked: true)
    send(.open, .editor(.start), .add(1), .row(1, .start), to: screen)
    screen.composer.state.only.isPolling = true
    screen.composer.state.rows[1]?.isPolling = true
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.only.ticks == 1)
    #expect(screen.composer.state.editor?.ticks == 1)
    #expect(screen.composer.state.rows[1]?.ticks == 2)
    screen.composer.state.rows = [:]
    send(.close(isForgotten: true), to: screen)
    #expect(liveCount.count == 1)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.only.ticks == 11)
    #expect(screen.composer.state.rows.isEmpty)
    #expect(screen.composer.state.editor == nil)
  }

  @Test func `children keep the order of their creation after removals`() {
    final class Numbers: Composer {
      struct State { var numbers: [Int: Row.State] = [:] }
      @ComposableState var state = State()
      var action = PublishRelay<[Int]>()
      var disposeBag = DisposeBag()
      var asked: [Int] = []
      lazy var numbers = Children { [unowned self] (number: Int) in
        Numbered { self.asked.append(number) }
      }

      /// Adds the positive numbers and removes the negative ones.
      func reducer(_ state: inout State, _ changes: [Int]) -> Observable<Effect<[Int]>> {
        for change in changes { state.numbers[abs(change)] = change > 0 ? Row.State() : nil }
        return .none
      }

      func stateEffects(_ state: State) -> [StateEffect<[Int]>] {
        asked = []
        return stateEffects(of: numbers, state.numbers) { number, _ in [number] }
      }
    }
    final class Numbered: Composer {
      @ComposableState var state = Row.State()
      var action = PublishRelay<Row.Action>()
      var disposeBag = DisposeBag()
      let onAsked: () -> Void

      init(_ onAsked: @escaping () -> Void) { self.onAsked = onAsked }

      func reducer(_ state: inout Row.State, _ action: Row.Action) -> Observable<
        Effect<Row.Action>
      > { .none }

      func stateEffects(_ state: Row.State) -> [StateEffect<Row.Action>] {
        onAsked()
        return []
      }
    }
    let screen = time.run { Screen(Numbers()) }
    for number in (1...100).reversed() { screen.composer.action.accept([number]) }
    screen.composer.action.accept((1...100).filter { $0 % 10 != 0 }.map { -$0 })
    #expect(screen.composer.asked == (1...10).reversed().map { $0 * 10 })
    screen.composer.action.accept([5, -100])
    #expect(screen.composer.asked == (1...9).reversed().map { $0 * 10 } + [5])
    screen.composer.action.accept([100])
    #expect(screen.composer.asked.suffix(2) == [5, 100])
  }

  @Test func `state effects of children have their own ids`() {
    final class Poll: Composer {
      struct State { var ticks = 0 }
      @ComposableState var state = State()
      var action = PublishRelay<Bool>()
      var disposeBag = DisposeBag()
      func reducer(_ state: inout State, _ isTick: Bool) -> Observable<Effect<Bool>> {
        if !isTick { return .cancel(id: "poll") }
        state.ticks += 1
        return .none
      }
      func stateEffects(_ state: State) -> [StateEffect<Bool>] {
        StateEffect(id: "live") {
          Observable.interval(.send(true), period: .seconds(1))
            .cancellable(id: "poll", whenBusy: .replace)
        }
      }
    }
    final class Polls: Composer {
      struct State { var polls = [1: Poll.State(), 2: Poll.State()] }
      @ComposableState var state = State()
      var action = PublishRelay<(Int, Bool)>()
      var disposeBag = DisposeBag()
      let polls = Children { (_: Int) in Poll() }
      func reducer(_ state: inout State, _ action: (Int, Bool)) -> Observable<Effect<(Int, Bool)>> {
        reduce(polls, action.0, &state.polls[action.0], action.1) { (action.0, $0) }
      }
      func stateEffects(_ state: State) -> [StateEffect<(Int, Bool)>] {
        stateEffects(of: polls, state.polls) { ($0, $1) }
      }
    }
    let screen = time.run { Screen(Polls()) }
    time.advance(by: .milliseconds(1_500))
    screen.composer.action.accept((2, false))
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.polls.mapValues(\.ticks) == [1: 2, 2: 1])
  }

  @Test func `a child that replaces another starts its state effects`() {
    final class Big: Composer {
      struct State { var ticks = 0 }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      // A size that no other object has, so that the next child is likely to get the same address.
      let (a, b, c, d, e, f, g, h, i, j, k, l) = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
        state.ticks += 1
        return .none
      }
      func stateEffects(_ state: State) -> [StateEffect<Int>] {
        StateEffect(id: 0) { .interval(.send(1), period: .seconds(1)) }
      }
    }
    final class Owner: Composer {
      struct State { var child: Big.State? = Big.State() }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      let child = OptionalChild { Big() }
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
        if action == 1 { return reduce(child, &state.child, action) { $0 } }
        child.remove()
        state.child = Big.State()
        return .none
      }
      func stateEffects(_ state: State) -> [StateEffect<Int>] {
        stateEffects(of: child, state.child) { $0 }
      }
    }
    let screen = time.run { Screen(Owner()) }
    for _ in 0..<50 {
      screen.composer.action.accept(0)
      time.advance(by: .milliseconds(1_500))
      #expect(screen.composer.state.child?.ticks == 1)
    }
  }

  @Test func `errors of children go to the parent`() {
    let screen = screen()
    send(.only(.fail), to: screen)
    #expect(
      screen.composer.failures == [
        "Failure() from only(ComposeTests.ComposerChildrenTests.Row.Action.fail)"
      ])
  }

  @Test func `children end with the parent`() {
    do {
      let screen = screen()
      send(.only(.start), .add(1), .row(1, .start), .open, .editor(.start), to: screen)
      #expect(liveCount.count == 3)
    }
    #expect(liveCount.count == 0)
  }

  @Test func `a child's array is not copied by its parent`() {
    final class Big: Composer {
      struct State { var numbers = Array(repeating: 0, count: 10_000) }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
        state.numbers[action] += 1
        return .none
      }
    }
    final class Holder: Composer {
      struct State { var children: [Int: Big.State] = [1: Big.State()] }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      let children = Children { (_: Int) in Big() }
      let addresses = EventRecorder<Int>()
      static let reducesInPlace = true
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
        defer {
          addresses.append(
            state.children[1]?.numbers.withUnsafeBytes { Int(bitPattern: $0.baseAddress) } ?? 0)
        }
        return reduce(children, 1, &state.children[1], action) { $0 }
      }
    }
    let screen = Screen(Holder())
    for number in 0..<10 { screen.composer.action.accept(number) }
    #expect(Set(screen.composer.addresses.events).count == 1)
  }
}
