import Inspector
import TestSupport
import Testing

@testable import Inspector

@Suite("Forks", .workerPool)
struct ForkTests {
  private let storage = MemoryStorage<[String]>()
  private let favorites: SharedValue<[String]>
  private let rating = SharedValue(0)
  private let inspector: Inspector
  private let library: Composed<Library.State, Library.Action>

  init() throws {
    let favorites = SharedValue([], keptIn: storage)
    self.favorites = favorites
    inspector = try .ofAdded()
    let rating = rating
    library = Composed(sending: Library(favorites, rating))
    inspector.add(library, fork: { Library(favorites, rating) })
    for book in ["Emma", "Ulysses"] { library.send(.add(book)) }
  }

  /// The state of a composer: the books of the library, and those of its shelf.
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
    try favorites.flush()
    #expect(storage.value == ["Emma", "Ulysses"])
    favorites.update(by: "test") { $0 = [] }
    #expect(library.state.favorites == [])
    #expect(try await books(client, fork) == ["favorites": ["Emma", "Dracula"]])
  }

  @Test func `a fork shares its parts with its children`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    let fork = try await fork(client, of: 1, at: 1)
    try await client("send", ["composer": fork, "action": ["openShelf": [:]]])
    #expect(
      try await books(client, fork) == [
        "favorites": ["Emma"], "shelf": ["favorites": ["Emma"], "rating": 0],
      ])
    try await client(
      "send", ["composer": fork, "action": ["shelf": ["_0": ["add": ["_0": "Dracula"]]]]])
    #expect(
      try await books(client, fork) == [
        "favorites": ["Emma", "Dracula"],
        "shelf": ["favorites": ["Emma", "Dracula"], "rating": 0],
      ])
    #expect(favorites.value == ["Emma", "Ulysses"])
  }

  @Test func `a fork at the step in which a child has written has what it wrote`() async throws {
    let client = try await InspectorClient.greeted(inspector.url)
    library.send(.openShelf)
    library.send(.shelf(.add("Dracula")))
    let event = try await client("state", ["composer": 1])["event"]?.number ?? 0
    // The step of the child, whose parent catches up in the next one.
    let fork = try await fork(client, of: 1, at: .integer(Int64(event - 1)))
    let books: AnyJSON = ["Emma", "Ulysses", "Dracula"]
    #expect(try await self.books(client, fork)?["shelf"]?["favorites"] == books)
    try await client("send", ["composer": fork, "action": ["closeShelf": [:]]])
    #expect(try await self.books(client, fork) == ["favorites": books])
  }

  @Test func `a child that appears in a fork of a fork has the values of the first fork`()
    async throws
  {
    let client = try await InspectorClient.greeted(inspector.url)
    let first = try await fork(client, of: 1, at: 1)
    try await client("send", ["composer": first, "action": ["openShelf": [:]]])
    try await client(
      "send", ["composer": first, "action": ["shelf": ["_0": ["rate": ["_0": 5]]]]])
    try await client("send", ["composer": first, "action": ["closeShelf": [:]]])
    let last = try await client("state", ["composer": first])["event"] ?? .null
    let second = try await fork(client, of: first, at: last)
    try await client("send", ["composer": second, "action": ["openShelf": [:]]])
    #expect(try await books(client, second)?["shelf"]?["rating"] == 5)
    #expect(rating.value == 0)
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
    enum Action: Codable { case add(String), openShelf, closeShelf, shelf(Shelf.Action) }
    struct State: Codable {
      @Shared var favorites: [String] = []
      var shelf: Shelf.State?
    }
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let sharing: Sharing<State>
    private let shelf: Child<State, Action, Shelf>

    init(_ favorites: SharedValue<[String]>, _ rating: SharedValue<Int>) {
      sharing = Sharing(\.$favorites, favorites)
      shelf = Child(\.shelf, Action.shelf) { Shelf(favorites, rating) }
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .add(let book): state.favorites.append(book)
      case .openShelf: state.shelf = Shelf.State()
      case .closeShelf: state.shelf = nil
      case .shelf(let action): return shelf.reduce(&state, action)
      }
      return .none
    }
  }

  private final class Shelf: Composer {
    enum Action: Codable { case add(String), rate(Int) }
    struct State: Codable {
      @Shared var favorites: [String] = []
      @Shared var rating = 0
    }
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let sharing: Sharing<State>
    private let sharingRating: Sharing<State>

    init(_ favorites: SharedValue<[String]>, _ rating: SharedValue<Int>) {
      sharing = Sharing(\.$favorites, favorites)
      sharingRating = Sharing(\.$rating, rating)
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .add(let book): state.favorites.append(book)
      case .rate(let rating): state.rating = rating
      }
      return .none
    }
  }
}
