import Foundation
import ReactiveTesting
import Sockets
import TestSupport
import Testing

@Suite("The timeline of a composer with a socket", .workerPool)
struct SocketTimelineTests {
  final class Screen: Composer {
    enum Action: Codable, Equatable {
      case open, received(WebSocketMessage), socket(SocketLifecycleEvent)
      case state(WebSocketState), reconnection(ReconnectionState), event(WebSocketEvent)
    }
    struct State: Codable, Equatable {
      var texts: [String] = []
      var last: SocketLifecycleEvent?
    }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let socket: any WebSocketType

    init(_ socket: any WebSocketType) { self.socket = socket }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .open: return .socket(socket, received: Action.received, lifecycle: Action.socket)
      case .received(let message): state.texts.append(message.text ?? "")
      case .socket(let event): state.last = event
      case .state, .reconnection, .event: break
      }
      return .none
    }
  }

  @Test func `it is written to a file and read again`() throws {
    let (socket, server) = MockWebSocket.pair()
    let screen = VirtualTime().run { Composed(sending: Screen(socket)) }
    let recorder = TimelineRecorder(screen.trace)
    screen.send(.open)
    try server.send("one")
    server.close(code: .goingAway, reason: "noon")
    let timeline = recorder.timeline
    #expect(screen.state.texts == ["one"])

    let read = try Timeline<Screen.State, Screen.Action>(jsonLines: timeline.jsonLines())
    #expect(read.difference(from: timeline) == nil)
    #expect(read.steps.last?.state.last == .disconnected(code: .goingAway, reason: "noon"))
  }

  static let errors: [WebSocketError] = [
    .invalidURL("x", .notAbsolute), .invalidURL("é", .invalidCharacter("é")),
    .invalidURL("http://h", .unsupportedScheme("http")),
    .transport(.hostNotFound(host: "h", reason: "none")),
    .transport(.lookupTimedOut(host: "h", after: .milliseconds(1_500))),
    .transport(.system(errno: 13, operation: "connect")),
    .transport(.proxy(.unreachable(proxy: "p:1", .reset))),
    .transport(.tls(.refused(alert: 40, reason: "no"))),
    .handshake(
      .rejected(
        status: 401, reason: "Unauthorized", headers: ["A": "1", "a": "2"], body: Data([0, 255]))),
    .handshake(.notHTTP), .redirect(.tooMany(limit: 3)), .handshakeTimedOut(after: .seconds(1)),
    .protocolViolation(.fragmentedControlFrame(.ping)),
    .protocolViolation(.messageTooLong(length: 9, limit: 8)), .connectionLost,
    .closeTimedOut(after: .seconds(5)), .overBudget(limit: 7),
    .tooManyMessages(WebSocketRate(perSecond: 2, burst: 4)), .writeTimedOut(after: .seconds(2)),
    .unreadDropped(after: .seconds(2)), .silent(after: .seconds(2)),
    .closed(code: .normal, reason: "bye"), .notConnected(.disconnecting),
    .controlPayloadTooLong(length: 126), .closeCodeNotSendable(.abnormal),
    .attemptFailed(reason: "no"), .backlogFull(limit: 3),
    .gaveUp(attempts: 2, last: .gaveUp(attempts: 1, last: nil)),
  ]

  @Test(arguments: errors)
  func `each error of a socket is decoded as it was encoded`(error: WebSocketError) throws {
    let pin = try PublicKeyPin("sha256/" + Data(repeating: 7, count: 32).base64EncodedString())
    let actions: [Screen.Action] = [
      .socket(.error(error)), .event(.error(error)), .reconnection(.disconnected(error)),
      .reconnection(.waitingToReconnect(retry: 2, delay: .milliseconds(250), error: error)),
      .socket(.waiting(retry: 1, delay: .seconds(1), error: error)),
      .state(.connected), .received(.binary(Data([1, 2]))),
      .socket(.undecodable(.text("{"), .notDecodable("Line", reason: "no text"))),
      .socket(.error(.transport(.tls(.keyNotPinned(pin))))),
    ]
    let file = try JSONEncoder().encode(actions)
    #expect(try JSONDecoder().decode([Screen.Action].self, from: file) == actions)
  }

  @Test func `a pin that is not the SHA-256 of a key is not decoded`() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(PublicKeyPin.self, from: Data("\"sha256/AAAA\"".utf8))
    }
  }

  @Test(arguments: [(0, 1), (-1, 1), (1, 0)])
  func `a rate that is not positive is not decoded`(perSecond: Double, burst: Int) {
    let text = "{\"perSecond\":\(perSecond),\"burst\":\(burst)}"
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(WebSocketRate.self, from: Data(text.utf8))
    }
  }
}
