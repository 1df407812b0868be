import Foundation
import Sockets

/// A task.
struct Item: Codable, Equatable, Identifiable, Sendable {
  var id = UUID()
  var title = ""
  var isDone = false
}

/// A new value of a task; nil for a task that is removed.
struct Change: Codable, Equatable, Identifiable, Sendable {
  let id: UUID
  var item: Item.ID
  var value: Item?
}

/// The tasks, and the changes that the server has not confirmed: what is kept in the file.
struct TaskList: Codable, Equatable, Sendable {
  var items: IdentifiedArray<Item> = []
  /// The unconfirmed changes, the oldest first.
  var unsynced: [Change] = []

  /// Changes a task, and notes the change for the server.
  mutating func set(_ item: Item.ID, to value: Item?) {
    items[id: item] = value
    unsynced.append(Change(id: Dependencies.current.uuid(), item: item, value: value))
  }

  /// Takes over the tasks of the server, with the unconfirmed changes on top.
  mutating func replace(with fetched: [Item]) {
    var merged = IdentifiedArray(fetched)
    for change in unsynced { merged[id: change.item] = change.value }
    if merged != items { items = merged }
  }

  /// Takes over a change of another device, unless a change of this one will follow it.
  mutating func receive(_ change: Change) {
    if unsynced.contains(where: { $0.item == change.item }) { return }
    items[id: change.item] = change.value
  }
}

/// What the user has changed in a task; nil for a task that did not, or does not, exist.
struct Edit: Codable, Equatable, Sendable {
  var item: Item.ID
  var before: Item?
  var after: Item?
}

/// The last edits, which can be undone, and those that were undone.
struct Edits: Codable, Equatable, Sendable {
  private var done: [Edit] = []
  private var undone: [Edit] = []

  mutating func record(_ edit: Edit) {
    done = done.suffix(99) + [edit]
    undone = []
  }

  /// The number of edits that can be made again.
  var undoneCount: Int { undone.count }

  /// Returns the edit to take back; nil for none.
  mutating func undo() -> Edit? {
    guard let edit = done.popLast() else { return nil }
    undone.append(edit)
    return edit
  }

  /// Returns the edit to make again; nil for none.
  mutating func redo() -> Edit? {
    guard let edit = undone.popLast() else { return nil }
    done.append(edit)
    return edit
  }
}
