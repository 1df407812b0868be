import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Optional children", .workerPool)
struct OptionalChildTests {
  final class Sheet: Composer {
    enum Action: Equatable { case load, loaded(String), rename(Int), touch }
    struct State: Equatable, Identifiable {
      var id: Int
      var room = "hall"
      var text = ""
      var touches = 0
    }
    @ComposableState var state = State(id: 0)
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .load:
        let answer = Action.loaded("for \(state.id)")
        return .run(Observable.just(answer).delay(.seconds(1), scheduler: EffectContext.clock))
      case .loaded(let text): state.text = text
      case .rename(let id): state.id = id
      case .touch: state.touches += 1
      }
      return .none
    }
  }

  final class Parent: Composer {
    enum Action: Equatable { case open(Int, room: String = "hall"), sheet(Sheet.Action) }
    struct State: Equatable { var sheet: Sheet.State? }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let sheet: OptionalChild<Sheet>
    private let isNamed: Bool

    init(_ sheet: OptionalChild<Sheet>, isNamed: Bool) {
      (self.sheet, self.isNamed) = (sheet, isNamed)
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .open(let id, let room): state.sheet = Sheet.State(id: id, room: room)
      case .sheet(let action): return reduce(sheet, &state.sheet, action) { .sheet($0) }
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      if isNamed { stateEffects(of: sheet, state.sheet) { .sheet($0) } }
    }
  }

  private let time = VirtualTime()

  /// Returns the sheet's text two seconds after `actions`.
  private func text(
    of child: OptionalChild<Sheet> = OptionalChild { Sheet() }, isNamed: Bool = true,
    after actions: Parent.Action...
  ) -> String? {
    let screen = time.run { Screen(Parent(child, isNamed: isNamed)) }
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

  @Test func `a replaced sheet that no state effect names ends before the new one's first action`()
  {
    #expect(text(isNamed: false, after: .open(1), .sheet(.load), .open(2), .sheet(.touch)) == "")
    #expect(text(isNamed: false, after: .open(1), .sheet(.load), .sheet(.touch)) == "for 1")
  }

  @Test func `a sheet that changes its id is another sheet`() {
    #expect(text(isNamed: false, after: .open(1), .sheet(.load), .sheet(.rename(2))) == "")
  }

  @Test func `a part of the state can identify a child`() {
    func byRoom() -> OptionalChild<Sheet> { OptionalChild(id: \.room) { Sheet() } }
    #expect(text(of: byRoom(), after: .open(1), .sheet(.load), .open(2)) == "for 1")
    #expect(text(of: byRoom(), after: .open(1), .sheet(.load), .open(1, room: "attic")) == "")
  }
}
