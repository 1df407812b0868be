import Synchronization
import Sockets

/// A server that keeps the tasks of all devices in memory.
final class TasksServer: Sendable {
  private struct Content {
    var items: IdentifiedArray<Item>
    var versions: [Item.ID: [Item]] = [:]
    /// The changes that were made, each one once.
    var made: Set<Change.ID> = []
  }

  /// The URL of the server.
  var url: String { server.url }

  /// The tasks.
  var items: IdentifiedArray<Item> { content.withLock { $0.items } }

  private let content: Mutex<Content>
  private let server: WebSocketServer
  private let disposeBag = DisposeBag()

  /// Serves until the object is released.
  ///
  /// - Parameters:
  ///   - items: tasks at the beginning
  ///   - host: address to listen on, which only this machine reaches by default
  ///   - port: port to listen on, any free one by default
  init(
    _ items: IdentifiedArray<Item>, host: String = "127.0.0.1", port: UInt16 = 0
  ) throws {
    content = Mutex(Content(items: items))
    server = try WebSocketServer(host: host, port: port)
    server.connections
      .flatMap { socket in socket.messages.map { (socket, $0) }.catch { _ in .empty() } }
      .subscribe(onNext: { [weak self] socket, message in self?.receive(message, from: socket) })
      .disposed(by: disposeBag)
  }

  private func receive(_ message: WebSocketMessage, from socket: WebSocket) {
    guard let request = try? message.decode(Request.self) else {
      return socket.close(code: .unsupportedData)
    }
    let reply = content.withLock { Self.answer(request, &$0) }
    // A client that is closing takes no more messages.
    try? socket.send(json: reply)
    if case .change(let change) = request.content, reply.problem == nil, !reply.isRepeated,
      let news = try? WebSocketMessage.json(change)
    {
      server.broadcast(news) { $0 !== socket }
    }
  }

  private static func answer(_ request: Request, _ content: inout Content) -> Reply {
    switch request.content {
    case .fetch: return Reply(id: request.id, items: Array(content.items))
    case .history(let item):
      let versions = content.versions[item] ?? content.items[id: item].map { [$0] } ?? []
      return Reply(id: request.id, items: versions)
    case .change(let change):
      if let title = change.value?.title, title.count > 40 {
        return Reply(id: request.id, problem: "A title of \(title.count) letters is too long.")
      }
      guard content.made.insert(change.id).inserted else {
        return Reply(id: request.id, isRepeated: true)
      }
      let before = content.items[id: change.item]
      if let value = change.value, value != before {
        content.versions[change.item, default: before.map { [$0] } ?? []].append(value)
      }
      content.items[id: change.item] = change.value
      return Reply(id: request.id)
    }
  }
}

extension IdentifiedArray<Item> {
  /// So many tasks; ten thousand when nil.
  static func samples(_ count: Int? = nil) -> IdentifiedArray {
    IdentifiedArray((1...(count ?? 10_000)).map { Item(title: "Task \($0)") })
  }
}
