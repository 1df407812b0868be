import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Children of a composer", .workerPool)
struct ComposerChildrenTests {
  final class Row: Composer {
    enum Action: Equatable { case start, stop, stopAll, tick, fail, group, twice }
    struct State: Equatable, Identifiable { var id = 0, ticks = 0, isPolling = false }
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
      case only(Row.Action), editor(Row.Action), open, close
      case row(Int, Row.Action), add(Int), delete(Int), start, stop, tick
    }
    struct State: Equatable {
      var only = Row.State()
      var editor: Row.State?
      var rows: IdentifiedArray<Row.State> = []
      var ticks = 0
    }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    var failures: [String] = []
    let only: Child<State, Action, Row>
    let editor: Child<State, Action, Row>
    let rows: Children<State, Action, Int, Row>

    init(_ liveCount: LiveCount = LiveCount()) {
      only = Child(\State.only, Action.only) { Row(liveCount) }
      editor = Child(\State.editor, Action.editor) { Row(liveCount) }
      rows = Children(\State.rows, Action.row) { Row(liveCount) }
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .only(let action): return only.reduce(&state, action)
      case .editor(let action): return editor.reduce(&state, action)
      case .open: state.editor = Row.State()
      case .close: state.editor = nil
      case .row(let id, let action): return rows.reduce(&state, id, action)
      case .add(let id): state.rows.append(Row.State(id: id))
      case .delete(let id): state.rows[id: id] = nil
      case .start:
        return Observable.interval(.send(.tick), period: .seconds(1)).cancellable(id: "ticks")
      case .stop: return .cancel(id: "ticks")
      case .tick: state.ticks += 1
      }
      return .none
    }

    func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>> {
      failures.append("\(failure)")
      return .none
    }
  }

  let time = VirtualTime()
  let liveCount = LiveCount()

  func screen() -> Screen<Parent> { time.run { Screen(Parent(liveCount)) } }

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
    #expect(screen.composer.state.rows[id: 1]?.ticks == 1)
    send(.stop, to: screen)
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.ticks == 1)
    #expect(screen.composer.state.rows[id: 1]?.ticks == 2)
  }

  @Test func `cancelAll of a child ends the child's effects only`() {
    let screen = screen()
    send(.start, .only(.start), .only(.stopAll), to: screen)
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.only.ticks == 0)
    #expect(screen.composer.state.ticks == 1)
  }

  @Test func `cancelAll of a child does not end its state effects`() {
    let screen = screen()
    screen.composer.state.only.isPolling = true
    send(.only(.stopAll), to: screen)
    time.advance(by: .seconds(5))
    #expect(screen.composer.state.only.ticks == 5)
  }

  @Test func `removed children end with their effects`() {
    let screen = screen()
    send(.add(1), .add(2), .row(1, .start), .row(2, .start), to: screen)
    #expect(liveCount.count == 3)
    send(.delete(1), to: screen)
    #expect(liveCount.count == 2)
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.rows == [Row.State(id: 2, ticks: 1)])
  }

  @Test func `an optional child is created again with its state`() {
    let screen = screen()
    send(.open, .editor(.start), .close, .open, .editor(.tick), to: screen)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.editor == Row.State(ticks: 1))
    #expect(liveCount.count == 2)
  }

  @Test func `children start and end with their states, and so do their state effects`() {
    let screen = screen()
    send(.open, .editor(.start), .add(1), .row(1, .start), to: screen)
    screen.composer.state.only.isPolling = true
    screen.composer.state.rows[id: 1]?.isPolling = true
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.only.ticks == 1)
    #expect(screen.composer.state.editor?.ticks == 1)
    #expect(screen.composer.state.rows[id: 1]?.ticks == 2)
    screen.composer.state.rows = []
    send(.close, to: screen)
    #expect(liveCount.count == 1)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.only.ticks == 11)
    #expect(screen.composer.state.rows.isEmpty)
    #expect(screen.composer.state.editor == nil)
  }

  @Test func `state effects of children have their own ids`() {
    final class Poll: Composer {
      struct State: Identifiable { var id = 0, ticks = 0 }
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
      struct State { var polls: IdentifiedArray = [Poll.State(id: 1), Poll.State(id: 2)] }
      @ComposableState var state = State()
      var action = PublishRelay<(Int, Bool)>()
      var disposeBag = DisposeBag()
      let polls = Children(\State.polls, { ($0, $1) }) { Poll() }
      func reducer(_ state: inout State, _ action: (Int, Bool)) -> Observable<Effect<(Int, Bool)>> {
        polls.reduce(&state, action.0, action.1)
      }
    }
    let screen = time.run { Screen(Polls()) }
    time.advance(by: .milliseconds(1_500))
    screen.composer.action.accept((2, false))
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.polls.map(\.ticks) == [2, 1])
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
      struct State: Identifiable { var id = 1, numbers = Array(repeating: 0, count: 10_000) }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
        state.numbers[action] += 1
        return .none
      }
    }
    final class Holder: Composer {
      struct State {
        var only = Big.State()
        var optional: Big.State? = Big.State()
        var rows: IdentifiedArray = [Big.State()]
      }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      let only = Child(\State.only, { (action: Int) in action }) { Big() }
      let optional = Child(\State.optional, { (action: Int) in action }) { Big() }
      let rows = Children(\State.rows, { (_, action: Int) in action }) { Big() }
      let addresses = EventRecorder<Int>()
      static let reducesInPlace = true
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
        defer {
          for child in [state.only, state.optional, state.rows[id: 1]].compactMap(\.self) {
            addresses.append(child.numbers.withUnsafeBytes { Int(bitPattern: $0.baseAddress) })
          }
        }
        _ = only.reduce(&state, action)
        _ = optional.reduce(&state, action)
        return rows.reduce(&state, 1, action)
      }
    }
    let screen = Screen(Holder())
    for number in 0..<10 { screen.composer.action.accept(number) }
    #expect(screen.composer.addresses.count == 30)
    #expect(Set(screen.composer.addresses.events).count == 3)
  }
}
