#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// WebSockets as a dependency: closures keyed by an id, which a test can replace.
///
/// ```swift
/// let client = WebSocketClient.live
/// for await action in await client.open("chat", url, []) {
///   switch action {
///   case .didOpen: try await client.send("chat", .text("hello"))
///   case .didFail(let error): print(error)
///   case .didClose(let code, _): print(code)
///   }
/// }
/// ```
///
/// The socket closes with 1001 when the iteration of `open`'s stream, or its task, ends. In tests
/// `ReactiveTesting` has `.unimplemented` and `.mock`.
public struct WebSocketClient: Sendable {
  /// The id of a socket.
  public struct ID: Hashable, Sendable {
    // Safe because `init` accepts only Sendable values.
    private nonisolated(unsafe) let rawValue: AnyHashable

    /// The id made of a name or another value.
    public init(_ rawValue: some Hashable & Sendable) { self.rawValue = AnyHashable(rawValue) }

    /// The id for a program with a single socket.
    public init() {
      struct Only: Hashable {}
      self.init(Only())
    }
  }

  /// The events of a socket: `didOpen` or `didFail` or both, and always `didClose` at the end.
  public enum Action: Hashable, Sendable {
    /// Messages can be sent and received; with the agreed subprotocol.
    case didOpen(protocol: String?)
    /// The socket could not be opened, or broke; `didClose` follows.
    case didFail(WebSocketError)
    /// The socket has ended, with the values of ``WebSocketEvent/disconnected(code:reason:)``.
    case didClose(code: CloseCode, reason: String)
  }

  /// Connects a socket to a URL, offering subprotocols; the stream ends after `didClose`.
  ///
  /// An open socket with the same id is closed with 1001 first.
  public var open: @Sendable (ID, _ url: URL, _ subprotocols: [String]) async -> AsyncStream<Action>
  /// The messages since `didOpen` that were not received yet, then one failure.
  ///
  /// Reading is no faster than the loop takes messages. The failure is `closed`, or the error that
  /// the socket failed with. For an id that is not open, the only result is the failure
  /// `notConnected`.
  public var receive: @Sendable (ID) async -> AsyncStream<Result<WebSocketMessage, WebSocketError>>
  /// Sends a message once there is room for it; throws `notConnected` unless the socket is open.
  public var send: @Sendable (ID, WebSocketMessage) async throws -> Void
  /// Sends a ping and returns when its pong arrives; throws when the connection ends before that.
  public var sendPing: @Sendable (ID) async throws -> Void
  /// Closes, and the state has changed when it returns; throws `notConnected` without a socket.
  public var close: @Sendable (ID, CloseCode, _ reason: String) async throws -> Void

  /// Creates a client from closures.
  public init(
    open:
      @escaping @Sendable (ID, _ url: URL, _ subprotocols: [String]) async -> AsyncStream<Action>,
    receive:
      @escaping @Sendable (ID) async -> AsyncStream<
        Result<WebSocketMessage, WebSocketError>
      >,
    send: @escaping @Sendable (ID, WebSocketMessage) async throws -> Void,
    sendPing: @escaping @Sendable (ID) async throws -> Void,
    close: @escaping @Sendable (ID, CloseCode, _ reason: String) async throws -> Void
  ) {
    (self.open, self.receive, self.send) = (open, receive, send)
    (self.sendPing, self.close) = (sendPing, close)
  }
}

extension WebSocketClient.ID: ExpressibleByStringLiteral {
  /// The id made of a name.
  public init(stringLiteral name: String) { self.init(name) }
}

extension WebSocketClient {
  /// Real sockets, with one set of ids for the whole program.
  public static let live = live()

  /// Creates a client of real sockets with a separate set of ids.
  ///
  /// - Parameter configuration: of each socket, except for its subprotocols.
  public static func live(configuration: WebSocketConfiguration = .init()) -> WebSocketClient {
    WebSocketClient { _, url, subprotocols in
      var configuration = configuration
      configuration.subprotocols = subprotocols
      return ClientSocket(WebSocket(url.absoluteString, configuration: configuration))
    }
  }

  /// Creates a client of sockets that `make` returns.
  package init(_ make: @escaping @Sendable (ID, URL, [String]) -> ClientSocket) {
    let sockets = ClientSockets()
    self.init(
      open: { id, url, subprotocols in sockets.open(id, make(id, url, subprotocols)) },
      receive: { id in sockets.results(of: id) },
      send: { id, message in try await sockets.socket(id).send(message) },
      sendPing: { id in try await sockets.socket(id).ping() },
      close: { id, code, reason in try sockets.socket(id).socket.close(code: code, reason: reason) }
    )
  }
}
