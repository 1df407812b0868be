import Foundation
import Sockets
import TestSupport
import Testing

@testable import tasks

@Suite("The tasks over real sockets", .workerPool)
struct TasksServerTests {
  private typealias Device = (app: Composed<App.State, App.Action>, states: Watched<App.State>)

  private func device(_ network: Network, _ bag: DisposeBag) -> Device {
    let app = Composed(sending: App(SharedValue(TaskList()))) { $0.api = network.api }
    let states = Watched(app.state)
    app.states.subscribe(onNext: { state in states.update { $0 = state } }).disposed(by: bag)
    return (app, states)
  }

  @Test func `two devices have the same tasks, also after one was offline`() async throws {
    let server = try TasksServer([milk, bread])
    let (network, bag) = (Network(to: server.url), DisposeBag())
    let (ann, bob) = (device(network, bag), device(Network(to: server.url), bag))
    for device in [ann, bob] { await device.states.wait { $0.sync.link == .online } }
    ann.app.send(.row(milk.id, .toggle))
    await bob.states.wait { $0.sync.tasks.items[id: milk.id]?.isDone == true }

    network.isPlugged = false
    await ann.states.wait { $0.sync.link == .offline }
    ann.app.send(.row(milk.id, .rename("tea")))
    bob.app.send(.row(bread.id, .rename("rye bread")))
    network.isPlugged = true
    for device in [ann, bob] {
      await device.states.wait { $0.sync.tasks.items.map(\.title) == ["tea", "rye bread"] }
    }
    await ann.states.wait { $0.sync.tasks.unsynced.isEmpty }

    ann.app.send(.showHistory(milk.id))
    await ann.states.wait { state in
      guard case .history(let history) = state.path.top else { return false }
      return history.versions.map(\.title) == ["milk", "milk", "tea"]
    }
  }

  @Test func `a change that is sent again does not replace a later one`() async throws {
    let server = try TasksServer([milk])
    let socket = WebSocket.connect(to: server.url)
    try await socket.connected()
    let own = Request(id: .counted(1), content: .change(milk.renamed("tea", change: 1)))
    let others = Request(id: .counted(2), content: .change(milk.renamed("coffee", change: 2)))
    for (request, isRepeated) in [(own, false), (others, false), (own, true)] {
      let reply = try await socket.request(request, as: Reply.self, matching: \.id).value
      #expect(reply == Reply(id: request.id, isRepeated: isRepeated))
    }
    #expect(server.items.map(\.title) == ["coffee"])
  }

  @Test func `the tasks example plays its script`() async throws {
    let lines = Watched<[String]>([])
    try await TasksScript { line in lines.update { $0.append(line) } }.run()
    #expect(
      lines.value.joined(separator: "\n") == """
        the app loads the tasks
          online, 10000 tasks, 0 unsynced
        a task is done, another one is renamed, and one is new
          A task needs a title.
          [x] Task 1
          [ ] Buy milk
          [ ] Buy bread
        undo, undo, redo
          [ ] Task 2
          [ ] Buy milk
        search for MILK
          [ ] Buy milk
        a task, and its history
          [ ] Task 2
          [ ] Buy milk
          [ ] Task 2
          [ ] Buy milk
        the network is unplugged, and a task is done
          offline, 10000 tasks, 0 unsynced
          offline, 10000 tasks, 1 unsynced
        the network is plugged in again
          online, 10000 tasks, 0 unsynced
          [x] Task 3
        the server refuses a title
          A title of 50 letters is too long.
          [ ] Task 4
        the app starts again, without a network
          offline, 10000 tasks, 0 unsynced
        10000 tasks, 2 done, 0 unsynced
        """)
  }
}

extension Item {
  fileprivate func renamed(_ title: String, change: UInt64) -> Change {
    Change(id: .counted(change), item: id, value: Item(id: id, title: title))
  }
}
