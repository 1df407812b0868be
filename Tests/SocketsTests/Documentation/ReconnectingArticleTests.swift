import Foundation
import ReactiveTesting
import Sockets
import TestSupport
import Testing

/// The examples of Reconnecting.md.
@Suite("The article on reconnecting", .workerPool)
struct ReconnectingArticleTests {
  private struct Session {
    func token() async throws -> String { "1234" }
  }

  private struct Resume: Codable { var after: Int }

  private struct Journal { var lastEventID = 7 }

  private let shown = Watched<[String]>([])

  @Test func `the article's example uses a token for each attempt, a log, and a queued message`()
    async throws
  {
    let (server, session, bag) = (try WebSocketServer(), Session(), DisposeBag())
    server.connections.subscribe(onNext: { socket in
      try? socket.send(socket.request?.headers["Authorization"] ?? "")
      socket.messages.subscribe(onNext: { try? socket.send($0) }).disposed(by: bag)
    }).disposed(by: bag)
    let (url, shown) = (server.url, shown)
    @Sendable func show(_ message: WebSocketMessage) {
      shown.update { $0.append(message.text ?? "") }
    }

    let socket = ReconnectingWebSocket(
      connect: {
        // A new token for each attempt.
        let token = try await session.token()
        return WebSocket(url, configuration: .init(headers: ["Authorization": "Bearer \(token)"]))
      },
      strategy: .exponential(maxAttempts: 20),
      log: .standardError(.info)
    )
    socket.messages.subscribe(onNext: { show($0) }).disposed(by: bag)
    socket.connect()
    try socket.send("hello")

    await shown.wait { $0 == ["Bearer 1234", "hello"] }
    socket.close()
    server.close()
  }

  @Test func `the article's status reports the retry, its delay and the reason`() async throws {
    // The first attempt fails after its status was received, so that no later status is missed.
    let isObserved = Watched(false)
    let socket = ReconnectingWebSocket(
      connect: {
        await isObserved.wait { $0 }
        throw WebSocketError.connectionLost
      },
      strategy: .fixed(.zero, maxAttempts: 1)
    )
    var lines: [String] = []
    func show(_ line: String) {
      lines.append(line)
      isObserved.update { $0 = true }
    }
    socket.connect()

    for try await state in socket.reconnectionStates.values {
      switch state {
      case .waitingToReconnect(let retry, let delay, let error):
        show("try \(retry) in \(delay): \(error as Any)")
      case .disconnected(let error): show("over: \(error as Any)")
      case .idle, .connecting, .connected, .disconnecting: show("\(state.webSocketState)")
      }
    }

    #expect(lines.contains { $0.hasPrefix("try 1 in 0.0 seconds") })
    #expect(lines.last?.hasPrefix("over: ") == true)
  }

  @Test func `in the article's example every message has an outcome, and the hook runs first`()
    async throws
  {
    let (server, journal, bag) = (try WebSocketServer(), Journal(), DisposeBag())
    let received = Watched<[String]>([])
    server.connections.flatMap(\.messages)
      .subscribe(onNext: { message in received.update { $0.append(message.text ?? "") } })
      .disposed(by: bag)
    let (url, shown) = (server.url, shown)
    @Sendable func show(_ line: String) { shown.update { $0.append(line) } }

    var configuration = ReconnectionConfiguration()
    configuration.resume = { connection in
      try connection.send(json: Resume(after: journal.lastEventID))
    }

    configuration.backlog = .dropOldest(limit: 1)
    let socket = ReconnectingWebSocket(
      connect: { WebSocket(url) },
      configuration: configuration
    )

    socket.sendOutcomes
      .subscribe(onNext: { fate in
        switch fate.outcome {
        case .sent: break
        case .dropped: show("\(fate.number) gave way to newer ones")
        case .failed(let error): show("\(fate.number) was never sent: \(error)")
        }
      })
      .disposed(by: bag)

    for text in ["a", "b"] { try socket.send(text) }
    socket.connect()
    await received.wait { $0 == [#"{"after":7}"#, "b"] }
    #expect(shown.value == ["1 gave way to newer ones"])
    socket.close()
    server.close()
  }
}
