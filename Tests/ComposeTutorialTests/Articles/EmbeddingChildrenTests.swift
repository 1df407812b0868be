import Compose
import ReactiveTesting
import TestSupport
import Testing

final class Page: Composer {
  enum Action: Equatable { case type(String), save, saved }
  struct State: Equatable { var text = "", isSaved = false, isRead = false }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .type(let text):
      (state.text, state.isSaved) = (text, false)
      return .send(.save)
    case .save: return Observable.send(.saved).debounce(id: "save", for: .seconds(1))
    case .saved: state.isSaved = true
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.isRead { StateEffect(id: "save") { .interval(.send(.save), period: .seconds(60)) } }
  }
}

final class Notebook: Composer {
  enum Action: Equatable {
    case cover(Page.Action)
    case draft(Page.Action), openDraft, closeDraft
    case page(Int, Page.Action), add(Int), tearOut(Int)
  }

  struct State: Equatable {
    var cover = Page.State()
    var draft: Page.State?
    var pages: [Int: Page.State] = [:]
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let cover = Page()
  let draft = OptionalChild { Page() }
  let pages = Children { (_: Int) in Page() }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .cover(let action): return reduce(cover, &state.cover, action) { .cover($0) }
    case .draft(let action): return reduce(draft, &state.draft, action) { .draft($0) }
    case .page(let number, let action):
      return reduce(pages, number, &state.pages[number], action) { .page(number, $0) }
    case .openDraft: state.draft = Page.State()
    case .closeDraft: state.draft = nil
    case .add(let number): state.pages[number] = Page.State()
    case .tearOut(let number): state.pages[number] = nil
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    stateEffects(of: cover, state.cover) { .cover($0) }
    stateEffects(of: draft, state.draft) { .draft($0) }
    stateEffects(of: pages, state.pages) { .page($0, $1) }
  }
}

final class Note: Composer {
  enum Action: Equatable { case type(String), save, saved }
  struct State: Equatable, Identifiable {
    let id: Int
    var text = ""
    var isSaved = false
  }

  @ComposableState var state = State(id: 0)
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .type(let text):
      state.text = text
      return Observable.send(.save).debounce(id: "save", for: .seconds(1))
    case .save: return .send(.saved)
    case .saved: state.isSaved = true
    }
    return .none
  }
}

final class Board: Composer {
  enum Action: Equatable {
    case note(Int, Note.Action), add(Int), move(Int, to: Int), drop(Int)
  }

  struct State: Equatable { var notes: IdentifiedArray<Note.State> = [] }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let notes = Children { (_: Int) in Note() }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .note(let id, let action):
      return reduce(notes, id, &state.notes[id: id], action) { .note(id, $0) }
    case .add(let id): state.notes.append(Note.State(id: id))
    case .move(let id, let position): state.notes.move(id: id, to: position)
    case .drop(let id): state.notes[id: id] = nil
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    stateEffects(of: notes, state.notes) { .note($0, $1) }
  }
}

@MainActor
final class CoverView {
  private(set) var text = ""
  private let disposeBag = DisposeBag()
  private let send: (Page.Action) -> Void

  init(_ cover: Driver<Page.State>, send: @escaping (Page.Action) -> Void) {
    self.send = send
    cover.map(\.text).drive(with: self) { $0.text = $1 }.disposed(by: disposeBag)
  }

  func typed(_ text: String) { send(.type(text)) }
}

@MainActor
@Suite("The examples of EmbeddingChildren.md", .workerPool)
struct EmbeddingChildrenTests {
  @MainActor
  final class Screen {
    @Compose var composer = Notebook()

    func makeCoverView() -> CoverView {
      CoverView(composer.$state.select(\.cover)) { [action = composer.action] in
        action.accept(.cover($0))
      }
    }
  }

  let time = VirtualTime()

  @Test func `each child reduces its part, and its id is its own`() {
    let screen = time.run { Screen() }
    let notebook = screen.composer
    for action: Notebook.Action in [
      .openDraft, .add(1), .add(2), .cover(.type("a")), .draft(.type("b")), .page(1, .type("c")),
    ] { notebook.action.accept(action) }
    time.advance(by: .seconds(1))
    #expect(notebook.state.cover == Page.State(text: "a", isSaved: true))
    #expect(notebook.state.draft == Page.State(text: "b", isSaved: true))
    #expect(notebook.state.pages == [1: Page.State(text: "c", isSaved: true), 2: Page.State()])
  }

  @Test func `effects of a child end with its state`() {
    let screen = time.run { Screen() }
    let notebook = screen.composer
    for action: Notebook.Action in [
      .openDraft, .draft(.type("b")), .closeDraft, .add(1), .page(1, .type("c")), .tearOut(1),
    ] { notebook.action.accept(action) }
    #expect(notebook.pages.ids.isEmpty)
    #expect(notebook.disposeBag.count == 0)
    time.advance(by: .seconds(10))
    #expect(notebook.state == Notebook.State())
  }

  @Test func `children whose states are in an order keep their effects when they are moved`() {
    let board = time.run { Composed(sending: Board()) }
    for action: Board.Action in [
      .add(1), .add(2), .add(3), .note(2, .type("b")), .move(2, to: 0), .note(3, .type("c")),
      .drop(3),
    ] { board.send(action) }
    time.advance(by: .seconds(1))
    #expect(board.state.notes == [Note.State(id: 2, text: "b", isSaved: true), Note.State(id: 1)])
  }

  @Test func `a child's view uses the child's types only`() {
    let screen = time.run { Screen() }
    let view = screen.makeCoverView()
    view.typed("mine")
    #expect(view.text == "mine")
    #expect(screen.composer.state.cover.text == "mine")
  }
}
