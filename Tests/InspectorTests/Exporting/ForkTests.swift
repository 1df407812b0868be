import Inspector
import TestSupport
import Testing

@testable import Inspector

@Suite("Forks", .workerPool)
struct ForkTests {
  private let storage = MemoryStorage<[String]>()
  private let favorites: SharedValue<[String]>
  private let inspector: Inspector
  private let library: Composed<Library.State, Library.Action>

  init() throws {
    let favorites = SharedValue([], keptIn: storage)
    self.favorites = favorites
    inspector = try .ofAdded()
    library = Composed(sending: Library(favorites))
    inspector.add(library, fork: { Library(favorites) })
    for book in ["Emma", "Ulysses"] { library.send(.add(book)) }
  }

  /// The shared values of a composer: those of the library and of its shelf.
  private func books(_ client: InspectorClient, _ composer: AnyJSON) async throws -> AnyJSON? {
    let text = try await client("json", ["composer": composer])["text"]?.text
    return try text.map { try AnyJSON(parsing: $0) }
  }

  private func fork(_ client: InspectorClient, of composer: AnyJSON, at event: AnyJSON) async throws
    -> AnyJSON
  {
    try await client("fork", ["composer": composer, "event": event])["composer"] ?? .null
  }

  @Test func `shared parts of a fork begin with the values of the earlier state`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let fork = try await fork(client, of: 1, at: 1)
    #expect(try await books(client, fork) == ["favorites": ["Emma"]])
    #expect(try await books(client, 1) == ["favorites": ["Emma", "Ulysses"]])
  }

  @Test func `what a fork writes to its shared parts does not reach the program`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let fork = try await fork(client, of: 1, at: 1)
    try await client("send", ["composer": fork, "action": ["add": ["_0": "Dracula"]]])
    #expect(try await books(client, fork) == ["favorites": ["Emma", "Dracula"]])
    #expect(favorites.value == ["Emma", "Ulysses"])
    favorites.update(by: "test") { $0 = [] }
    try favorites.flush()
    #expect(storage.value == [])
    #expect(library.state.favorites == [])
    #expect(try await books(client, fork) == ["favorites": ["Emma", "Dracula"]])
  }

  @Test func `a fork shares its parts with its children`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let fork = try await fork(client, of: 1, at: 1)
    try await client("send", ["composer": fork, "action": ["openShelf": [:]]])
    #expect(
      try await books(client, fork) == ["favorites": ["Emma"], "shelf": ["favorites": ["Emma"]]])
    try await client(
      "send", ["composer": fork, "action": ["shelf": ["_0": ["add": ["_0": "Dracula"]]]]])
    #expect(
      try await books(client, fork) == [
        "favorites": ["Emma", "Dracula"], "shelf": ["favorites": ["Emma", "Dracula"]],
      ])
    #expect(favorites.value == ["Emma", "Ulysses"])
  }

  @Test func `a fork of a fork goes on from the state of the fork`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let first = try await fork(client, of: 1, at: 1)
    try await client("send", ["composer": first, "action": ["add": ["_0": "Dracula"]]])
    let last = try await client("state", ["composer": first])["event"] ?? .null
    let second = try await fork(client, of: first, at: last)
    try await client("send", ["composer": second, "action": ["add": ["_0": "Carmilla"]]])
    #expect(try await books(client, second) == ["favorites": ["Emma", "Dracula", "Carmilla"]])
    #expect(try await books(client, first) == ["favorites": ["Emma", "Dracula"]])
  }

  private final class Library: Composer {
    enum Action: Codable { case add(String), openShelf, shelf(Shelf.Action) }
    struct State: Codable {
      @Shared var favorites: [String] = []
      var shelf: Shelf.State?
    }
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let sharing: Sharing<State>
    private let shelf: Child<State, Action, Shelf>

    init(_ favorites: SharedValue<[String]>) {
      sharing = Sharing(\.$favorites, favorites)
      shelf = Child(\.shelf, Action.shelf) { Shelf(favorites) }
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .add(let book): state.favorites.append(book)
      case .openShelf: state.shelf = Shelf.State()
      case .shelf(let action): return shelf.reduce(&state, action)
      }
      return .none
    }
  }

  private final class Shelf: Composer {
    enum Action: Codable { case add(String) }
    struct State: Codable { @Shared var favorites: [String] = [] }
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let sharing: Sharing<State>

    init(_ favorites: SharedValue<[String]>) { sharing = Sharing(\.$favorites, favorites) }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .add(let book): state.favorites.append(book)
      }
      return .none
    }
  }
}
