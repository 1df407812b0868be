import Sockets

/// What the terminal shows: the state, and what only the view knows.
struct Page {
  /// The result of a key.
  enum Command: Equatable { case send(App.Action), plug, quit }

  var state: App.State
  var cursor = 0
  var isSearching = false
  var message = ""

  // MARK: Keys

  /// Moves the cursor, or returns what the key asks for.
  mutating func press(_ key: Key) -> Command? {
    message = ""
    if key == .character("\u{3}") { return .quit }  // Ctrl-C
    if let editor = state.editor { return edit(editor, key).map { .send(.editor($0)) } }
    if isSearching { return search(key).map { .send(.search($0)) } }
    switch key {
    case .character("q"): return .quit
    case .character("o"): return .plug
    case .character("j"), .down: cursor = min(cursor + 1, max(0, rowCount - 1))
    case .character("k"), .up: cursor = max(0, cursor - 1)
    case .character("/"): isSearching = true
    default: return action(key).map { .send($0) }
    }
    return nil
  }

  private func action(_ key: Key) -> App.Action? {
    switch (key, shown) {
    case (.character(" "), let id?): .row(id, .toggle)
    case (.character("e"), let id?): .edit(id)
    case (.character("n"), _): .add
    case (.character("u"), _): .undo
    case (.character("r"), _): .redo
    case (.enter, let id?): state.path.isEmpty ? .open(id) : .showHistory(id)
    case (.escape, _), (.backspace, _): state.path.isEmpty ? .search(nil) : .back
    default: nil
    }
  }

  private func edit(_ editor: Editor.State, _ key: Key) -> Editor.Action? {
    switch key {
    case .enter: .save
    case .escape: .cancel
    case .backspace: .type(String(editor.title.dropLast()))
    case .character(let character): .type(editor.title + String(character))
    case .up, .down: nil
    }
  }

  /// Returns the new query; nil without a change.
  private mutating func search(_ key: Key) -> String?? {
    cursor = 0
    let query = state.query ?? ""
    switch key {
    case .backspace: return String(query.dropLast())
    case .character(let character): return query + String(character)
    case .enter, .up, .down:
      isSearching = false
      return nil
    case .escape:
      isSearching = false
      return .some(nil)
    }
  }

  // MARK: Rows

  private var rowCount: Int { state.matches?.count ?? state.sync.tasks.items.count }

  private func row(_ position: Int) -> Item? {
    let items = state.sync.tasks.items
    guard position >= 0, position < rowCount else { return nil }
    return if let matches = state.matches { items[id: matches[position]] } else { items[position] }
  }

  /// The task of the screen that is shown, or that of the cursor.
  private var shown: Item.ID? {
    switch state.path.top {
    case .detail(let id): id
    case .history(let history): history.id
    case nil: row(cursor)?.id
    }
  }

  // MARK: Drawing

  func lines(width: Int, height: Int) -> [String] {
    let body = body(height: max(1, height - 4)).map { String($0.prefix(width)) }
    let empty = Array(repeating: "", count: max(0, height - 4 - body.count))
    return [String(head.prefix(width)), ""] + body + empty + ["", String(foot.prefix(width))]
  }

  private var head: String {
    let list = state.sync.tasks
    let waiting = list.unsynced.isEmpty ? "" : ", \(list.unsynced.count) unsynced"
    return " tasks   \(rowCount) of \(list.items.count)   \(state.sync.link)\(waiting)"
  }

  private var foot: String {
    if let editor = state.editor { return " title: \(editor.title)_  \(editor.alert ?? "")" }
    if isSearching { return " search: \(state.query ?? "")_" }
    if !message.isEmpty { return " \(message)" }
    return " j k move  space toggle  e edit  n new  / search  u undo  r redo  enter open  esc back"
      + "  o network  q quit"
  }

  private func body(height: Int) -> [String] {
    switch state.path.top {
    case nil:
      let first = max(0, min(cursor - height / 2, rowCount - height))
      return (first..<min(first + height, max(first, rowCount))).map { position in
        "\(position == cursor ? " >" : "  ") \(row(position).map { Self.text($0) } ?? "")"
      }
    case .detail(let id):
      return ["   \(state.sync.tasks.items[id: id].map { Self.text($0) } ?? "removed")"]
    case .history(let history):
      if history.isLoading { return ["   loading"] }
      if let problem = history.problem { return ["   \(problem)"] }
      return history.versions.map { "   \(Self.text($0))" }
    }
  }

  private static func text(_ item: Item) -> String { "[\(item.isDone ? "x" : " ")] \(item.title)" }
}
