import Compose
import ReactiveTesting
import Testing

struct Failure: Error {}

/// A composer whose reducer is a closure of the test.
final class ClosureComposer: Composer {
  enum Action: Equatable {
    case go, stop, tick, number(Int), pair(Int, String), named(text: String)
  }

  struct State: Equatable {
    var count = 0
    var log: [String] = []
    @PresentState var alert: String?
  }

  typealias Body = (ClosureComposer, inout State, Action) -> Observable<Effect<Action>>

  let name = "ClosureComposer"
  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let body: Body

  init(_ body: @escaping Body) { self.body = body }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    state.count += 1
    return body(self, &state, action)
  }
}

/// A search like that of an app: debounced, cancelled by the next query, and with errors as
/// actions.
///
/// Neither its actions nor its state are Equatable.
final class Search: Composer {
  struct Api: Sendable {
    var find: @Sendable (String) async throws -> [String]
    static let stub = Api { query in
      try await EffectContext.sleep(.seconds(1))
      return [query + "1", query + "2"]
    }
  }
  enum Action {
    case query(String), loaded([String]), failed(any Error), cleared

    var loaded: [String]? { if case .loaded(let results) = self { results } else { nil } }
  }
  struct State {
    var query = ""
    var results: [String] = []
    var isLoading = false
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let api: Api

  init(api: Api) { self.api = api }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .query(let query):
      state.query = query
      state.isLoading = true
      return .run { [api] effect in
        effect.onNext(.send(.loaded(try await api.find(query))))
      } catch: {
        .send(.failed($0))
      }
      .debounce(id: "search", for: .milliseconds(300))
    case .loaded(let results):
      state.results = results
      state.isLoading = false
      return .none
    case .failed:
      state.isLoading = false
      return .none
    case .cleared:
      state = State()
      return .cancel(id: "search")
    }
  }
}

/// Expects that `body` fails the test in line `line`, or anywhere in the file, only with messages
/// that contain all of `parts`.
func fails(
  _ parts: String..., line: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  by body: () -> Void
) {
  withKnownIssue(sourceLocation: sourceLocation) {
    body()
  } matching: { issue in
    let message = issue.comments.map(\.rawValue).joined()
    guard parts.allSatisfy(message.contains) else { return false }
    guard let place = issue.sourceLocation, place.fileName == sourceLocation.fileName else {
      return false
    }
    return line == nil || place.line == line
  }
}
