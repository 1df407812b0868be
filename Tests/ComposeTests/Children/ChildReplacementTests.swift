import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("The replacement of a child", .workerPool)
struct ChildReplacementTests {
  typealias Work<Action: Sendable> = Observable<Effect<Action>>

  /// A page with an id, whose actions are described by a closure.
  final class Page: Composer {
    enum Action: Equatable { case go, mark(Int) }
    struct State: Equatable, Identifiable {
      var id: Int
      var marks: [Int] = []
    }
    @ComposableState var state = State(id: 0)
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let token: LiveToken
    private let go: (Int) -> Work<Action>

    init(_ liveCount: LiveCount, _ go: @escaping (Int) -> Work<Action>) {
      (token, self.go) = (LiveToken(liveCount), go)
    }

    func reducer(_ state: inout State, _ action: Action) -> Work<Action> {
      switch action {
      case .go: return go(state.id)
      case .mark(let mark):
        state.marks.append(mark)
        return .none
      }
    }
  }

  class Book: Composer, EffectFailureHandling {
    enum Action: Equatable {
      case open(Int), openAndGo(Int), page(Page.Action), failed, all([Action])
    }
    struct State: Equatable {
      var page: Page.State?
      var failures = 0
    }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let page: Child<State, Action, Page>
    static let reducesInPlace = true

    init(_ liveCount: LiveCount, _ go: @escaping (Int) -> Work<Page.Action>) {
      page = Child(\State.page, Action.page) { Page(liveCount, go) }
    }

    func reducer(_ state: inout State, _ action: Action) -> Work<Action> {
      switch action {
      case .open(let id): state.page = Page.State(id: id)
      case .openAndGo(let id):
        state.page = Page.State(id: id)
        return page.reduce(&state, .go)
      case .page(let action): return page.reduce(&state, action)
      case .failed: state.failures += 1
      case .all(let actions): return .just(.group(actions))
      }
      return .none
    }

    func effectFailed(_ failure: EffectFailure<Action>) -> Work<Action> { .send(.failed) }
  }

  private struct Torn: Error {}

  private let time = VirtualTime()
  private let liveCount = LiveCount()

  private func book(_ go: @escaping (Int) -> Work<Page.Action>) -> Screen<Book> {
    time.run { Screen(Book(liveCount, go)) }
  }

  /// The composer that a closure of its child reads or writes.
  private final class Later<C: Composer>: @unchecked Sendable {
    // Set before the first action; the composer is used on the main thread.
    weak var composer: C?

    @MainActor func bound(to screen: Screen<C>) -> Screen<C> {
      composer = screen.composer
      return screen
    }
  }

  @Test func `a write from outside drops what the child of the written state has sent before`() {
    let book = Later<Book>()
    let screen = book.bound(
      to: self.book { _ in
        .create { observer in
          observer.onNext(.send(.mark(1)))
          observer.onNext(.dismiss)
          book.composer?.state.page = Page.State(id: 2)
          return Disposables.create()
        }
      })
    screen.composer.action.accept(.openAndGo(1))
    #expect(screen.composer.state.page == Page.State(id: 2))
  }

  @Test func `a child whose id returns within a group goes on`() {
    let screen = book { _ in .interval(.send(.mark(1)), period: .seconds(1)) }
    screen.composer.action.accept(.openAndGo(1))
    screen.composer.action.accept(.all([.openAndGo(2), .open(1), .page(.mark(7))]))
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.page == Page.State(id: 1, marks: [7, 1, 1]))
    #expect(liveCount.count == 1)
  }

  @Test func `an effect of a child may read the state of its parent when the child is replaced`() {
    let book = Later<Book>()
    let ids = EventRecorder<Int?>()
    let screen = book.bound(
      to: self.book { id in
        if id == 2 { return .none }
        return .create { _ in
          Disposables.create { ids.append(book.composer?.state.page?.id) }
        }
      })
    screen.composer.action.accept(.openAndGo(1))
    screen.composer.action.accept(.openAndGo(2))
    #expect(ids.events == [2])
  }

  @Test func `the failure of a child that has ended is not handled`() {
    let failures = PublishSubject<Effect<Page.Action>>()
    let screen = book { id in id == 1 ? failures.asObservable() : .none }
    let relay = screen.composer.action
    relay.accept(.openAndGo(1))
    let bag = DisposeBag()
    relay.subscribe(onNext: { action in
      // The failure waits for its turn behind the step that replaces the page.
      if action == .open(2) { failures.onError(Torn()) }
    }).disposed(by: bag)
    relay.accept(.open(2))
    #expect(screen.composer.state.failures == 0)
  }

  @Test func `the failure of a child that goes on is handled`() {
    let failures = PublishSubject<Effect<Page.Action>>()
    let screen = book { _ in failures.asObservable() }
    screen.composer.action.accept(.openAndGo(1))
    failures.onError(Torn())
    #expect(screen.composer.state.failures == 1)
  }

  @Test func `a problem of a child is reported after its step, when the state can be read`() {
    let book = Later<Book>()
    let reports = EventRecorder<String>()
    let context = EffectContext(
      time.context.dependencies, nil,
      onProblem: { reports.append("\($0) \(book.composer?.state.failures ?? -1)") })
    let screen = context.run { Screen(Book(liveCount) { _ in .none }) }
    book.composer = screen.composer
    screen.composer.action.accept(.page(.go))
    #expect(
      reports.events == [
        "Page has no state and was sent go, which was dropped. "
          + "Stop the sender when the child's state becomes nil. 0"
      ])
  }

  @Test func `an effect that follows one of a child's child does not start when the child ends`() {
    final class Shelf: Composer {
      enum Action: Equatable { case book(Book.Action), close }
      struct State: Equatable { var book: Book.State? = Book.State() }
      @ComposableState var state = State()
      var action = PublishRelay<Action>()
      var disposeBag = DisposeBag()
      private let book: Child<State, Action, Reader>
      init(_ book: @escaping () -> Reader) { self.book = Child(\State.book, Action.book, book) }
      func reducer(_ state: inout State, _ action: Action) -> Work<Action> {
        switch action {
        case .book(let action): return book.reduce(&state, action)
        case .close: state.book = nil
        }
        return .none
      }
    }
    /// A book that starts another effect when that of its page has ended.
    final class Reader: Book {
      var onStart: @Sendable () -> Void = {}
      override func reducer(_ state: inout State, _ action: Action) -> Work<Action> {
        let effect = super.reducer(&state, action)
        guard case .openAndGo = action else { return effect }
        let onStart = onStart
        return .concatenate(
          effect,
          .deferred {
            onStart()
            return .none
          })
      }
    }
    let starts = EventRecorder<String>()
    let liveCount = liveCount
    let screen = time.run {
      Screen(
        Shelf {
          let reader = Reader(liveCount) { _ in .never() }
          reader.onStart = { starts.append("started") }
          return reader
        })
    }
    screen.composer.action.accept(.book(.openAndGo(1)))
    screen.composer.action.accept(.close)
    #expect(starts.events == [])
    #expect(liveCount.count == 0)
  }

  // MARK: Screens

  final class Home: Composer {
    enum Action: Equatable { case show(thenGo: Bool), screen(Int, Page.Action) }
    struct State: Equatable { var path: ScreenStack<Page.State> = [] }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let screens: Children<State, Action, Int, Page>

    init(_ liveCount: LiveCount) {
      screens = Children(\State.path, Action.screen) {
        Page(liveCount) { _ in .interval(.send(.mark(1)), period: .seconds(1)) }
      }
    }

    func reducer(_ state: inout State, _ action: Action) -> Work<Action> {
      switch action {
      case .show(let thenGo):
        state.path = [Page.State(id: 1)]
        return thenGo ? screens.reduce(&state, 0, .go) : .none
      case .screen(let id, let action): return screens.reduce(&state, id, action)
      }
    }
  }

  @Test func `a screen of a new stack is another child also in the step that shows it`() {
    let screen = time.run { Screen(Home(liveCount)) }
    for _ in 0..<2 {
      screen.composer.action.accept(.show(thenGo: true))
      time.advance(by: .seconds(1))
      #expect(screen.composer.state.path.top?.marks == [1])
      #expect(liveCount.count == 1)
    }
    screen.composer.action.accept(.show(thenGo: false))
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.path.top?.marks == [])
  }

  // MARK: Without a store that updates the children

  @Test func `Given ends the children whose states are gone, and names their dismissal`() {
    let liveCount = liveCount
    let book = Book(liveCount) { id in id == 1 ? .dismiss : .send(.mark(id)) }
    let given = Given(book, Book.State(page: Page.State(id: 1)))
    #expect(given.when(.page(.go)).effects == [.change("dismiss Page")])
    #expect(given.when(.openAndGo(2), .open(3)).effects == [.send(.page(.mark(2))), .none])
    #expect(liveCount.count == 1)
  }

  @Test func `children that are not found do not accumulate`() {
    let liveCount = liveCount
    let page = Child(\Book.State.page, Book.Action.page) {
      Page(liveCount) { _ in .none }
    }
    var state = Book.State()
    for id in 0..<10 {
      state.page = Page.State(id: id)
      _ = page.reduce(&state, .go)
    }
    #expect(liveCount.count == 1)
  }

  @Test func `the effects of a child end with its declaration`() {
    let liveCount = liveCount
    final class Box: Composer {
      enum Action: Equatable { case page(Page.Action), discard }
      struct State: Equatable { var page: Page.State? = Page.State(id: 1) }
      @ComposableState var state = State()
      var action = PublishRelay<Action>()
      var disposeBag = DisposeBag()
      var page: Child<State, Action, Page>?
      init(_ make: @escaping () -> Page) { page = Child(\State.page, Action.page, make) }
      func reducer(_ state: inout State, _ action: Action) -> Work<Action> {
        switch action {
        case .page(let action): return page?.reduce(&state, action) ?? .none
        case .discard: page = nil
        }
        return .none
      }
    }
    let kept = Page(liveCount) { _ in .interval(.send(.mark(1)), period: .seconds(1)) }
    let screen = time.run { Screen(Box { kept }) }
    screen.composer.action.accept(.page(.go))
    screen.composer.action.accept(.discard)
    time.advance(by: .seconds(2))
    #expect(screen.composer.disposeBag.count == 0)
    #expect(kept.disposeBag.count == 0)
  }
}
