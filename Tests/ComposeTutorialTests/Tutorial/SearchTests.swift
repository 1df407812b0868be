import Compose
import ReactiveTesting
import TestSupport
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

@Suite("The tutorial's search", .workerPool)
struct SearchTests {
  struct Offline: Error {}

  @Test func `a search starts once after typing has stopped`() {
    let test = TestComposer(Search(Library { query in ["\(query) 1", "\(query) 2"] }))
    test.send(.query("sw")) {
      $0.query = "sw"
      $0.isLoading = true
    }
    test.advance(by: .milliseconds(200))
    test.send(.query("swift")) { $0.query = "swift" }
    test.advance(by: .milliseconds(300))
    test.receive(.found(["swift 1", "swift 2"])) {
      $0.titles = ["swift 1", "swift 2"]
      $0.isLoading = false
    }
    test.finish()
  }

  @Test func `a search shows an error and searches again`() {
    let test = TestComposer(
      Search(Library { query in if query == "x" { throw Offline() } else { [query] } })
    )
    test.send(.query("x")) {
      $0.query = "x"
      $0.isLoading = true
    }
    test.advance(by: .seconds(1))
    test.receive(.failed(Offline())) {
      $0.alert = "Offline()"
      $0.isLoading = false
    }
    test.send(.query("y")) {
      $0.query = "y"
      $0.isLoading = true
    }
    test.advance(by: .seconds(1))
    test.receive(.found(["y"])) {
      $0.titles = ["y"]
      $0.isLoading = false
    }
    test.finish()
  }

  @Test func `a newer search cancels the older one`() {
    let test = TestComposer(
      Search(
        Library { query in
          try await EffectContext.sleep(query == "slow" ? .seconds(10) : .seconds(1))
          return [query]
        }
      )
    )
    test.send(.query("slow")) {
      $0.query = "slow"
      $0.isLoading = true
    }
    test.advance(by: .seconds(1))
    test.send(.query("quick")) { $0.query = "quick" }
    test.advance(by: .seconds(20))
    test.receive(.found(["quick"])) {
      $0.titles = ["quick"]
      $0.isLoading = false
    }
    test.finish()
  }
}
