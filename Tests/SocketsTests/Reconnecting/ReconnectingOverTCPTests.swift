import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// Over TCP, in real time.
@Suite("A reconnecting WebSocket over TCP", .workerPool)
struct ReconnectingOverTCPTests {
  private struct ServerRecord {
    var sockets: [WebSocket] = []
    var tokens: [String] = []
    var mostAtOnce = 0
  }

  @Test
  func `U04: a WebSocket reconnects after each failure, with a new token and one socket at a time`()
    async throws
  {
    let server = try WebSocketServer()
    let (seen, bag) = (Watched(ServerRecord()), DisposeBag())
    server.connections.subscribe(onNext: { socket in
      seen.update { seen in
        seen.sockets.append(socket)
        seen.tokens.append(socket.request?.headers["Authorization"] ?? "")
        seen.mostAtOnce = max(
          seen.mostAtOnce, seen.sockets.count { $0.state != .disconnected })
      }
    }).disposed(by: bag)
    let (attempts, url) = (Locked(0), server.url)
    let socket = ReconnectingWebSocket(
      connect: {
        let token = attempts.withLock { count in
          count += 1
          return "token \(count)"
        }
        return WebSocket(url, configuration: .init(headers: ["Authorization": token]))
      },
      strategy: .fixed(.milliseconds(1))
    )
    let connections = Watched(0)
    socket.events.subscribe(onNext: { event in
      if event == .connected { connections.update { $0 += 1 } }
    }).disposed(by: bag)
    socket.connect()
    for count in 1...3 {
      await connections.wait { $0 == count }
      await seen.wait { $0.sockets.count == count }
      seen.value.sockets.last?.close(code: .serviceRestart)
    }
    await connections.wait { $0 == 4 }
    #expect(seen.value.tokens.prefix(3) == ["token 1", "token 2", "token 3"])
    #expect(seen.value.mostAtOnce == 1)
    socket.close()
    server.close()
  }

  @Test func `queued messages are sent when the server is available`() async throws {
    let port = try WebSocketServer().port  // Free again by the next line.
    let socket = ReconnectingWebSocket(
      connect: { WebSocket("ws://127.0.0.1:\(port)/") },
      strategy: .fixed(.milliseconds(5), maxAttempts: nil)
    )
    for number in 0..<100 { try socket.send("\(number)") }
    let waits = Watched(false)
    let bag = DisposeBag()
    socket.reconnectionStates.subscribe(onNext: { state in
      if case .waitingToReconnect = state { waits.update { $0 = true } }
    }).disposed(by: bag)
    socket.connect()
    await waits.wait { $0 }
    let server = try WebSocketServer(port: port)
    let texts = Watched<[String]>([])
    server.connections.flatMap(\.messages)
      .subscribe(onNext: { message in texts.update { $0.append(message.text ?? "") } })
      .disposed(by: bag)
    await texts.wait { $0.count == 100 }
    let expected = (0..<100).map { "\($0)" }
    #expect(texts.value == expected)
    socket.close()
    server.close()
  }

  @Test func `messages of many threads over cut connections have one outcome each`()
    async throws
  {
    let server = try WebSocketServer()
    let url = server.url
    let received = Watched<[String]>([])
    let bag = DisposeBag()
    server.connections.subscribe(onNext: { socket in
      // A server that drops its clients repeatedly.
      socket.messages.enumerated().subscribe(onNext: { index, message in
        received.update { $0.append(message.text ?? "") }
        if index == 99 { socket.close(code: .serviceRestart) }
      }).disposed(by: bag)
    }).disposed(by: bag)
    var configuration = ReconnectionConfiguration()
    configuration.backlog = .queue(limit: 10_000)
    let socket = ReconnectingWebSocket(
      connect: { WebSocket(url) },
      strategy: .fixed(.milliseconds(1), maxAttempts: nil),
      configuration: configuration
    )
    let sendOutcomes = Watched<[Int: Int]>([:])
    socket.sendOutcomes
      .subscribe(onNext: { fate in sendOutcomes.update { $0[fate.number, default: 0] += 1 } })
      .disposed(by: bag)
    socket.connect()
    await withTaskGroup { group in
      for thread in 0..<4 {
        group.addTask { for number in 0..<500 { try? socket.send("\(thread) \(number)") } }
      }
    }
    await sendOutcomes.wait { $0.count == 2_000 }
    #expect(sendOutcomes.value.values.allSatisfy { $0 == 1 })
    socket.close()
    // The received messages keep the order of each thread.
    for thread in 0..<4 {
      let numbers = received.value.filter { $0.hasPrefix("\(thread) ") }
        .compactMap { Int($0.dropFirst(2)) }
      #expect(numbers == numbers.sorted())
    }
    server.close()
  }
}
