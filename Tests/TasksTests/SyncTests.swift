import Foundation
import ReactiveTesting
import Sockets
import TestSupport
import Testing

@testable import tasks

@Suite("The sync of tasks", .workerPool)
struct SyncTests {
  private let server = Peer()

  /// A test of an app that is online, with these tasks of the server.
  private func online(_ items: Item...) throws -> TestComposer<App> {
    let test = TestComposer(App(SharedValue(TaskList()))) { $0.api = server.api }
    try connect(test, fetch: 1, items)
    return test
  }

  /// Asserts a connection and its fetch.
  ///
  /// - Parameter fetch: number of the UUID of the request.
  private func connect(_ test: TestComposer<App>, fetch: UInt64, _ items: [Item]) throws {
    test.receive(.sync(.socket(.connected))) { $0.sync.link = .fetching }
    try answerFetch(test, fetch, items)
  }

  private func answerFetch(_ test: TestComposer<App>, _ fetch: UInt64, _ items: [Item]) throws {
    #expect(server.requests.last == Request(id: .counted(fetch), content: .fetch))
    let reply = Reply(id: .counted(fetch), items: items)
    try server.send(reply)
    test.receive(.sync(.fetched(reply))) {
      $0.sync.tasks.replace(with: items)
      $0.sync.link = .online
    }
  }

  private func confirm(_ test: TestComposer<App>, _ change: UInt64) throws {
    try server.send(Reply(id: .counted(change)))
    test.receive(.sync(.confirmed(Reply(id: .counted(change))))) {
      $0.sync.tasks.unsynced.removeFirst()
    }
  }

  private func lose(_ test: TestComposer<App>) {
    server.fail()
    test.receive(.sync(.socket(.waiting(retry: 1, delay: .seconds(1), error: .connectionLost)))) {
      $0.sync.link = .offline
    }
  }

  /// The numbers of the changes that the server has received.
  private var changes: [UUID] {
    server.requests.compactMap { request in
      if case .change(let change) = request.content { change.id } else { nil }
    }
  }

  @Test func `a fork without a server tries to connect once`() {
    let test = TestComposer(App.fork()) { $0.api = .offline }
    test.receive(.sync(.socket(.error(.connectionLost))))
    test.receive(.sync(.socket(.disconnected(code: .abnormal, reason: ""))))
    test.advance(by: .seconds(3_600))
    test.finish()
  }

  @Test func `the tasks are fetched, and changes are sent one after the other`() throws {
    let test = try online(milk, bread)
    #expect(test.state.sync.tasks.items == [milk, bread])
    test.send(.row(milk.id, .toggle)) { $0.edit(milk.id, change: 2) { $0.isDone = true } }
    test.send(.row(bread.id, .toggle)) { $0.edit(bread.id, change: 3) { $0.isDone = true } }
    #expect(changes == [.counted(2)])
    try confirm(test, 2)
    #expect(changes == [.counted(2), .counted(3)])
    try confirm(test, 3)
    test.finish()
  }

  @Test func `changes that are made offline are sent after the next connection`() throws {
    let test = try online(milk, bread)
    lose(test)
    test.send(.row(milk.id, .toggle)) { $0.edit(milk.id, change: 2) { $0.isDone = true } }
    test.advance(by: .seconds(1))
    let done = Item(id: bread.id, title: "bread", isDone: true)
    try connect(test, fetch: 3, [milk, done])
    #expect(test.state.sync.tasks.items.map(\.isDone) == [true, true])
    #expect(changes == [.counted(2)])
    try confirm(test, 2)
    test.finish()
  }

  @Test func `a change whose connection is lost before the reply is sent again`() throws {
    let test = try online(milk)
    test.send(.row(milk.id, .toggle)) { $0.edit(milk.id, change: 2) { $0.isDone = true } }
    lose(test)
    test.advance(by: .seconds(1))
    try connect(test, fetch: 3, [milk])
    #expect(changes == [.counted(2), .counted(2)])
    try confirm(test, 2)
    test.finish()
  }

  @Test func `a change that is not answered is sent again, and its late reply is dropped`() throws {
    let test = try online(milk)
    test.send(.row(milk.id, .toggle)) { $0.edit(milk.id, change: 2) { $0.isDone = true } }
    test.advance(by: .seconds(10))
    try server.send(Reply(id: .counted(2)))
    #expect(test.state.sync.tasks.unsynced.count == 1)
    // The delay of the first retry is at most 1.25 seconds.
    test.advance(by: .milliseconds(1_250))
    #expect(changes == [.counted(2), .counted(2)])
    try confirm(test, 2)
    test.finish()
  }

  @Test func `a refused change is an alert, and the tasks are fetched again`() throws {
    let test = try online(milk)
    test.send(.row(milk.id, .toggle)) { $0.edit(milk.id, change: 2) { $0.isDone = true } }
    let refusal = Reply(id: .counted(2), problem: "It is sold out.")
    try server.send(refusal)
    test.receive(.sync(.confirmed(refusal))) {
      $0.sync.tasks.unsynced = []
      $0.sync.alert = "It is sold out."
      $0.sync.link = .fetching
    }
    try answerFetch(test, 3, [milk])
    #expect(test.state.sync.tasks.items == [milk])
    test.finish()
  }

  @Test func `the tasks are fetched again when others may have followed a change`() throws {
    let test = try online(milk)
    test.send(.row(milk.id, .toggle)) { $0.edit(milk.id, change: 2) { $0.isDone = true } }
    let reply = Reply(id: .counted(2), isRepeated: true)
    try server.send(reply)
    test.receive(.sync(.confirmed(reply))) {
      $0.sync.tasks.unsynced = []
      $0.sync.link = .fetching
    }
    try answerFetch(test, 3, [milk])
    #expect(test.state.sync.tasks.items == [milk])
    test.finish()
  }

  @Test func `a change of another device is shown, unless this one has changed the task`() throws {
    let test = try online(milk, bread)
    test.send(.row(milk.id, .toggle)) { $0.edit(milk.id, change: 2) { $0.isDone = true } }
    let ignored = Change(id: .counted(90), item: milk.id, value: nil)
    let shown = Change(id: .counted(91), item: bread.id, value: nil)
    try server.send(ignored)
    test.receive(.sync(.received(ignored)))
    try server.send(shown)
    test.receive(.sync(.received(shown))) { $0.sync.tasks.items[id: bread.id] = nil }
    test.finish()
  }

  @Test func `unconfirmed changes of the file are sent when the app has started`() throws {
    let change = Change(id: .counted(50), item: milk.id, value: milk)
    let kept = SharedValue(TaskList(items: [milk], unsynced: [change]))
    let test = TestComposer(App(kept)) { $0.api = server.api }
    try connect(test, fetch: 1, [])
    #expect(test.state.sync.tasks.items == [milk])
    try confirm(test, 50)
    #expect(kept.value.unsynced.isEmpty)
    test.finish()
  }

  @Test func `the history of a task is loaded while its screen is shown`() throws {
    let test = try online(milk)
    test.send(.showHistory(milk.id)) { $0.path.push(.history(History.State(id: milk.id))) }
    #expect(server.requests.last == Request(id: .counted(2), content: .history(milk.id)))
    let reply = Reply(id: .counted(2), items: [milk])
    try server.send(reply)
    test.receive(.screen(0, .history(.loaded(reply)))) {
      let loaded = History.State(id: milk.id, versions: [milk], isLoading: false)
      $0.path[id: 0] = .history(loaded)
    }
    test.send(.back) { $0.path.pop() }
    // Another screen, which the user leaves before the reply.
    test.send(.showHistory(milk.id)) { $0.path.push(.history(History.State(id: milk.id))) }
    test.send(.back) { $0.path.pop() }
    try server.send(Reply(id: .counted(3), items: [milk]))
    test.finish()
  }
}
