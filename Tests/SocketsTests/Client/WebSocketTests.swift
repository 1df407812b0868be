import Foundation
import ReactiveTesting
import Sockets
import Testing

@Suite("A WebSocket", .timeLimit(.minutes(1)))
struct WebSocketTests {
  /// A server that sends every message back.
  static func echoServer(_ bag: DisposeBag) throws -> WebSocketServer {
    let server = try WebSocketServer()
    server.connections
      .subscribe(onNext: { socket in
        socket.messages.subscribe(onNext: { try? socket.send($0) }, onError: { _ in })
          .disposed(by: bag)
      })
      .disposed(by: bag)
    return server
  }

  @Test func `says hello and hears it back`() async throws {
    let bag = DisposeBag()
    let server = try Self.echoServer(bag)
    let socket = WebSocket.connect(to: server.url)
    var heard: [WebSocketMessage] = []
    for try await event in socket.events.values {
      switch event {
      case .connected:
        try socket.send("hello")
        try socket.send(Data(repeating: 7, count: 1 << 20))
      case .message(let message):
        heard.append(message)
        if heard.count == 2 { socket.close(code: 1000, reason: "done") }
      case .error(let error): Issue.record(error)
      case .disconnected(let code, _): #expect(code == .normal)
      }
    }
    #expect(heard == [.text("hello"), .binary(Data(repeating: 7, count: 1 << 20))])
    #expect(socket.state == .disconnected)
    server.close()
  }
}
