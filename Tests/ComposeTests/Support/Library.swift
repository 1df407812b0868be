import Compose

/// A composer that shares its favorites, for tests of shared values.
final class Library: Composer {
  enum Action: Codable, Equatable {
    case toggle(Int), replace(Set<Int>), poll
    case shelf(Shelf.Action), open, openAndAdd(Int), close
  }

  struct State: Codable, Equatable {
    var favorites: Set<Int> = []
    var isLoud = false
    var shelf: Shelf.State?
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  let name: String
  private let favorites: Shared<State, Set<Int>>
  private let shelf: Child<State, Action, Shelf>

  init(_ favorites: SharedValue<Set<Int>>, name: String = "Library") {
    self.name = name
    self.favorites = Shared(\.favorites, favorites)
    shelf = Child(\State.shelf, Action.shelf) { Shelf(favorites) }
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .toggle(let book): state.favorites.formSymmetricDifference([book])
    case .replace(let books): state.favorites = books
    case .poll: return .interval(.send(.toggle(9)), period: .seconds(1))
    case .shelf(let action): return shelf.reduce(&state, action)
    case .open: state.shelf = Shelf.State()
    case .openAndAdd(let book):
      state.shelf = Shelf.State()
      return shelf.reduce(&state, .add(book))
    case .close: state.shelf = nil
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.favorites.contains(7) {
      StateEffect(id: "seven") { .send(.toggle(70), after: .seconds(1)) }
    }
  }
}

/// A child that shares the favorites of its parent.
final class Shelf: Composer {
  enum Action: Codable, Equatable { case add(Int), look }
  struct State: Codable, Equatable {
    var books: Set<Int> = []
    var seen: Set<Int> = []
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let books: Shared<State, Set<Int>>

  init(_ books: SharedValue<Set<Int>>) { self.books = Shared(\.books, books) }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .add(let book): state.books.insert(book)
    case .look: state.seen = state.books
    }
    return .none
  }
}
