import Foundation
import ReactiveTesting
import Sockets
import TestSupport
import Testing

@testable import tasks

@Suite("The tasks", .workerPool)
struct AppTests {
  // MARK: Rows and the sheet

  @Test func `a row is toggled and renamed, and both changes wait for the server`() {
    let test = testOfApp(milk, bread)
    test.send(.row(milk.id, .toggle)) { $0.edit(milk.id, change: 1) { $0.isDone = true } }
    test.send(.row(milk.id, .rename("oat milk"))) {
      $0.edit(milk.id, change: 2) { $0.title = "oat milk" }
    }
    test.send(.row(milk.id, .rename("oat milk")))
    test.finish()
  }

  @Test func `the editor renames a task, and dismisses itself`() {
    let test = testOfApp(milk, bread)
    test.send(.edit(bread.id)) { $0.editor = Editor.State(id: bread.id, title: "bread") }
    test.send(.editor(.type("rye bread"))) { $0.editor?.title = "rye bread" }
    test.send(.editor(.save)) { $0.editor?.isSaved = true }
    test.receive(.closed(Editor.State(id: bread.id, title: "rye bread", isSaved: true))) {
      $0.editor = nil
      $0.edit(bread.id, change: 1) { $0.title = "rye bread" }
    }
    test.finish()
  }

  @Test func `the editor adds a task, which needs a title`() {
    let test = testOfApp(milk)
    test.send(.add) { $0.editor = Editor.State(id: .counted(1)) }
    test.send(.editor(.save)) { $0.editor?.alert = "A task needs a title." }
    test.send(.editor(.type("eggs"))) { $0.editor?.title = "eggs" }
    test.send(.editor(.save)) { $0.editor?.isSaved = true }
    let last = Editor.State(
      id: .counted(1), title: "eggs", isSaved: true, alert: "A task needs a title.")
    test.receive(.closed(last)) {
      $0.editor = nil
      $0.edit(.counted(1), change: 2) { $0.title = "eggs" }
    }
    test.finish()
  }

  @Test func `a cancelled editor changes nothing`() {
    let test = testOfApp(milk)
    test.send(.edit(milk.id)) { $0.editor = Editor.State(id: milk.id, title: "milk") }
    test.send(.editor(.type("x"))) { $0.editor?.title = "x" }
    test.send(.editor(.cancel))
    test.receive(.closed(Editor.State(id: milk.id, title: "x"))) { $0.editor = nil }
    test.send(.edit(.counted(9)))
    test.finish()
  }

  @Test func `a title is saved also when another editor is opened at the same time`() {
    let test = testOfApp(milk, bread)
    test.send(.edit(milk.id)) { $0.editor = Editor.State(id: milk.id, title: "milk") }
    test.send(.editor(.type("tea"))) { $0.editor?.title = "tea" }
    // While the state is published, the actions wait in the queue.
    let subscription = test.composer.$state.states.skip(1).take(1)
      .subscribe(onNext: { [action = test.composer.action] _ in
        action.accept(.editor(.save))
        action.accept(.edit(bread.id))
      })
    test.send(.back)
    test.receive(.editor(.save)) { $0.editor?.isSaved = true }
    test.receive(.closed(Editor.State(id: milk.id, title: "tea", isSaved: true))) {
      $0.editor = nil
      $0.edit(milk.id, change: 1) { $0.title = "tea" }
    }
    test.receive(.edit(bread.id)) { $0.editor = Editor.State(id: bread.id, title: "bread") }
    subscription.dispose()
    test.finish()
  }

  // MARK: Undo

  @Test func `edits are undone and redone, and each is a change for the server`() {
    let test = testOfApp(milk)
    test.send(.row(milk.id, .toggle)) { $0.edit(milk.id, change: 1) { $0.isDone = true } }
    test.send(.row(milk.id, .rename("tea"))) { $0.edit(milk.id, change: 2) { $0.title = "tea" } }
    let done = Item(id: milk.id, title: "milk", isDone: true)
    test.send(.undo) {
      _ = $0.edits.undo()
      $0.set(milk.id, to: done, change: 3)
    }
    test.send(.undo) {
      _ = $0.edits.undo()
      $0.set(milk.id, to: milk, change: 4)
    }
    test.send(.undo)
    test.send(.redo) {
      _ = $0.edits.redo()
      $0.set(milk.id, to: done, change: 5)
    }
    // An edit ends what could be redone.
    test.send(.row(milk.id, .toggle)) { $0.edit(milk.id, change: 6) { $0.isDone = false } }
    test.send(.redo)
    test.finish()
  }

  @Test func `an undone addition removes the task, and redone it is there again`() {
    let test = testOfApp()
    test.send(.add) { $0.editor = Editor.State(id: .counted(1)) }
    test.send(.editor(.type("eggs"))) { $0.editor?.title = "eggs" }
    test.send(.editor(.save)) { $0.editor?.isSaved = true }
    test.receive(.closed(Editor.State(id: .counted(1), title: "eggs", isSaved: true))) {
      $0.editor = nil
      $0.edit(.counted(1), change: 2) { $0.title = "eggs" }
    }
    test.send(.undo) {
      _ = $0.edits.undo()
      $0.set(.counted(1), to: nil, change: 3)
    }
    test.send(.redo) {
      _ = $0.edits.redo()
      $0.set(.counted(1), to: Item(id: .counted(1), title: "eggs"), change: 4)
    }
    test.finish()
  }

  @Test func `the last hundred edits can be undone`() {
    var edits = Edits()
    for _ in 0..<150 { edits.record(Edit(item: milk.id, before: milk, after: nil)) }
    var count = 0
    while edits.undo() != nil { count += 1 }
    #expect(count == 100)
  }

  // MARK: Search

  @Test func `a search starts when typing has stopped, and an empty one ends it`() {
    let test = testOfApp(milk, bread)
    test.send(.search("b")) { $0.query = "b" }
    test.advance(by: .milliseconds(200))
    test.send(.search("MIL")) { $0.query = "MIL" }
    test.advance(by: .milliseconds(300))
    test.receive(.found([milk.id])) { $0.matches = [milk.id] }
    test.send(.search("MILK")) { $0.query = "MILK" }
    test.send(.search(nil)) { ($0.query, $0.matches) = (nil, nil) }
    test.advance(by: .seconds(1))
    test.finish()
  }

  // MARK: Screens

  @Test func `a task and its history are opened, and popped`() {
    let test = testOfApp(milk)
    test.send(.open(milk.id)) { $0.path.push(.detail(milk.id)) }
    test.send(.showHistory(milk.id)) { $0.path.push(.history(History.State(id: milk.id))) }
    #expect(test.running.contains { $0.description.contains("load") })
    test.send(.back) { $0.path.pop() }
    #expect(!test.running.contains { $0.description.contains("load") })
    test.send(.back) { $0.path.pop() }
    test.send(.back)
    test.finish()
  }

  @Test func `a history that is not answered is a problem of its screen`() {
    let test = testOfApp(milk)
    test.send(.showHistory(milk.id)) { $0.path.push(.history(History.State(id: milk.id))) }
    test.advance(by: .seconds(10))
    test.receive(.screen(0, .history(.failed(.timedOut(after: .seconds(10)))))) {
      var history = History.State(id: milk.id)
      (history.isLoading, history.problem) = (false, "no reply within 10.0 seconds")
      $0.path[id: 0] = .history(history)
    }
    test.finish()
  }

  // MARK: The file

  @Test func `tasks and unconfirmed changes are kept half a second after a change`() {
    let storage = MemoryStorage<TaskList>()
    let test = TestComposer(App(SharedValue(TaskList(items: [milk]), keptIn: storage))) {
      $0.api = .unreachable
    }
    test.send(.row(milk.id, .toggle)) { $0.edit(milk.id, change: 1) { $0.isDone = true } }
    test.advance(by: .milliseconds(499))
    #expect(storage.value == nil)
    test.advance(by: .milliseconds(1))
    #expect(storage.value == test.state.sync.tasks)
    test.finish()
  }

  @Test func `the app begins with the tasks that were kept`() {
    let change = Change(id: .counted(50), item: milk.id, value: milk)
    let kept = TaskList(items: [milk, bread], unsynced: [change])
    let storage = MemoryStorage(kept)
    let test = TestComposer(App(SharedValue(TaskList(), keptIn: storage))) {
      $0.api = .unreachable
    }
    #expect(test.state.sync.tasks == kept)
    test.finish()
  }
}
