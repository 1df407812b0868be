import Compose
import Foundation
import ReactiveTesting
import TestSupport
import Testing

// MARK: - Feature

/// Anything that can be a favorite: it changes at once, and back when that cannot be saved.
private final class Favoriting: Composer {
  enum Action { case tap, saved(Bool), failed(any Error), dismissAlert }

  struct State: Equatable {
    var isFavorite = false
    var alert: String?
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let save: @Sendable (Bool) async throws -> Bool

  init(save: @escaping @Sendable (Bool) async throws -> Bool) { self.save = save }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .tap:
      state.isFavorite.toggle()
      return .run { [save, isFavorite = state.isFavorite] effect in
        effect.onNext(.send(.saved(try await save(isFavorite))))
      } catch: { error in
        .send(.failed(error))
      }
      .cancellable(id: "save", cancelInFlight: true)
    case .saved(let isFavorite): state.isFavorite = isFavorite
    case .failed(let error): state.alert = "\(error)"
    case .dismissAlert:
      state.alert = nil
      state.isFavorite.toggle()
    }
    return .none
  }
}

private final class Episode: Composer {
  enum Action { case favorite(Favoriting.Action) }

  struct State: Equatable, Identifiable {
    let id: UUID
    let title: String
    var favorite = Favoriting.State()
  }

  @ComposableState var state: State
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let favorite: Child<State, Action, Favoriting>

  init(_ id: UUID, save: @escaping @Sendable (UUID, Bool) async throws -> Bool) {
    state = State(id: id, title: "")
    favorite = Child(\State.favorite, Action.favorite) { Favoriting { try await save(id, $0) } }
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .favorite(let action): favorite.reduce(&state, action)
    }
  }
}

private final class Episodes: Composer {
  enum Action { case episode(UUID, Episode.Action) }
  struct State: Equatable { var episodes: IdentifiedArray<Episode.State> = [] }

  @ComposableState var state: State
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let episodes: Children<State, Action, UUID, Episode>

  init(_ state: State, save: @escaping @Sendable (UUID, Bool) async throws -> Bool) {
    self.state = state
    episodes = Children(\State.episodes, Action.episode) { Episode($0, save: save) }
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .episode(let id, let action): episodes.reduce(&state, id, action)
    }
  }
}

// MARK: - Tests

@Suite("Case study: a list with favorites", .workerPool)
struct FavoritesStudyTests {
  struct Offline: Error {}

  private let first = UUID()
  private let second = UUID()

  private var start: Episodes.State {
    .init(episodes: [.init(id: first, title: "Functions"), .init(id: second, title: "Parsers")])
  }

  @Test func `a favorite is shown at once, and saved`() {
    let saved = Locked<[UUID: Bool]>([:])
    let test = TestComposer(
      Episodes(start) { id, isFavorite in
        try await EffectContext.sleep(.seconds(1))
        saved.withLock { $0[id] = isFavorite }
        return isFavorite
      }
    )
    test.send(.episode(first, .favorite(.tap))) {
      $0.episodes[id: first]?.favorite.isFavorite = true
    }
    test.send(.episode(second, .favorite(.tap))) {
      $0.episodes[id: second]?.favorite.isFavorite = true
    }
    test.advance(by: .seconds(1))
    test.receive(.episode(first, .favorite(.saved(true))))
    test.receive(.episode(second, .favorite(.saved(true))))
    test.finish()
    #expect(saved.withLock { $0 } == [first: true, second: true])
  }

  @Test func `a second tap cancels the request of the first`() {
    let test = TestComposer(
      Episodes(start) { _, isFavorite in
        try await EffectContext.sleep(.seconds(1))
        return isFavorite
      }
    )
    test.send(.episode(first, .favorite(.tap))) {
      $0.episodes[id: first]?.favorite.isFavorite = true
    }
    test.advance(by: .milliseconds(500))
    test.send(.episode(first, .favorite(.tap))) {
      $0.episodes[id: first]?.favorite.isFavorite = false
    }
    test.advance(by: .seconds(1))
    test.receive(.episode(first, .favorite(.saved(false))))
    test.finish()
  }

  @Test func `a favorite that cannot be saved is taken back after an alert`() {
    let test = TestComposer(Episodes(start) { _, _ in throw Offline() })
    test.send(.episode(first, .favorite(.tap))) {
      $0.episodes[id: first]?.favorite.isFavorite = true
    }
    test.receive(.episode(first, .favorite(.failed(Offline())))) {
      $0.episodes[id: first]?.favorite.alert = "Offline()"
    }
    test.send(.episode(first, .favorite(.dismissAlert))) {
      $0.episodes[id: first]?.favorite = Favoriting.State()
    }
    test.finish()
  }
}
