import Compose
import ReactiveTesting
import TestSupport
import Testing

@Suite("Texts without addresses", .workerPool)
struct TextWithoutAddressesTests {
  private struct Row: Equatable {
    var id = 1
  }

  private enum Kind { case plain, rows([Row]) }

  private struct Mistake: Error {
    var rows = [Row()]
  }

  private final class Rows: Composer {
    enum Action { case load([Row]), fail(Kind) }
    struct State {
      var rows: [Row] = []
      var kind: Kind?
    }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .load(let rows):
        state.rows = rows
        return .none
      case .fail(let kind):
        state.kind = kind
        return .run { _ in throw Mistake() }
      }
    }
  }

  @Test func `a private type has its name alone`() {
    #expect("[App.(unknown context at $55d0ab).Row(id: 1)]".withoutAddresses == "[Row(id: 1)]")
    #expect("(unknown context at $55d0ab).Row".withoutAddresses == "Row")
    #expect(
      "some(A.B.(unknown context at $1).(unknown context at $2).Row), x.y".withoutAddresses
        == "some(Row), x.y")
    #expect("\([Row(), Row()])".withoutAddresses == "[Row(id: 1), Row(id: 1)]")
    #expect("\(Kind.rows([Row()]))".withoutAddresses == "rows([Row(id: 1)])")
  }

  @Test func `a computed component of a path has its type alone`() {
    #expect(
      #"\State.<computed 0x0000556 (Bool)>.isLoud"#.withoutAddresses == #"\State.(Bool).isLoud"#)
    #expect(
      #"\A.<computed 0x1 (Array<(Int, Int)>)>.<computed 0x2 (Int)>"#.withoutAddresses
        == #"\A.(Array<(Int, Int)>).(Int)"#)
  }

  @Test func `other texts are the same, also when they are incomplete`() {
    for text in ["", "a < b", "(computed)", "é → \"b\"", "[\"x\": (1, 2)]"] {
      #expect(text.withoutAddresses == text)
    }
    #expect("a.(unknown context at $55".withoutAddresses == "")
    #expect("<computed 0x55 (A".withoutAddresses == "(A")
  }

  @MainActor
  @Test func `a timeline, its JSON and a problem have no addresses`() {
    let problems = EventRecorder<String>()
    let time = VirtualTime()
    let screen = time.run { Screen(Rows()) }
    let recorder = TimelineRecorder(screen.composer.trace)
    screen.composer.action.accept(.load([Row()]))
    screen.composer.action.accept(.load([Row(), Row(id: 2)]))
    screen.composer.action.accept(.fail(.rows([Row()])))
    let before = ComposeHooks.onProblem
    // Composers of tests that run meanwhile report here too.
    ComposeHooks.onProblem = {
      let text = "\($0)"
      if text.contains(" of Rows ") { problems.append(text) }
    }
    time.settle()
    ComposeHooks.onProblem = before
    #expect(
      recorder.timeline.description == """
        0.000 step 1 by outside: load([Row(id: 1)]) → State(rows: [Row(id: 1)], kind: nil)
        0.000 step 2 by outside: load([Row(id: 1), Row(id: 2)]); rows: [Row(id: 1)] → \
        [Row(id: 1), Row(id: 2)]
        0.000 step 3 by outside: fail(Kind.rows([Row(id: 1)])); kind: nil → \
        Optional(Kind.rows([Row(id: 1)]))
        0.000 effect 1 started by step(3)
        0.000 effect 1 ended: failed("Mistake(rows: [Row(id: 1)])")
        """)
    #expect(
      problems.events == [
        "An effect of Rows for fail(Kind.rows([Row(id: 1)])) failed with Mistake(rows: [Row(id: 1)]). "
          + "Catch it in the effect (.run's catch, .socket's lifecycle), "
          + "or conform the composer to EffectFailureHandling."
      ])
  }
}
