// Pagination
//
// Problem: A list loads its next page when the reader reaches its end, once for each page, and
// starts anew when it is pulled down.
//
// Words: infinite scroll, load more, paging, cursor, pull to refresh, next page
//
// Why: The cursor is part of the state: no cursor means that the list is complete. `whenBusy:
// .ignore` makes the second `reachedEnd` of a page do nothing; `refresh` is `.replace`, and its
// answer replaces the list.
//
// Ends: The effect ends with its page. An error keeps the cursor, so that the next `reachedEnd`
// tries again. The end of the composer cancels the request.
//
// See: flatMapFirst, Compose/EffectConflictPolicy, Compose/ReturningEffects

import Compose
import ReactiveTesting
import Testing

struct Page: Equatable {
  var rows: [String]
  var next: Int?
}

final class PagedList: Composer {
  enum Action: Equatable { case refresh, reachedEnd, loaded(Page, isFirst: Bool), failed }
  struct State: Equatable { var rows: [String] = [], next: Int? = 0, hasFailed = false }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let load: @Sendable (_ cursor: Int) async throws -> Page

  init(load: @escaping @Sendable (_ cursor: Int) async throws -> Page) { self.load = load }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .refresh: return page(0).cancellable(id: "page", whenBusy: .replace)
    case .reachedEnd:
      guard let cursor = state.next else { return .none }
      return page(cursor).cancellable(id: "page", whenBusy: .ignore)
    case .loaded(let page, let isFirst):
      state.rows = isFirst ? page.rows : state.rows + page.rows
      state.next = page.next
      state.hasFailed = false
    case .failed: state.hasFailed = true
    }
    return .none
  }

  private func page(_ cursor: Int) -> Observable<Effect<Action>> {
    .run { [load] in
      .loaded(try await load(cursor), isFirst: cursor == 0)
    } catch: { _ in
      .send(.failed)
    }
  }
}

@Test func `each page is loaded once, and a refresh begins at the first one`() {
  let first = Page(rows: ["a", "b"], next: 2)
  let second = Page(rows: ["c"], next: nil)
  let test = TestComposer(
    PagedList { cursor in
      try await EffectContext.sleep(.seconds(1))
      return cursor == 0 ? first : second
    })
  test.send(.reachedEnd)
  test.send(.reachedEnd)  // The first page is loading: nothing happens.
  test.expect("-(a|)", ["a": .loaded(first, isFirst: true)]) {
    ($0.rows, $0.next) = (["a", "b"], 2)
  }
  test.send(.reachedEnd)
  test.expect("-(b|)", ["b": .loaded(second, isFirst: false)]) {
    $0 = PagedList.State(rows: ["a", "b", "c"], next: nil)
  }
  test.send(.reachedEnd)  // There is no further page.
  test.send(.refresh)
  test.expect("-(a|)", ["a": .loaded(first, isFirst: true)]) {
    ($0.rows, $0.next) = (["a", "b"], 2)
  }
  test.finish()
}
