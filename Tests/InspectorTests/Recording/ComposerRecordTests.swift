import Inspector
import TestSupport
import Testing

@testable import Inspector

/// A type with composers in it.
enum Feature {
  struct Row: Sendable {}

  /// A nested composer.
  final class Total: Composer {
    typealias Action = Int
    struct State: Codable, Sendable { var sum = 0 }
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      state.sum += action
      return .none
    }
  }

  /// A generic composer.
  final class Paged<Element>: Composer {
    typealias Action = Int
    struct State: Sendable {}
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .none }
  }
}

@Suite("ComposerRecord", .workerPool)
struct ComposerRecordTests {
  private let inspector: Inspector

  init() throws {
    inspector = try .ofAdded()
  }

  private final class Local: Composer {
    typealias Action = Int
    struct State: Sendable {}
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .none }
  }

  @Test func `the type of a composer has the types around it, without its module`() async throws {
    let total = Composed(sending: Feature.Total())
    let paged = Composed(sending: Feature.Paged<Feature.Row>())
    let local = Composed(sending: Local())
    inspector.add(total)
    inspector.add(paged)
    inspector.add(local)
    let client = try await InspectorClient.greeted(inspector.url)
    let composers = try await client("composers")["composers"]?.elements ?? []
    #expect(
      composers.map { $0["type"]?.text } == [
        "Feature.Total", "Feature.Paged<InspectorTests.Feature.Row>", "Local",
      ])
    withExtendedLifetime((total, paged, local)) {}
  }

  @Test func `the test of a nested composer creates that type`() async throws {
    let total = Composed(sending: Feature.Total())
    inspector.add(total)
    total.send(1)
    let client = try await InspectorClient.greeted(inspector.url)
    let text = try await client("export", ["composer": 1, "format": "swiftTest"])["text"]?.text
    #expect(text?.contains("@testable import InspectorTests") == true)
    #expect(text?.contains("recording.replay(into: Feature.Total())") == true)
  }
}
