import Foundation
import ReactiveTesting
import Sockets
import TestSupport
import Testing

/// The examples of the notes on `URLSessionWebSocketTask`, in the names of this package.
@Suite("URLSession's examples", .workerPool)
struct URLSessionNamesTests {
  private let echo: EchoServer

  init() throws { echo = try EchoServer() }

  private var wsURLString: String { String(echo.url.dropFirst("ws://".count).dropLast()) }

  @Test func `U01, U06: a socket has a URL with its query, and connects on request`()
    async throws
  {
    let id = "a%20b"

    let url = "ws://\(wsURLString)/socket?id=\(id)"
    let socket = WebSocket(url)

    #expect(echo.sockets.value.isEmpty && socket.state == .idle)

    socket.connect()

    await echo.sockets.wait { $0.count == 1 }
    #expect(echo.sockets.value.first?.request?.path == "/socket")
    #expect(echo.sockets.value.first?.request?.query == "id=a%20b")

    try await socket.connected()
    socket.close(code: .goingAway)

    let end = try await #require(echo.sockets.value.first).closed()
    #expect(end.code == .goingAway)
  }

  @Test func `U02: a socket receives text and data, and the failure at the end`() async throws {
    let socket = WebSocket.connect(to: echo.url)
    try await socket.connected()
    try socket.send("text")
    try socket.send(Data([1, 2]))
    var lines: [String] = []

    while true {
      do {
        switch try await socket.receive() {  // message can be Data or String
        case .binary(let data):
          lines.append("\(data.count) bytes")
          socket.close()
        case .text(let str):
          lines.append(str)
        }
      } catch {
        lines.append("\(error)")
        break
      }
    }

    #expect(lines == ["text", "2 bytes", "\(WebSocketError.closed(code: .normal, reason: ""))"])
  }

  // MARK: The example implementation

  final class WebSocketController: Sendable {
    private let socket: ReconnectingWebSocket
    private let decoder = JSONDecoder()
    private let encoder = JSONEncoder()
    private let disposeBag = DisposeBag()
    private let print: @Sendable (String) -> Void

    let id: UUID

    init(id: UUID, wsURLString: String, print: @escaping @Sendable (String) -> Void) {
      self.id = id
      self.print = print
      socket = ReconnectingWebSocket(
        connect: { WebSocket("ws://\(wsURLString)/socket?id=\(id)") },
        strategy: .exponential(base: .milliseconds(1))
      )
    }

    func connect() {
      listen()
      socket.connect()
    }

    func listen() {
      socket.messages
        .subscribe(
          onNext: { [weak self] message in self?.handle(message) },
          onError: { [print] error in print("\(error)") }
        )
        .disposed(by: disposeBag)
    }

    func handle(_ message: WebSocketMessage) {
      do {
        let sinData = try message.decode(SinData.self, decoder: decoder)
        switch sinData.type {
        case .handshake:
          print("Shook the hand")
        case .aleResponse:
          print("handling ale")
        default:
          break
        }
      } catch {
        print("\(error)")
      }
    }

    func sendAle() {
      let message = Ale(id: id.uuidString)
      do {
        try socket.send(.binary(encoder.encode(message)))
      } catch {
        print("\(error)")
      }
    }

    func stop() { socket.close() }
  }

  // Websocket Communication types
  enum MessageType: String, Codable {
    case handshake, ale, aleResponse
  }

  struct SinData: Codable {
    let type: MessageType
  }

  struct Handshake: Codable {
    var type = MessageType.handshake
  }

  struct Ale: Codable {
    var type = MessageType.ale
    var id: String
  }

  struct AleResponse: Codable {
    var type = MessageType.aleResponse
  }

  @Test func `U07: messages are distinguished by their type, and an unknown type is reported`()
    async throws
  {
    let (lines, controller) = controller()
    controller.connect()
    await echo.sockets.wait { $0.count == 1 }
    let peer = try #require(echo.sockets.value.first)
    try peer.send(json: Handshake())
    try peer.send(json: AleResponse())
    try peer.send(#"{"type":"cider"}"#)
    await lines.wait { $0.count == 3 }
    #expect(lines.value.prefix(2) == ["Shook the hand", "handling ale"])
    #expect(lines.value.last?.contains("cider") == true)
    controller.stop()
  }

  @Test func `U04: the controller reconnects with a delay, and subscribes once`() async throws {
    let (lines, controller) = controller()
    controller.connect()
    for count in 1...3 {
      await echo.sockets.wait { $0.count == count }
      let peer = try #require(echo.sockets.value.last)
      try peer.send(json: Handshake())
      await lines.wait { $0.count == count }
      peer.close(code: .goingAway)
    }
    #expect(lines.value == ["Shook the hand", "Shook the hand", "Shook the hand"])
    controller.stop()
  }

  @Test func `U08: JSON is sent as data, and send throws after the end`() async throws {
    let (lines, controller) = controller()
    controller.connect()
    await echo.sockets.wait { $0.count == 1 }
    let ales = Watched<[Data]>([])
    let subscription = echo.sockets.value[0].messages
      .subscribe(onNext: { message in ales.update { $0.append(message.data) } })
    defer { subscription.dispose() }
    controller.sendAle()
    await ales.wait { $0.count == 1 }
    let ale = try JSONDecoder().decode(Ale.self, from: ales.value[0])
    #expect(ale.type == .ale && ale.id == controller.id.uuidString)
    controller.stop()
    controller.sendAle()
    await lines.wait { !$0.isEmpty }
    #expect(lines.value.first?.hasPrefix("nothing can be sent") == true)
  }

  private func controller() -> (Watched<[String]>, WebSocketController) {
    let lines = Watched<[String]>([])
    let controller = WebSocketController(id: UUID(), wsURLString: wsURLString) { line in
      lines.update { $0.append(line) }
    }
    return (lines, controller)
  }
}
