import Foundation
import ReactiveTesting
import Sockets

extension SimulatedApp {
  /// Three devices that change the tasks of a server, which are the same on all of them in the end.
  static let tasks = SimulatedApp(name: "tasks", duration: .seconds(120)) { world in
    let server = world.machine("server") { _ in
      try TasksServer(.numbered(20), host: "", port: 8080)
    }
    let devices = ["phone", "pad", "desk"].map { name in
      world.machine(name) { _ in TasksDevice() }
    }
    for device in devices {
      world.every(.milliseconds(100)...(.seconds(8))) { random in
        let choice = Int.random(in: 0..<8, using: &random)
        let number = Int.random(in: 0..<20, using: &random)
        device.perform { $0.act(choice, number) }
      }
    }
    world.everyFault()
    world.always("no file is corrupt") { devices.allSatisfy { $0.hasFoundFileWhole ?? true } }
    world.eventually(
      "all devices have the tasks of the server", within: .seconds(60), afterFaultsStop: true
    ) {
      guard let tasks = server.items else { return false }
      return devices.allSatisfy { $0.program?.isSynced(with: tasks) == true }
    }
  }
}

extension IdentifiedArray<Item> {
  /// So many tasks with the same ids in each run.
  fileprivate static func numbered(_ count: Int) -> IdentifiedArray {
    IdentifiedArray(
      (1...count).map { number in
        let digits = String(1_000_000_000_000 + number).dropFirst()
        let id = UUID(uuidString: "00000000-0000-0000-0000-\(digits)")
        return Item(id: id ?? UUID(), title: "Task \(number)")
      })
  }
}

/// The program of a device, which keeps its tasks in a file.
final class TasksDevice: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  private let app: Composed<App.State, App.Action>
  let hasFoundFileWhole: Bool

  init() {
    let errors = Locked<[any Error]>([])
    let kept = SharedValue(
      TaskList(), keptIn: FileStorage(URL(fileURLWithPath: "/tasks.json")),
      onFailure: { error in errors.withLock { $0.append(error) } })
    hasFoundFileWhole = errors.withLock { errors in
      errors.allSatisfy { if case FileStorageError.corrupt = $0 { false } else { true } }
    }
    app = Composed(sending: App(kept), on: .main) {
      $0.api = .live("ws://server:8080/")
    }
  }

  /// Does what a user does.
  ///
  /// - Parameters:
  ///   - choice: what is done, below 8.
  ///   - number: number of the task.
  func act(_ choice: Int, _ number: Int) {
    let ids = app.state.sync.tasks.items.ids
    guard !ids.isEmpty else { return }
    let id = ids[number % ids.count]
    switch choice {
    case 0, 1: app.send(.row(id, .toggle))
    case 2: app.send(.row(id, .rename("Task \(number) of \(ids.count)")))
    case 3:
      // The server refuses it.
      app.send(.row(id, .rename(String(repeating: "long ", count: 10))))
    case 4:
      app.send(.add)
      app.send(.editor(.type("New \(number)")))
      app.send(.editor(number.isMultiple(of: 3) ? .cancel : .save))
    case 5: app.send(number.isMultiple(of: 3) ? .redo : .undo)
    case 6: app.send(.search(number.isMultiple(of: 2) ? "task 1" : nil))
    default:
      app.send(.open(id))
      app.send(.showHistory(id))
      app.send(.back)
      if number.isMultiple(of: 2) { app.send(.back) }
    }
  }

  /// Whether the server has confirmed all changes, and its tasks are these.
  func isSynced(with tasks: IdentifiedArray<Item>) -> Bool {
    let sync = app.state.sync
    return sync.link == .online && sync.tasks.unsynced.isEmpty
      && sync.tasks.items.count == tasks.count
      && tasks.allSatisfy { sync.tasks.items[id: $0.id] == $0 }
  }
}
