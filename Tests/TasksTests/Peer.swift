import Foundation
import ReactiveTesting
import Sockets

@testable import tasks

let milk = Item(id: .counted(101), title: "milk")
let bread = Item(id: .counted(102), title: "bread")

/// A server of which a test holds the ends of the connections.
final class Peer: Sendable {
  private let ends = Locked<[MockWebSocket]>([])

  /// Connects the app, again a second after a loss.
  var api: TasksAPI {
    TasksAPI { [ends] in
      ReconnectingWebSocket(
        connect: {
          let (client, server) = MockWebSocket.pair()
          ends.withLock { $0.append(server) }
          return client
        }, strategy: .fixed(.seconds(1), maxAttempts: nil))
    }
  }

  /// The requests of all connections.
  var requests: [Request] {
    ends.withLock { $0 }.flatMap { $0.received.compactMap { try? $0.decode(Request.self) } }
  }

  func send(_ message: some Encodable) throws { try ends.withLock { $0.last }?.send(json: message) }

  /// Breaks the connection.
  func fail() { ends.withLock { $0.last }?.fail(.connectionLost) }
}

extension TasksAPI {
  /// A server that is not reached during a test.
  static let unreachable = TasksAPI {
    ReconnectingWebSocket(connect: {
      try await EffectContext.sleep(.seconds(20))
      throw WebSocketError.connectionLost
    })
  }
}

extension App.State {
  /// What an edit changes.
  ///
  /// - Parameter change: number of the UUID of the change.
  mutating func edit(_ id: Item.ID, change: UInt64, _ body: (inout Item) -> Void) {
    let before = sync.tasks.items[id: id]
    var after = before ?? Item(id: id)
    body(&after)
    edits.record(Edit(item: id, before: before, after: after))
    set(id, to: after, change: change)
  }

  /// What a change that waits for the server changes.
  mutating func set(_ id: Item.ID, to value: Item?, change: UInt64) {
    sync.tasks.items[id: id] = value
    sync.tasks.unsynced.append(Change(id: .counted(change), item: id, value: value))
  }
}

/// A test of the app with these tasks, which does not reach its server.
func testOfApp(_ items: Item...) -> TestComposer<App> {
  TestComposer(App(SharedValue(TaskList(items: IdentifiedArray(items))))) {
    $0.api = .unreachable
  }
}
