import Sockets

/// The app: a list with a sheet, a search, a stack of screens, undo, a file and a server.
final class App: Composer {
  enum Action: Codable, Equatable {
    case row(Item.ID, Row.Action), undo, redo
    case add, edit(Item.ID), editor(Editor.Action), closed(Editor.State)
    case search(String?), found([Item.ID])
    case open(Item.ID), showHistory(Item.ID), back, screen(Int, Screen.Action)
    case sync(Sync.Action)
  }

  struct State: Codable, Equatable {
    var sync = Sync.State()
    var edits = Edits()
    var editor: Editor.State?
    var path: ScreenStack<Screen.State> = []
    var query: String?
    /// The tasks that the search has found; nil without a search.
    var matches: [Item.ID]?
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let rows = Children(\State.sync.tasks.items, Action.row) { Row() }
  let editor = Child(\State.editor, Action.editor, onDismiss: Action.closed) { Editor() }
  let screens: Children<State, Action, Int, Screen>
  let sync: Child<State, Action, Sync>
  let sharing: Sharing<State>

  init(_ kept: SharedValue<TaskList>) {
    let socket = SocketHandle()
    screens = Children(\State.path, Action.screen) { Screen(socket) }
    sync = Child(\State.sync, Action.sync) { Sync(socket) }
    sharing = Sharing(\.sync.$tasks, kept)
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .row(let id, let action):
      return edit(id, &state) { rows.reduce(&$0, id, action) }
    case .undo:
      if let edit = state.edits.undo() { state.sync.tasks.set(edit.item, to: edit.before) }
    case .redo:
      if let edit = state.edits.redo() { state.sync.tasks.set(edit.item, to: edit.after) }

    case .add: state.editor = Editor.State(id: Dependencies.current.uuid())
    case .edit(let id):
      state.editor = state.sync.tasks.items[id: id].map { Editor.State(id: id, title: $0.title) }
    case .editor(let action): return editor.reduce(&state, action)
    case .closed(let editor):
      guard editor.isSaved else { break }
      return edit(editor.id, &state) {
        $0.sync.tasks.items.append(Item(id: editor.id))  // Does nothing when there is one.
        return rows.reduce(&$0, editor.id, .rename(editor.title))
      }

    case .search(let query):
      state.query = query
      guard let query, !query.isEmpty else {
        state.matches = nil
        return .cancel(id: "search")
      }
      return .run { [items = state.sync.tasks.items] in
        .found(items.filter { $0.title.lowercased().contains(query.lowercased()) }.map(\.id))
      }
      .debounce(id: "search", for: .milliseconds(300))
    case .found(let ids): state.matches = ids

    case .open(let id): state.path.push(.detail(id))
    case .showHistory(let id): state.path.push(.history(History.State(id: id)))
    case .back: state.path.pop()
    case .screen(let id, let action): return screens.reduce(&state, id, action)

    case .sync(let action): return sync.reduce(&state, action)
    }
    return .none
  }

  /// A second app for the inspector, which goes on with the tasks of an earlier state; they are not kept.
  static let fork: @Sendable () -> sending App = { App(SharedValue(TaskList())) }

  /// Makes a change of a task one that can be undone, and is sent to the server.
  private func edit(
    _ id: Item.ID, _ state: inout State,
    _ change: (inout State) -> Observable<Effect<Action>>
  ) -> Observable<Effect<Action>> {
    let before = state.sync.tasks.items[id: id]
    let effect = change(&state)
    let after = state.sync.tasks.items[id: id]
    if before != after {
      state.edits.record(Edit(item: id, before: before, after: after))
      state.sync.tasks.set(id, to: after)
    }
    return effect
  }
}
