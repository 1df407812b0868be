import Foundation
import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite("Requests over TCP", .workerPool)
struct RequestOverTCPTests {
  /// A server that answers requests among other messages, those of odd keys after the next even one.
  private func server(_ bag: DisposeBag) throws -> WebSocketServer {
    let server = try WebSocketServer(loops: 2)
    server.connections
      .subscribe(onNext: { socket in
        let held = Locked<[Ask]>([])
        socket.messages
          .subscribe(onNext: { message in
            guard let ask: Ask = try? message.decode() else { return }
            let due = held.withLock { held -> [Ask] in
              held.append(ask)
              if ask.id % 2 == 1, held.count < 20 { return [] }
              defer { held = [] }
              return held.reversed()
            }
            for ask in due {
              try? socket.send("news")
              try? socket.send(json: Answer(id: ask.id, text: ask.text))
            }
          })
          .disposed(by: bag)
      })
      .disposed(by: bag)
    return server
  }

  @Test func `tasks of many threads receive their own replies over several connections`()
    async throws
  {
    let bag = DisposeBag()
    let server = try server(bag)
    let sockets = (0..<4).map { _ in WebSocket.connect(to: server.url) }
    let news = Watched(0)
    for socket in sockets {
      socket.messages
        .subscribe(onNext: { message in
          if message.text == "news" { news.update { $0 += 1 } } else { Issue.record("\(message)") }
        })
        .disposed(by: bag)
      try await socket.connected()
    }
    let (tasks, count) = (8, 100)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, socket) in sockets.enumerated() {
        for task in 0..<tasks {
          group.addTask {
            for index in 0..<count {
              let id = 2 * (task * count + index)
              let text = "\(number) \(id)"
              // Subscribed before the even request is sent, whose reply releases this one.
              let odd = AsyncSubject<Answer>()
              let subscription =
                socket.request(
                  Ask(id: id + 1, text: text), as: Answer.self, matching: \.id,
                  timeout: .seconds(60)
                )
                .asObservable().subscribe(odd)
              defer { subscription.dispose() }
              let even = try await socket.request(
                Ask(id: id, text: text), as: Answer.self, matching: \Header.id,
                timeout: .seconds(60)
              )
              .value
              #expect(even == Answer(id: id, text: text))
              #expect(try await odd.asSingle().value == Answer(id: id + 1, text: text))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    for socket in sockets {
      let metrics = socket.pendingRequests.metrics
      #expect(metrics.waiting == 0 && metrics.lateReplies == 0)
    }
    #expect(news.value >= 4 * 2 * tasks * count)
    for socket in sockets { socket.close() }
    server.close()
    withExtendedLifetime(bag) {}
  }

  @Test func `idempotent requests of many threads survive cut connections`() async throws {
    let bag = DisposeBag()
    let server = try WebSocketServer(loops: 2)
    let total = Locked(0)
    server.connections
      .subscribe(onNext: { socket in
        socket.messages
          .subscribe(onNext: { message in
            guard let ask: Ask = try? message.decode() else { return }
            let number = total.withLock { total in
              total += 1
              return total
            }
            // The reply of every 50th request, and those in flight, are lost.
            if number % 50 == 0, number <= 1_000 { return socket.drop() }
            try? socket.answer(ask.id, ask.text)
          })
          .disposed(by: bag)
      })
      .disposed(by: bag)
    let url = server.url
    let socket = ReconnectingWebSocket(
      connect: { WebSocket(url) }, strategy: .fixed(.zero, maxAttempts: nil))
    socket.connect()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for index in 0..<100 {
            let ask = Ask(id: task * 100 + index, text: "\(task) \(index)")
            let reply = try await socket.request(
              ask, as: Answer.self, matching: \.id, timeout: .seconds(60), whenLost: .resend)
            #expect(reply == Answer(id: ask.id, text: ask.text))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(socket.reconnects >= 10)
    #expect(socket.pendingRequests.metrics.waiting == 0)
    socket.close()
    server.close()
    withExtendedLifetime(bag) {}
  }

  @Test func `a server sends requests to its clients`() async throws {
    let bag = DisposeBag()
    let server = try WebSocketServer()
    let replies = Watched<[Answer]>([])
    server.connections
      .subscribe(onNext: { socket in
        socket.request(Ask(id: 1, text: "who?"), as: Answer.self, matching: \.id)
          .subscribe(onSuccess: { reply in replies.update { $0.append(reply) } })
          .disposed(by: bag)
      })
      .disposed(by: bag)
    let client = WebSocket(server.url)
    client.messages
      .subscribe(onNext: { message in
        if let ask: Ask = try? message.decode() { try? client.answer(ask.id, "me") }
      })
      .disposed(by: bag)
    client.connect()
    await replies.wait { !$0.isEmpty }
    #expect(replies.value == [Answer(id: 1, text: "me")])
    client.close()
    server.close()
  }

  @Test func `a server that ends fails the requests of each client`() async throws {
    let server = try WebSocketServer()
    let accepted = Watched<[WebSocket]>([])
    let asks = Watched(0)
    let bag = DisposeBag()
    server.connections
      .subscribe(onNext: { socket in
        socket.messages.subscribe(onNext: { _ in asks.update { $0 += 1 } }).disposed(by: bag)
        accepted.update { $0.append(socket) }
      })
      .disposed(by: bag)
    let log = RequestLog()
    for number in 0..<3 {
      let socket = WebSocket.connect(to: server.url)
      try await socket.connected()
      for id in 0..<5 {
        log.start(
          5 * number + id,
          socket.request(Ask(id: id), as: Answer.self, matching: \.id, timeout: .seconds(60)))
      }
    }
    await asks.wait { $0 == 15 }
    for socket in accepted.value { socket.drop() }
    await log.wait(for: 15)
    #expect(log.results.allSatisfy { $0.contains("lost(") })
    server.close()
  }
}
