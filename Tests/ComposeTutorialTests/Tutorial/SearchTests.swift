import Compose
import ReactiveTesting
import Testing

struct Library: Sendable {
  var titles: @Sendable (_ query: String) async throws -> [String]
}

final class Search: Composer {
  enum Action { case query(String), found([String]), failed(any Error) }

  struct State: Equatable {
    var query = ""
    var titles: [String] = []
    var isLoading = false
    @PresentState var alert: String?
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let library: Library

  init(_ library: Library) { self.library = library }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .query(let query):
      state.query = query
      state.isLoading = true
      return .run { [library] effect in
        effect.onNext(.send(.found(try await library.titles(query))))
      } catch: { error in
        .send(.failed(error))
      }
      .debounce(id: "search", for: .milliseconds(300))
    case .found(let titles):
      state.titles = titles
      state.isLoading = false
    case .failed(let error):
      state.alert = "\(error)"
      state.isLoading = false
    }
    return .none
  }
}

@MainActor
@Suite("The tutorial's search")
struct SearchTests {
  struct Offline: Error {}

  @MainActor
  final class Screen {
    @Compose var composer: Search
    init(_ library: Library) { _composer = Compose(wrappedValue: Search(library)) }
  }

  @Test func `asks once when typing has come to rest`() {
    let time = VirtualTime()
    let screen = time.run { Screen(Library { query in ["\(query) 1", "\(query) 2"] }) }
    for query in ["s", "sw", "swift"] {
      screen.composer.action.accept(.query(query))
      time.advance(by: .milliseconds(200))
    }
    #expect(screen.composer.state.isLoading)
    time.advance(by: .milliseconds(100))
    #expect(screen.composer.state.titles == ["swift 1", "swift 2"])
    #expect(!screen.composer.state.isLoading)
  }

  @Test func `shows an error, and searches again`() {
    let time = VirtualTime()
    let screen = time.run {
      Screen(Library { query in if query == "x" { throw Offline() } else { [query] } })
    }
    screen.composer.action.accept(.query("x"))
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.alert == "Offline()")
    screen.composer.action.accept(.query("y"))
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.titles == ["y"])
  }

  @Test func `cancels the search that a newer one replaces`() {
    let time = VirtualTime()
    let screen = time.run {
      Screen(
        Library { query in
          try await EffectContext.sleep(query == "slow" ? .seconds(10) : .seconds(1))
          return [query]
        }
      )
    }
    screen.composer.action.accept(.query("slow"))
    time.advance(by: .seconds(1))
    screen.composer.action.accept(.query("quick"))
    time.advance(by: .seconds(20))
    #expect(screen.composer.state.titles == ["quick"])
    #expect(screen.composer.state.alert == nil)
  }
}
