#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// WebSockets as a dependency: closures keyed by an id, which a feature is given, and a test replaces.
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
/// Whoever ends the iteration of `open`'s stream, or its task, closes the socket with 1001. In tests
/// `ReactiveTesting` has `.unimplemented` and `.mock`.
public struct WebSocketClient: Sendable {
  /// Which socket.
  public struct ID: Hashable, Sendable {
    // Sendable where it is given.
    private nonisolated(unsafe) let rawValue: AnyHashable

    /// The socket of this name, or of whatever else it is known by.
    public init(_ rawValue: some Hashable & Sendable) { self.rawValue = AnyHashable(rawValue) }

    /// The one socket of a program that has one.
    public init() {
      struct Only: Hashable {}
      self.init(Only())
    }
  }

  /// What happens to a socket: `didOpen` unless it failed before, perhaps `didFail`, and `didClose` at
  /// last, always.
  public enum Action: Hashable, Sendable {
    /// Messages go both ways; with the subprotocol that was agreed upon.
    case didOpen(protocol: String?)
    /// It could not be opened, or broke; `didClose` follows.
    case didFail(WebSocketError)
    /// It is over, with the code and reason of ``WebSocketEvent/disconnected(code:reason:)``.
    case didClose(code: CloseCode, reason: String)
  }

  /// Connects a socket to a URL, offering subprotocols; the stream ends after `didClose`.
  ///
  /// One that is open by the same id is closed with 1001 first.
  public var open: @Sendable (ID, _ url: URL, _ subprotocols: [String]) async -> AsyncStream<Action>
  /// The messages since `didOpen` that nobody has received, read no faster than they are taken, then
  /// one failure: `closed`, or what it broke with.
  ///
  /// An id that is not open has the failure `notConnected` alone.
  public var receive: @Sendable (ID) async -> AsyncStream<Result<WebSocketMessage, WebSocketError>>
  /// Sends a message once there is room for it; throws `notConnected` unless the socket is open.
  public var send: @Sendable (ID, WebSocketMessage) async throws -> Void
  /// Sends a ping and returns when its pong has come; throws when that will not come.
  public var sendPing: @Sendable (ID) async throws -> Void
  /// Closes: in effect when it returns; throws `notConnected` when there is nothing to close.
  public var close: @Sendable (ID, CloseCode, _ reason: String) async throws -> Void

  /// A client of these closures.
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
  /// The socket of this name.
  public init(stringLiteral name: String) { self.init(name) }
}

extension WebSocketClient {
  /// Real sockets, one set of ids for the whole program.
  public static let live = live()

  /// Real sockets with ids of their own.
  ///
  /// - Parameter configuration: that of each socket, but for the subprotocols.
  public static func live(configuration: WebSocketConfiguration = .init()) -> WebSocketClient {
    WebSocketClient { _, url, subprotocols in
      var configuration = configuration
      configuration.subprotocols = subprotocols
      return ClientSocket(WebSocket(url.absoluteString, configuration: configuration))
    }
  }

  /// Sockets that `make` makes.
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
