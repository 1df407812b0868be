import Foundation
import Reactive
import TestSupport
import Testing

@testable import Sockets

/// `wss` between the client and the server of this package over TCP.
@Suite("A secure WebSocket", .workerPool)
struct SecureWebSocketTests {
  private var trusting: WebSocketConfiguration {
    var configuration = WebSocketConfiguration()
    configuration.tls.authorities = .only(Certificates.authority)
    return configuration
  }

  private func echoing(_ identity: TLSIdentity, _ bag: DisposeBag) throws -> WebSocketServer {
    let server = try WebSocketServer(
      identity: identity,
      configuration: WebSocketConfiguration().onStoppedClock
    )
    server.connections
      .subscribe(onNext: { socket in
        socket.messages.subscribe(onNext: { try? socket.send($0) }, onError: { _ in })
          .disposed(by: bag)
      })
      .disposed(by: bag)
    return server
  }

  @Test func `wss carries messages of every size both ways`() async throws {
    let bag = DisposeBag()
    let server = try echoing(Certificates.chained, bag)
    #expect(server.url == "wss://127.0.0.1:\(server.port)/")
    let (socket, recorder) = WebSocket.recorded(to: server.url, trusting)
    socket.connect()
    await recorder.waitUntilConnected()
    let messages: [WebSocketMessage] = [
      .text("hello"), .text(""), .binary(Data(pattern(1 << 20))), .binary(Data(pattern(16_384))),
      .text(String(repeating: "ü", count: 100_000)),
    ]
    for message in messages { try socket.send(message) }
    await recorder.log.wait { $0.messages.count == messages.count }
    let isSame = recorder.value.messages == messages
    #expect(isSame)
    socket.close()
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == nil)
    #expect(recorder.value.closeCode == .normal)
  }

  @Test func `wss delivers messages of many threads whole`() async throws {
    let bag = DisposeBag()
    let server = try echoing(Certificates.good, bag)
    let (socket, recorder) = WebSocket.recorded(to: server.url, trusting)
    socket.connect()
    await recorder.waitUntilConnected()
    await withTaskGroup { group in
      for sender in 0..<4 {
        group.addTask {
          for number in 0..<50 {
            let text = String(repeating: "\(sender)", count: 1 + number * 400)
            try? socket.send(text)
          }
        }
      }
    }
    await recorder.log.wait { $0.messages.count == 200 }
    #expect(recorder.value.texts.allSatisfy { text in text.allSatisfy { $0 == text.first } })
    socket.close()
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == nil)
  }

  @Test func `an untrusted certificate is the error of the connection`() async throws {
    let bag = DisposeBag()
    let server = try echoing(Certificates.expired, bag)
    let (socket, recorder) = WebSocket.recorded(to: server.url, trusting)
    socket.connect()
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == .transport(.tls(.certificateExpired)))
    #expect(recorder.value.states == [.idle, .connecting, .disconnected])
  }

  @Test func `ws to a wss server fails with the advice to use wss`() async throws {
    let bag = DisposeBag()
    let server = try echoing(Certificates.good, bag)
    let (socket, recorder) = WebSocket.recorded(to: "ws://127.0.0.1:\(server.port)/")
    socket.connect()
    await recorder.waitUntilOver()
    let error = WebSocketError.handshake(.speaksTLS)
    #expect(recorder.value.failure == error)
    #expect("\(error)" == "the server speaks TLS: use wss")
  }

  @Test func `wss to a ws server fails with the advice to use ws`() async throws {
    let server = try WebSocketServer(configuration: WebSocketConfiguration().onStoppedClock)
    let (socket, recorder) = WebSocket.recorded(to: "wss://127.0.0.1:\(server.port)/", trusting)
    socket.connect()
    await recorder.waitUntilOver()
    let error = WebSocketError.transport(.tls(.plainHTTP))
    #expect(recorder.value.failure == error)
    #expect("\(error)" == "the server does not speak TLS: use ws")
  }

  @Test func `wss to another kind of server fails without the advice to use ws`() async throws {
    let server = try RawServer()
    let url = server.url.replacing("ws://", with: "wss://")
    let (socket, recorder) = WebSocket.recorded(to: url, trusting)
    socket.connect()
    await server.peer().send(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == .transport(.tls(.notTLS)))
  }

  @Test func `an unusable server identity is an error of the server`() {
    let identity = TLSIdentity(certificateChain: PEM(""), privateKey: PEM(""))
    #expect(throws: TransportError.self) { try WebSocketServer(identity: identity) }
  }
}
