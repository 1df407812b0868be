import Compose
import ReactiveTesting
import TestSupport
import Testing

enum NameKey: DependencyKey {
  static let liveValue = "live"
  static func testValue(in test: RunningTest) -> String? { "test" }
}

extension Dependencies {
  var name: String {
    get { self[NameKey.self] }
    set { self[NameKey.self] = newValue }
  }
}

@Suite("Dependencies of children", .workerPool)
struct ChildDependenciesTests {
  /// Logs the name that it finds wherever a child can read a dependency.
  final class Member: Composer {
    enum Action: Equatable { case read, note(String) }
    struct State: Equatable, Identifiable {
      var id = 0
      var log: Set<String> = []
    }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let nameAtInit = Dependencies.current.name

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .note(let text):
        state.log.insert(text)
        return .none
      case .read:
        state.log.formUnion(["init: \(nameAtInit)", "reducer: \(Dependencies.current.name)"])
        return .merge(
          .run { $0.onNext(.send(.note("run: \(Dependencies.current.name)"))) },
          .decide { (_: State) in [.note("decide: \(Dependencies.current.name)")] }
        )
      }
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      let name = Dependencies.current.name
      StateEffect(id: 1) {
        .group(.note("stateEffects: \(name)"), .note("StateEffect: \(Dependencies.current.name)"))
      }
    }

    /// The log of a member that finds `name`, but `nameInReducer` in its reducer and in the work that
    /// the reducer returns.
    static func log(_ name: String, nameInReducer: String? = nil) -> Set<String> {
      let places = ["init", "stateEffects", "StateEffect", "decide"].map { "\($0): \(name)" }
      return Set(places + ["reducer", "run"].map { "\($0): \(nameInReducer ?? name)" })
    }
  }

  final class Middle: Composer {
    enum Action: Equatable { case member(Member.Action) }
    struct State: Equatable { var member = Member.State() }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let member = Child(\State.member, Action.member) { Member() }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .member(let action): member.reduce(&state, action)
      }
    }
  }

  final class Family: Composer {
    enum Action: Equatable {
      case open, openAndRead, readWith(String)
      case guest(Member.Action), row(Int, Member.Action), middle(Middle.Action)
    }
    struct State: Equatable {
      var guest: Member.State?
      var rows: IdentifiedArray<Member.State> = []
      var middle = Middle.State()
    }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let guest = Child(\State.guest, id: { _ in 0 }, Action.guest) { Member() }
    let rows = Children(\State.rows, Action.row) { Member() }
    let middle = Child(\State.middle, Action.middle) { Middle() }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .open, .openAndRead:
        state.guest = Member.State()
        state.rows.append(Member.State())
        return action == .open
          ? .none : .merge(guest.reduce(&state, .read), rows.reduce(&state, 0, .read))
      case .readWith(let name):
        return Dependencies.with {
          $0.name = name
        } run: {
          .merge(guest.reduce(&state, .read), middle.reduce(&state, .member(.read)))
        }
      case .guest(let action): return guest.reduce(&state, action)
      case .row(let id, let action): return rows.reduce(&state, id, action)
      case .middle(let action): return middle.reduce(&state, action)
      }
    }
  }

  private let time = VirtualTime()

  private func logs(_ family: Composed<Family.State, Family.Action>) -> [Set<String>?] {
    time.settle()
    let state = family.state
    return [state.guest?.log, state.rows.first?.log, state.middle.member.log]
  }

  @Test func `a child has the dependencies of its parent, and so have rows and grandchildren`() {
    let family = Composed(sending: Family(), on: .virtual(time)) { $0.name = "injected" }
    for action: Family.Action in [
      .open, .guest(.read), .row(0, .read), .middle(.member(.read)),
    ] { family.send(action) }
    #expect(logs(family) == Array(repeating: Member.log("injected"), count: 3))
  }

  @Test func `a child that is created by the reducer has the dependencies of its parent`() {
    let family = Composed(sending: Family(), on: .virtual(time)) { $0.name = "injected" }
    family.send(.openAndRead)
    #expect(logs(family).prefix(2) == [Member.log("injected"), Member.log("injected")])
  }

  @Test func `a child that is reduced in Dependencies.with has the changed ones meanwhile`() {
    let family = Composed(sending: Family(), on: .virtual(time)) { $0.name = "injected" }
    family.send(.open)
    family.send(.readWith("changed"))
    let changed = Member.log("injected", nameInReducer: "changed")
    #expect(
      logs(family) == [changed, ["stateEffects: injected", "StateEffect: injected"], changed])
    family.send(.guest(.read))
    #expect(logs(family).first == changed.union(Member.log("injected")))
  }

  @MainActor
  @Test func `children of a composer in a test have its dependencies`() {
    let test = TestComposer(Family(), in: time, exhaustivity: .off) { $0.name = "injected" }
    test.send(.openAndRead)
    test.send(.middle(.member(.read)))
    time.settle()
    #expect(test.state.guest?.log == Member.log("injected"))
    #expect(test.state.middle.member.log == Member.log("injected"))
    test.finish()
    let given = Given(Family(), Family.State()) { $0.name = "injected" }.when(.openAndRead)
    #expect(given.state.guest?.log == ["init: injected", "reducer: injected"])
  }

  @Test func `a parent outside of a composer reduces its children with the current dependencies`() {
    let (family, none) = (Family(), Observable<Effect<Family.Action>>.none)
    var state = Family.State(guest: Member.State())
    Dependencies.with {
      $0.name = "outer"
    } run: {
      #expect(family.reducer(&state, .guest(.read)) !== none)
    }
    #expect(state.guest?.log == ["init: outer", "reducer: outer"])
  }

  @Test func `injected dependencies are released with the last child that has them`() {
    let alive = LiveCount()
    do {
      let family = Composed(sending: Family(), on: .virtual(time)) {
        $0.name = "injected"
        $0.token = LiveToken(alive)
      }
      family.send(.openAndRead)
      family.send(.readWith("changed"))
      time.settle()
      #expect(alive.count == 1)
    }
    #expect(alive.count == 0)
  }
}
