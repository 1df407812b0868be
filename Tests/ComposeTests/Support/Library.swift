import Compose

/// A composer that shares its favorites, for tests of shared values.
final class Library: Composer {
  enum Action: Codable, Equatable {
    case toggle(Int), replace(Set<Int>)
    case shelf(Shelf.Action), open, openAndAdd(Int), addAndClose(Int), addInjectedAndClose(Int),
      close,
      reset
    case restore(State, favorites: Bool)
  }

  struct State: Codable, Equatable {
    @Shared var favorites: Set<Int> = []
    var isLoud = false
    var shelf: Shelf.State?
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  var middleware: [any Middleware<State, Action>] = []
  let name: String
  private let sharing: Sharing<State>
  private let shelf: Child<State, Action, Shelf>

  convenience init(_ favorites: Set<Int>, keptIn storage: some ValueStorage<Set<Int>>) {
    self.init(SharedValue(favorites, keptIn: storage))
  }

  init(_ favorites: SharedValue<Set<Int>>, name: String = "Library") {
    self.name = name
    sharing = Sharing(\.$favorites, favorites)
    shelf = Child(\State.shelf, Action.shelf) { Shelf(favorites) }
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .toggle(let book): state.favorites.formSymmetricDifference([book])
    case .replace(let books): state.favorites = books
    case .shelf(let action): return shelf.reduce(&state, action)
    case .open: state.shelf = Shelf.State()
    case .openAndAdd(let book):
      state.shelf = Shelf.State()
      return shelf.reduce(&state, .add(book))
    case .addAndClose(let book):
      _ = shelf.reduce(&state, .add(book))
      state.shelf = nil
    case .addInjectedAndClose(let book):
      _ = Dependencies.with {
        $0.random = .seeded(7)
      } run: {
        shelf.reduce(&state, .add(book))
      }
      state.shelf = nil
    case .close: state.shelf = nil
    case .reset: state = State()
    case .restore(let old, let favorites):
      state = old
      if favorites { state.favorites = old.favorites }
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.favorites.contains(7_777) {
      StateEffect(id: "seven") { .send(.toggle(70), after: .seconds(1)) }
    }
  }
}

/// A child that shares the favorites of its parent.
final class Shelf: Composer {
  enum Action: Codable, Equatable { case add(Int), look }
  struct State: Codable, Equatable {
    @Shared var books: Set<Int> = []
    var seen: Set<Int> = []
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let sharing: Sharing<State>

  init(_ books: SharedValue<Set<Int>>) { sharing = Sharing(\.$books, books) }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .add(let book): state.books.insert(book)
    case .look: state.seen = state.books
    }
    return .none
  }
}
