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

final class Note: Composer {
  enum Action: Equatable { case type(String), save, saved, discard }
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
      (state.text, state.isSaved) = (text, false)
      return .send(.save)
    case .save: return Observable.send(.saved).debounce(id: "save", for: .seconds(1))
    case .saved: state.isSaved = true
    case .discard: return .dismiss
    }
    return .none
  }
}

final class Notebook: Composer {
  enum Action: Equatable {
    case cover(Page.Action)
    case draft(Page.Action), openDraft, closeDraft
    case note(Int, Note.Action), add(Int), move(Int, to: Int), tearOut(Int)
  }

  struct State: Equatable {
    var cover = Page.State()
    var draft: Page.State?
    var notes: IdentifiedArray<Note.State> = []
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let cover = Child(\State.cover, Action.cover) { Page() }
  let draft = Child(\State.draft, Action.draft) { Page() }
  let notes = Children(\State.notes, Action.note) { Note() }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .cover(let action): return cover.reduce(&state, action)
    case .draft(let action): return draft.reduce(&state, action)
    case .note(let id, let action): return notes.reduce(&state, id, action)
    case .openDraft: state.draft = Page.State()
    case .closeDraft: state.draft = nil
    case .add(let id): state.notes.append(Note.State(id: id))
    case .move(let id, let position): state.notes.move(id: id, to: position)
    case .tearOut(let id): state.notes[id: id] = nil
    }
    return .none
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

  func notebook(after actions: Notebook.Action...) -> Notebook {
    let screen = time.run { Screen() }
    for action in actions { screen.composer.action.accept(action) }
    return screen.composer
  }

  @Test func `each child reduces its part, and its id is its own`() {
    let notebook = notebook(
      after: .openDraft, .add(1), .add(2), .cover(.type("a")), .draft(.type("b")),
      .note(1, .type("c")))
    time.advance(by: .seconds(1))
    #expect(notebook.state.cover == Page.State(text: "a", isSaved: true))
    #expect(notebook.state.draft == Page.State(text: "b", isSaved: true))
    #expect(
      notebook.state.notes == [Note.State(id: 1, text: "c", isSaved: true), Note.State(id: 2)])
  }

  @Test func `effects of a child end with its state`() {
    let notebook = notebook(
      after: .openDraft, .draft(.type("b")), .closeDraft, .add(1), .note(1, .type("c")),
      .tearOut(1))
    #expect(notebook.disposeBag.count == 0)
    time.advance(by: .seconds(10))
    #expect(notebook.state == Notebook.State())
  }

  @Test func `a child that is moved keeps its effects`() {
    let notebook = notebook(
      after: .add(1), .add(2), .add(3), .note(2, .type("b")), .move(2, to: 0))
    time.advance(by: .seconds(1))
    #expect(notebook.state.notes.ids == [2, 1, 3])
    #expect(notebook.state.notes.first == Note.State(id: 2, text: "b", isSaved: true))
  }

  @Test func `a child dismisses itself`() {
    let notebook = notebook(
      after: .add(1), .add(2), .note(1, .type("a")), .note(1, .discard))
    #expect(notebook.state.notes == [Note.State(id: 2)])
    #expect(notebook.disposeBag.count == 0)
  }

  @Test func `a child's view uses the child's types only`() {
    let screen = time.run { Screen() }
    let view = screen.makeCoverView()
    view.typed("mine")
    #expect(view.text == "mine")
    #expect(screen.composer.state.cover.text == "mine")
  }
}
