import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("The end of a child", .workerPool)
struct ChildEndTests {
  /// A form without an id, which submits, closes, and polls while it is open.
  final class Form: Composer {
    enum Action: Equatable {
      case submit, submitted, poll, polled, watch, close, pollAndClose, ticks
    }
    struct State: Equatable {
      var id = 0
      var submitted = 0
      var polled = 0
    }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let token: LiveToken
    private let onEnd: @Sendable () -> Void

    init(_ liveCount: LiveCount, onEnd: @escaping @Sendable () -> Void = {}) {
      token = LiveToken(liveCount)
      self.onEnd = onEnd
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .submit: return .send(.submitted)
      case .submitted: state.submitted += 1
      case .poll: return .interval(.send(.polled), period: .seconds(1))
      case .polled: state.polled += 1
      case .watch: return .create { [onEnd] _ in Disposables.create(with: onEnd) }
      case .close: return .dismiss
      case .pollAndClose: return .merge(.send(.polled), .dismiss)
      case .ticks: return .cancel(id: "ticks")
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      let ticks = Observable<Effect<Action>>.interval(.send(.polled), period: .seconds(1))
        .cancellable(id: "ticks")
      if state.submitted == 3 { StateEffect(id: "ticks") { ticks } }
    }
  }

  final class Parent: Composer {
    enum Action: Equatable {
      case open(Int = 0), shut, reopen, reopenAndPoll(Int), form(Form.Action), stopTicks
    }
    struct State: Equatable { var form: Form.State? }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let form: Child<State, Action, Form>
    static let reducesInPlace = true

    init(
      _ liveCount: LiveCount, byID: Bool = false,
      onEnd: @escaping @Sendable (PublishRelay<Action>) -> Void = { _ in }
    ) {
      let make = { [action] in Form(liveCount, onEnd: { onEnd(action) }) }
      form =
        byID
        ? Child(\State.form, id: \.id, Action.form, make) : Child(\State.form, Action.form, make)
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .open(let id): state.form = Form.State(id: id)
      case .shut: state.form = nil
      case .reopen:
        state.form = nil
        state.form = Form.State()
      case .reopenAndPoll(let id):
        state.form = Form.State(id: id)
        return form.reduce(&state, .poll)
      case .form(let action): return form.reduce(&state, action)
      case .stopTicks: return .cancel(id: "ticks")
      }
      return .none
    }
  }

  private let time = VirtualTime()
  private let liveCount = LiveCount()

  private func screen(byID: Bool = false) -> Screen<Parent> {
    time.run { Screen(Parent(liveCount, byID: byID)) }
  }

  /// Sends `actions` when the composer has received `first`, before what that action's effect sends.
  private func send(
    _ actions: Parent.Action..., after first: Parent.Action, to composer: Parent
  ) {
    let relay = composer.action
    let bag = DisposeBag()
    relay.subscribe(onNext: { action in
      if action == first { for action in actions { relay.accept(action) } }
    }).disposed(by: bag)
    relay.accept(first)
  }

  @Test func `children end with their composer while other code keeps the relay`() {
    let relay: PublishRelay<Parent.Action>
    do {
      let screen = screen()
      relay = screen.composer.action
      relay.accept(.open())
      #expect(liveCount.count == 1)
    }
    #expect(liveCount.count == 0)
    withExtendedLifetime(relay) {}
  }

  @Test func `what a child has sent does not reach the next child`() {
    let screen = screen()
    screen.composer.action.accept(.open())
    send(.shut, .open(), after: .form(.submit), to: screen.composer)
    #expect(screen.composer.state.form == Form.State())
  }

  @Test func `the dismissal of a child does not remove the next child and makes no step`() {
    let screen = screen()
    screen.composer.action.accept(.open())
    let recorder = TimelineRecorder(screen.composer.trace)
    send(.shut, .open(), after: .form(.pollAndClose), to: screen.composer)
    #expect(screen.composer.state.form == Form.State())
    let actions = recorder.timeline.steps.map(\.actions)
    #expect(actions == [[.form(.pollAndClose)], [.shut], [.open()]])
  }

  @Test func `a child that is removed and added again in one step goes on`() {
    let screen = screen()
    screen.composer.action.accept(.open())
    screen.composer.action.accept(.form(.poll))
    screen.composer.action.accept(.reopen)
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.form?.polled == 2)
  }

  @Test func `a child that is replaced inside the reducer ends after its step`() {
    let ends = EventRecorder<String>()
    let parent = time.run { () -> Screen<Parent> in
      let screen = Screen(
        Parent(
          liveCount, byID: true,
          onEnd: { relay in
            // An action that is sent inside a reducer would be reduced inside it.
            relay.accept(.form(.submitted))
            ends.append("ended")
          }))
      return screen
    }
    let relay = parent.composer.action
    relay.accept(.open(1))
    relay.accept(.form(.watch))
    relay.accept(.reopenAndPoll(2))
    #expect(ends.events == ["ended"])
    #expect(parent.composer.state.form == Form.State(id: 2, submitted: 1))
    time.advance(by: .seconds(2))
    #expect(parent.composer.state.form?.polled == 2)
    #expect(liveCount.count == 1)
  }

  @Test
  func `the state effects of a child have its ids, also when they are created outside the closure`()
  {
    let screen = screen()
    let send = screen.composer.action.accept
    send(.open())
    for _ in 0..<3 { send(.form(.submitted)) }
    send(.stopTicks)
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.form?.polled == 2)
    send(.form(.ticks))
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.form?.polled == 2)
  }

  @Test func `a child that its composer does not find is reported once`() {
    final class Computed: Composer {
      @ComposableState var state = Parent.State(form: Form.State())
      var action = PublishRelay<Parent.Action>()
      var disposeBag = DisposeBag()
      private let forms: [Child<Parent.State, Parent.Action, Form>]
      init() { forms = [Child(\Parent.State.form, Parent.Action.form) { Form(LiveCount()) }] }
      func reducer(_ state: inout Parent.State, _ action: Parent.Action) -> Observable<
        Effect<Parent.Action>
      > {
        if case .form(let action) = action { return forms[0].reduce(&state, action) }
        return .none
      }
    }
    let problems = EventRecorder<String>()
    let context = EffectContext(
      time.context.dependencies, nil, onProblem: { problems.append("\($0)") })
    let composer = context.run { Composed(sending: Computed()) }
    composer.send(.form(.submit))
    composer.send(.form(.submit))
    #expect(
      problems.events == [
        "The child Form is not a stored property of the composer that reduces it, so that it does not "
          + "end with its state. Declare it with let, not lazy, computed or inside another value."
      ])
  }

  // MARK: Tests of a child

  @Test func `a child that dismisses itself can be tested alone`() {
    let liveCount = liveCount
    #expect(Given(Form(liveCount), Form.State()).when(.close).effects == [.dismiss])
    #expect(
      Given(Parent(liveCount), Parent.State(form: Form.State())).when(.form(.submit)).effects
        == [.send(.form(.submitted))])
    let test = TestComposer(Form(liveCount))
    test.send(.close)
    test.receiveDismissal()
    test.finish()
  }

  // MARK: Stacks

  final class Home: Composer {
    enum Action: Equatable { case show, screen(Int, Form.Action) }
    struct State: Equatable { var path: ScreenStack<Form.State> = [] }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let screens: Children<State, Action, Int, Form>

    init(_ liveCount: LiveCount) {
      screens = Children(\State.path, Action.screen) { Form(liveCount) }
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .show: state.path = [Form.State()]
      case .screen(let id, let action): return screens.reduce(&state, id, action)
      }
      return .none
    }
  }

  @Test func `a screen of a new stack is another child than the screen with its id before`() {
    let screen = time.run { Screen(Home(liveCount)) }
    let send = screen.composer.action.accept
    send(.show)
    send(.screen(0, .poll))
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.path.top?.polled == 1)
    send(.show)
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.path.ids == [0])
    #expect(screen.composer.state.path.top?.polled == 0)
    send(.screen(0, .poll))
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.path.top?.polled == 1)
    #expect(liveCount.count == 1)
  }
}
