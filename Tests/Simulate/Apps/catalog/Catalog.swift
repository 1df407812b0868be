import Foundation
import Reactive
import Sockets

/// The state of a shop's catalog on a screen: a search, a selection, prices, pages.
struct CatalogState: Equatable {
  struct Found: Equatable, Sendable {
    var query: String
    var items: [Int]
  }

  var query: String?
  /// What was found for the query.
  var found: Found?
  var selection: Int?
  /// The number of the item whose details are shown.
  var details: Int?
  /// How often prices were loaded.
  var priceCount = 0
  var page: Page.State?
}

/// What the catalog asks for, and notes of what is asked.
final class CatalogService: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  private var random = RandomSource.system
  private(set) var lastReport = 0
  private(set) var areReportsOrdered = true
  private(set) var cutReports = 0
  /// The page that is shown, and how often others have worked since.
  var shownPage: Int? { didSet { if shownPage != oldValue { strayWork = 0 } } }
  private(set) var strayWork = 0

  struct Busy: Error {}

  /// Waits as long as a server takes; it is busy at times.
  func answer<Value: Sendable>(_ value: Value) async throws -> Value {
    let isBusy = Int.random(in: 0..<3, using: &random) == 0
    let delay = Int.random(in: 10..<2_000, using: &random)
    try await EffectContext.sleep(.milliseconds(delay))
    if isBusy { throw Busy() }
    return value
  }

  func report(_ number: Int) async throws {
    if number < lastReport { areReportsOrdered = false }
    lastReport = max(lastReport, number)
    do {
      try await EffectContext.sleep(.milliseconds(2_500))
    } catch {
      cutReports += 1
      throw error
    }
  }

  func work(for page: Int) { if page != shownPage { strayWork += 1 } }
}

/// A catalog: each effect with what keeps it from doing harm when the user is faster.
final class Catalog: Composer {
  enum Action: Sendable {
    case search(String?), found(CatalogState.Found)
    case select(Int?), loaded(Int)
    case refresh, price
    case seen(Int), noted
    case open(Int), page(Page.Action), closed(Page.State), close
  }

  @ComposableState var state = CatalogState()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let service: CatalogService
  /// The last pages, for statistics.
  private let pages: RecentPages
  let page: Child<CatalogState, Action, Page>

  private enum ID { case search, details, prices, seen }

  init(_ service: CatalogService) {
    let pages = RecentPages()
    (self.service, self.pages) = (service, pages)
    page = Child(\CatalogState.page, Action.page, onDismiss: Action.closed) {
      let page = Page(service)
      pages.all = pages.all.suffix(3) + [page]
      return page
    }
  }

  func reducer(
    _ state: inout CatalogState, _ action: Action
  ) -> Observable<Effect<Action>> {
    switch action {
    case .search(let query):
      (state.query, state.found) = (query, nil)
      guard let query else { return .cancel(id: ID.search) }
      return .run { [service] in
        .found(try await service.answer(CatalogState.Found(query: query, items: [1, 2, 3])))
      } catch: { _ in
        .send(.found(CatalogState.Found(query: query, items: [])))
      }
      .debounce(id: ID.search, for: .milliseconds(300))
    case .found(let found): state.found = found

    case .select(let item):
      (state.selection, state.details) = (item, nil)
      guard let item else { return .cancel(id: ID.details) }
      return .run { [service] in .loaded(try await service.answer(item)) }
        .latest(id: ID.details)
        .retry(.exponential(base: .milliseconds(500), cap: .seconds(4), maxAttempts: nil))
    case .loaded(let item): state.details = item

    case .refresh:
      return .concatenate(
        .cancel(id: ID.prices),
        .interval(.send(.price), period: .seconds(1)).cancellable(id: ID.prices))
    case .price: state.priceCount += 1

    case .seen(let number):
      return .run { [service] in
        try await service.report(number)
        return .noted
      } catch: { _ in
        .send(.noted)
      }
      .throttle(id: ID.seen, for: .seconds(2))
    case .noted: break

    case .open(let number):
      state.page = Page.State(id: number)
      return .send(.page(.load))
    case .page(.turned(let number)): state.page = Page.State(id: number + 1)
    case .page(let action): return page.reduce(&state, action)
    case .closed: break
    case .close: state.page = nil
    }
    return .none
  }
}

private final class RecentPages: @unchecked Sendable {
  // Used where the composer reduces.
  var all: [Page] = []
}

/// A page of the catalog, which loads, is turned and closes itself.
final class Page: Composer {
  enum Action: Sendable {
    case load, loaded(Int), turn, turned(Int), viewed(Int), cancel
  }

  struct State: Equatable, Identifiable, Sendable {
    let id: Int
    /// Whether something of another page has arrived.
    var hasForeignView = false
  }

  @ComposableState var state = State(id: 0)
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let service: CatalogService

  init(_ service: CatalogService) { self.service = service }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    let id = state.id
    switch action {
    case .load:
      let load = Observable<Effect<Action>>.run { [service] in
        .loaded(try await service.answer(id))
      } catch: { _ in
        .send(.loaded(id))
      }
      let work = Observable<Effect<Action>>.fireAndForget { [service] in
        // A task that is cancelled before it begins runs nevertheless; after a pause there are several.
        if !Task.isCancelled { service.work(for: id) }
      }
      return .merge(load, .interval(work, period: .seconds(1)))
    case .loaded(let page), .viewed(let page): if page != id { state.hasForeignView = true }
    // The parent shows the next page; the view counts for this one.
    case .turn: return .concatenate(.send(.turned(id)), .send(.viewed(id)))
    case .turned: break
    case .cancel: return .dismiss
    }
    return .none
  }
}
