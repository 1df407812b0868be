import Foundation
import Inspector

/// The steps of a user; each one waits for the result of the previous one.
struct TasksScript: Sendable {
  /// The number of tasks; nil for 10,000.
  var count: Int?
  /// Shows the app, which it can fork; nil for none.
  var inspector: Inspector?
  let print: @Sendable (String) -> Void
  /// Awaited in place of another start of the app, while the app and its server are live; nil for none.
  var pause: (@Sendable () async throws -> Void)?

  /// - Throws: `RxError.timeout`, when a step takes longer than 20 seconds.
  func run() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "tasks-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try TasksServer(.samples(count))
    let network = Network(to: server.url)
    let isReleased: @Sendable () -> Bool
    do {
      let storage = FileStorage<TaskList>(file)
      isReleased = { [weak storage] in storage == nil }
      let kept = SharedValue(TaskList(), keptIn: storage)
      let app = Composed(sending: App(kept)) { $0.api = network.api }
      inspector?.add(app, fork: App.fork) { $0.api = .offline }
      try await use(app, network, server)
      if let pause { return try await pause() }
      try kept.flush()
    }

    // An effect that ends on another thread may hold the first app, and its file, for a moment.
    let clock = SerialDispatchQueueScheduler(qos: .default)
    try await wait(.interval(.milliseconds(5), scheduler: clock)) { (_: Int) in isReleased() }

    step("the app starts again, without a network")
    network.isPlugged = false
    let loaded = SharedValue(TaskList(), keptIn: FileStorage(file))
    let restarted = Composed(sending: App(loaded)) { $0.api = network.api }
    report(restarted.state)
    let list = restarted.state.sync.tasks
    let done = list.items.count { $0.isDone }
    print("\(list.items.count) tasks, \(done) done, \(list.unsynced.count) unsynced")
  }

  private func use(
    _ app: Composed<App.State, App.Action>, _ network: Network, _ server: TasksServer
  ) async throws {
    step("the app loads the tasks")
    let first = try await wait(app.states) { $0.sync.link == .online }
    report(first)
    let ids = first.sync.tasks.items.ids

    step("a task is done, another one is renamed, and one is new")
    app.send(.row(ids[0], .toggle))
    app.send(.edit(ids[1]))
    app.send(.editor(.type("Buy milk")))
    app.send(.editor(.save))
    app.send(.add)
    app.send(.editor(.save))
    print("  \(try await wait(app.states) { $0.editor?.alert != nil }.editor?.alert ?? "")")
    app.send(.editor(.type("Buy bread")))
    app.send(.editor(.save))
    try await wait(app.states) { $0.isSynced && $0.sync.tasks.items.count == ids.count + 1 }
    for position in [0, 1, ids.count] { report(server.items[position]) }

    step("undo, undo, redo")
    app.send(.undo)
    try await wait(app.states) { $0.isSynced && $0.sync.tasks.items.count == ids.count }
    app.send(.undo)
    report(try await wait(app.states) { $0.isSynced && $0.edits.undoneCount == 2 }, ids[1])
    app.send(.redo)
    report(try await wait(app.states) { $0.isSynced && $0.edits.undoneCount == 1 }, ids[1])

    step("search for MILK")
    app.send(.search("MILK"))
    let found = try await wait(app.states) { $0.matches != nil }
    for id in found.matches ?? [] { report(found, id) }
    app.send(.search(nil))

    step("a task, and its history")
    app.send(.open(ids[1]))
    app.send(.showHistory(ids[1]))
    let shown = try await wait(app.states) { $0.history?.isLoading == false }
    for version in shown.history?.versions ?? [] { report(version) }
    app.send(.back)
    app.send(.back)

    step("the network is unplugged, and a task is done")
    network.isPlugged = false
    report(try await wait(app.states) { $0.sync.link == .offline })
    app.send(.row(ids[2], .toggle))
    report(try await wait(app.states) { !$0.sync.tasks.unsynced.isEmpty })

    step("the network is plugged in again")
    network.isPlugged = true
    let synced = try await wait(app.states) { $0.isSynced }
    report(synced)
    report(synced, ids[2])

    step("the server refuses a title")
    app.send(.row(ids[3], .rename(String(repeating: "long ", count: 10))))
    let refused = try await wait(app.states) { $0.isSynced && $0.sync.alert != nil }
    print("  \(refused.sync.alert ?? "")")
    report(refused, ids[3])
  }

  private func step(_ title: String) { print(title) }

  private func report(_ item: Item) { print("  [\(item.isDone ? "x" : " ")] \(item.title)") }

  private func report(_ state: App.State, _ id: Item.ID) {
    if let item = state.sync.tasks.items[id: id] { report(item) }
  }

  private func report(_ state: App.State) {
    let list = state.sync.tasks
    print("  \(state.sync.link), \(list.items.count) tasks, \(list.unsynced.count) unsynced")
  }

  @discardableResult private func wait<Value: Sendable>(
    _ values: Observable<Value>, until isReached: @escaping @Sendable (Value) -> Bool
  ) async throws -> Value {
    try await values.filter(isReached).take(1)
      .timeout(.seconds(20), scheduler: ConcurrentDispatchQueueScheduler(qos: .default))
      .asSingle().value
  }
}

extension App.State {
  /// The history that is shown; nil for another screen.
  fileprivate var history: History.State? {
    if case .history(let history) = path.top { history } else { nil }
  }

  /// Whether the server has confirmed all changes.
  fileprivate var isSynced: Bool { sync.link == .online && sync.tasks.unsynced.isEmpty }
}
