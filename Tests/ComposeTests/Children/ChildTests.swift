import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("A child", .workerPool)
struct ChildTests {
  final class Sheet: Composer {
    enum Action: Equatable { case load, loaded(String), rename(Int), touch, double, close }
    struct State: Equatable, Identifiable {
      var id: Int
      var room = "hall"
      var text = ""
      var touches = 0
    }
    @ComposableState var state = State(id: 0)
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let token: LiveToken

    init(_ liveCount: LiveCount) { token = LiveToken(liveCount) }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .load:
        let answer = Action.loaded("for \(state.id)")
        return .run(Observable.just(answer).delay(.seconds(1), scheduler: EffectContext.clock))
      case .loaded(let text): state.text = text
      case .rename(let id): state.id = id
      case .touch: state.touches += 1
      case .double:
        return .decide { (state: State) in Array(repeating: .touch, count: state.touches) }
      case .close: return .dismiss
      }
      return .none
    }
  }

  final class Parent: Composer {
    enum Action: Equatable { case open(Int, room: String = "hall"), shut, sheet(Sheet.Action) }
    struct State: Equatable { var sheet: Sheet.State? }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let sheet: Child<State, Action, Sheet>

    init(_ sheet: Child<State, Action, Sheet>) { self.sheet = sheet }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .open(let id, let room): state.sheet = Sheet.State(id: id, room: room)
      case .shut: state.sheet = nil
      case .sheet(let action): return sheet.reduce(&state, action)
      }
      return .none
    }
  }

  private let time = VirtualTime()
  private let liveCount = LiveCount()

  private func byID() -> Child<Parent.State, Parent.Action, Sheet> {
    Child(\Parent.State.sheet, Parent.Action.sheet) { [liveCount] in Sheet(liveCount) }
  }

  private func byRoom() -> Child<Parent.State, Parent.Action, Sheet> {
    Child(\Parent.State.sheet, id: \.room, Parent.Action.sheet) { [liveCount] in Sheet(liveCount) }
  }

  private func screen(
    _ child: Child<Parent.State, Parent.Action, Sheet>? = nil, after actions: Parent.Action...
  ) -> Screen<Parent> {
    let screen = time.run { Screen(Parent(child ?? byID())) }
    for action in actions { screen.composer.action.accept(action) }
    return screen
  }

  /// Returns the sheet's text two seconds after `actions`.
  private func text(
    _ child: Child<Parent.State, Parent.Action, Sheet>? = nil, after actions: Parent.Action...
  ) -> String? {
    let screen = screen(child)
    for action in actions { screen.composer.action.accept(action) }
    time.advance(by: .seconds(2))
    return screen.composer.state.sheet?.text
  }

  @Test func `the effects of a sheet end when a sheet with another id replaces it`() {
    #expect(text(after: .open(1), .sheet(.load)) == "for 1")
    #expect(text(after: .open(1), .sheet(.load), .open(2)) == "")
    #expect(text(after: .open(1), .sheet(.load), .open(2), .sheet(.load)) == "for 2")
    #expect(text(after: .open(1), .sheet(.load), .open(1)) == "for 1")
  }

  @Test func `a sheet that changes its id is another sheet`() {
    #expect(text(after: .open(1), .sheet(.load), .sheet(.rename(2))) == "")
  }

  @Test func `a part of the state can identify a child`() {
    #expect(text(byRoom(), after: .open(1), .sheet(.load), .open(2)) == "for 1")
    #expect(text(byRoom(), after: .open(1), .sheet(.load), .open(1, room: "attic")) == "")
  }

  @Test func `a child is created with its state, and ends with it`() {
    let screen = screen()
    #expect(liveCount.count == 0)
    screen.composer.action.accept(.open(1))
    #expect(liveCount.count == 1)
    screen.composer.action.accept(.shut)
    #expect(liveCount.count == 0)
    screen.composer.action.accept(.open(1))
    #expect(liveCount.count == 1)
    screen.composer.state.sheet = nil
    #expect(liveCount.count == 0)
  }

  @Test func `the effects of a child that other code keeps alive end with its state`() {
    let kept = Sheet(liveCount)
    let screen = screen(
      Child(\Parent.State.sheet, Parent.Action.sheet) { kept }, after: .open(1), .sheet(.load),
      .shut, .open(1))
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.sheet?.text == "")
  }

  @Test func `a child dismisses itself in a step without an action`() {
    let screen = screen(after: .open(1), .sheet(.load))
    let recorder = TimelineRecorder(screen.composer.trace)
    screen.composer.action.accept(.sheet(.close))
    #expect(screen.composer.state.sheet == nil)
    #expect(liveCount.count == 0)
    #expect(screen.composer.disposeBag.count == 0)
    let steps = recorder.timeline.steps
    #expect(steps.map(\.change) == [nil, "dismiss Sheet"])
    #expect(steps.map(\.source) == [.outside, .step(steps[0].number)])
    #expect("\(recorder.timeline)".contains("by step(3): dismiss Sheet; sheet:"))
  }

  @Test func `dismissing without a parent that may be absent is reported`() {
    let problems = EventRecorder<String>()
    let context = EffectContext(
      time.context.dependencies, nil, onProblem: { problems.append("\($0)") })
    let sheet = context.run { Composed(sending: Sheet(LiveCount())) }
    context.run { sheet.send(.close) }
    #expect(problems.events.count == 1)
    #expect(problems.events.first?.hasPrefix("Sheet returned .dismiss and is no child") == true)
  }

  @Test func `a child decides by its own state`() {
    let screen = screen(after: .open(1), .sheet(.touch), .sheet(.touch), .sheet(.double))
    #expect(screen.composer.state.sheet?.touches == 4)
  }

  // MARK: Cases of an enum

  final class Destination: Composer {
    enum Action: Equatable { case sheet(Sheet.Action), other(Sheet.Action) }
    enum State: Equatable { case sheet(Sheet.State), other(Sheet.State) }
    @ComposableState var state = State.sheet(Sheet.State(id: 0))
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let sheet: Child<State, Action, Sheet>
    let other: Child<State, Action, Sheet>

    init(_ liveCount: LiveCount) {
      sheet = Child(
        case: State.sheet, { if case .sheet(let sheet) = $0 { sheet } else { nil } }, Action.sheet
      ) { Sheet(liveCount) }
      other = Child(
        case: State.other, { if case .other(let other) = $0 { other } else { nil } }, Action.other
      ) { Sheet(liveCount) }
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .sheet(let action): sheet.reduce(&state, action)
      case .other(let action): other.reduce(&state, action)
      }
    }
  }

  final class Home: Composer {
    enum Action: Equatable { case show(Destination.State?), destination(Destination.Action) }
    struct State: Equatable { var destination: Destination.State? }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let destination: Child<State, Action, Destination>

    init(_ liveCount: LiveCount) {
      destination = Child(\State.destination, Action.destination) { Destination(liveCount) }
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .show(let destination): state.destination = destination
      case .destination(let action): return destination.reduce(&state, action)
      }
      return .none
    }
  }

  @Test func `the child of a case ends when the state is in another case or has another id`() {
    let screen = time.run { Screen(Home(liveCount)) }
    let send = screen.composer.action.accept
    send(.show(.sheet(Sheet.State(id: 1))))
    send(.destination(.sheet(.load)))
    #expect(liveCount.count == 1)
    send(.show(.other(Sheet.State(id: 1))))
    #expect(liveCount.count == 1)
    send(.destination(.other(.load)))
    send(.show(.other(Sheet.State(id: 2))))
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.destination == .other(Sheet.State(id: 2)))
    send(.destination(.other(.load)))
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.destination == .other(Sheet.State(id: 2, text: "for 2")))
  }

  @Test func `a child of a case dismisses the parent that may be absent`() {
    let screen = time.run { Screen(Home(liveCount)) }
    screen.composer.action.accept(.show(.sheet(Sheet.State(id: 1))))
    screen.composer.action.accept(.destination(.sheet(.close)))
    #expect(screen.composer.state.destination == nil)
    #expect(liveCount.count == 0)
  }

  // MARK: Cases of an optional enum

  final class Lobby: Composer {
    enum Destination: Equatable { case sheet(Sheet.State), other(Sheet.State), alert(String) }
    enum Action: Equatable {
      case show(Destination?), sheet(Sheet.Action), other(Sheet.Action), closed(Sheet.State)
    }
    struct State: Equatable {
      var destination: Destination?
      var closed: [Int] = []
    }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let sheet: Child<State, Action, Sheet>
    let other: Child<State, Action, Sheet>

    init(_ liveCount: LiveCount) {
      sheet = Child(
        \State.destination, case: Destination.sheet,
        { if case .sheet(let sheet) = $0 { sheet } else { nil } }, Action.sheet,
        onDismiss: Action.closed
      ) { Sheet(liveCount) }
      other = Child(
        \State.destination, case: Destination.other,
        { if case .other(let other) = $0 { other } else { nil } }, Action.other
      ) { Sheet(liveCount) }
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .show(let destination): state.destination = destination
      case .sheet(let action): return sheet.reduce(&state, action)
      case .other(let action): return other.reduce(&state, action)
      case .closed(let sheet): state.closed.append(sheet.id)
      }
      return .none
    }
  }

  @Test func `a child of a case of an optional enum ends with the case, and removes it`() {
    let screen = time.run { Screen(Lobby(liveCount)) }
    let send = screen.composer.action.accept
    send(.show(.sheet(Sheet.State(id: 1))))
    send(.sheet(.load))
    send(.show(.other(Sheet.State(id: 1))))
    send(.other(.load))
    #expect(liveCount.count == 1)
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.destination == .other(Sheet.State(id: 1, text: "for 1")))
    send(.other(.load))
    send(.show(.other(Sheet.State(id: 2))))
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.destination == .other(Sheet.State(id: 2)))
    send(.other(.close))
    #expect(screen.composer.state == Lobby.State())
    send(.show(.sheet(Sheet.State(id: 3))))
    send(.sheet(.close))
    #expect(screen.composer.state == Lobby.State(closed: [3]))
    #expect(liveCount.count == 0)
    send(.show(.alert("full")))
    #expect(screen.composer.state.destination == .alert("full"))
    #expect(liveCount.count == 0)
  }
}
