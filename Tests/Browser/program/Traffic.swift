import Foundation
import Inspector

/// A composer whose socket receives news with a secret, so that its steps have messages as their causes.
final class Feed: Composer {
  enum Action: Sendable {
    case start
    case heard(String)
    case socket(SocketLifecycleEvent)
  }

  struct State: Sendable {
    var heard: [String] = []
    var isConnected = false
  }

  @ComposableState var state = State()
  let action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let url: String
  private let handle = SocketHandle()

  init(url: String) { self.url = url }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .start:
      var configuration = WebSocketConfiguration()
      configuration.compression = .deflate(threshold: 0)
      configuration.keepalive = WebSocketKeepalive(interval: .seconds(1))
      return .socket(
        WebSocket(url, configuration: configuration), handle: handle,
        received: { .heard($0.text ?? "data") }, lifecycle: Action.socket)
    case .socket(.connected):
      state.isConnected = true
      return handle.send(.text(#"{"type":"subscribe","token":"abc123"}"#))
    case .socket: break
    case .heard(let text): state.heard = Array((state.heard + [text]).suffix(5))
    }
    return .none
  }
}

/// A server with news, and its clients: one in a composer, some that reconnect, one that is refused.
final class Traffic {
  /// What the messages of the server say.
  static let news = ["milk is out", Hostile.script, Hostile.image, "line\nbreak \u{202e}desrever"]

  private let server: WebSocketServer
  private let feed: Composed<Feed.State, Feed.Action>
  private var reconnecting: [ReconnectingWebSocket] = []
  private let refused: WebSocket
  private let farewell: WebSocket
  /// Has pings only, which measure the round trip.
  private let quiet: WebSocket
  private let disposeBag = DisposeBag()

  init() throws {
    var configuration = WebSocketConfiguration()
    configuration.compression = .deflate(threshold: 0)
    var admission = WebSocketAdmission()
    admission.decide = { $0.path == "/forbidden" ? .refuse(status: 403, body: "no") : .accept() }
    server = try WebSocketServer(configuration: configuration, admission: admission)
    feed = Composed(sending: Feed(url: server.url + "feed"))
    refused = WebSocket(server.url + "forbidden")
    farewell = WebSocket(server.url + "farewell")
    var pinging = WebSocketConfiguration()
    pinging.keepalive = WebSocketKeepalive(interval: .seconds(1))
    quiet = WebSocket(server.url + "quiet", configuration: pinging)
    serve()
    feed.send(.start)
    refused.connect()
    farewell.connect()
    quiet.connect()
    let flaky = server.url + "flaky"
    connect(.seconds(1)) { WebSocket(flaky) }
    // No program listens on this port.
    connect(.seconds(600)) { WebSocket("ws://127.0.0.1:1/nobody") }
  }

  private func connect(_ delay: Duration, _ make: @escaping @Sendable () -> WebSocket) {
    let socket = ReconnectingWebSocket(
      connect: make, strategy: .fixed(delay, maxAttempts: nil))
    socket.connect()
    reconnecting.append(socket)
  }

  private func serve() {
    server.connections
      .subscribe(onNext: { [disposeBag] socket in
        Self.serve(socket).disposed(by: disposeBag)
      })
      .disposed(by: disposeBag)
  }

  private static func serve(_ socket: WebSocket) -> any Disposable {
    switch socket.request?.path {
    case "/feed":
      return Observable<Int>.interval(
        .milliseconds(250), scheduler: ConcurrentDispatchQueueScheduler(qos: .utility)
      )
      .subscribe(onNext: { number in
        let text = #"{"type":"news","number":\#(number),"text":\#(quoted(news[number % 4])),"#
        try? socket.send(text + #""token":"abc123"}"#)
      })
    case "/quiet": break
    case "/farewell": socket.close(code: .policyViolation, reason: Hostile.image)
    default:
      return Observable<Int>.timer(
        .milliseconds(500), scheduler: ConcurrentDispatchQueueScheduler(qos: .utility)
      )
      .subscribe(onNext: { _ in socket.drop() })
    }
    return Disposables.create()
  }

  /// The text as a string of JSON.
  private static func quoted(_ text: String) -> String {
    String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
  }

  static func all() throws -> [AnyObject] { [try Traffic()] }
}
