import Foundation

/// A real client and a real server over an in-memory connection whose faults a test controls: it
/// can split, delay and drop bytes, and cut the connection after any byte.
///
/// ```swift
/// let link = WebSocketLink(toClient: .init(pieceSize: 1, cutAfter: 100))
/// link.connect()
/// ```
///
/// The connection carries the bytes of the WebSocket protocol, with handshake, masks and
/// compression. Both sides run on the event loop of the sockets.
public final class WebSocketLink: Sendable {
  /// The faults of one direction.
  public struct Conditions: Hashable, Sendable {
    /// Maximum number of bytes that are delivered at once; nil, the default, does not split them.
    public var pieceSize: Int?
    /// Time between sending and delivery; zero by default.
    public var delay: Duration
    /// Number of bytes after which the connection is cut for both sides; nil, the default, never
    /// cuts it.
    public var cutAfter: Int?
    /// Number of bytes after which all bytes are dropped without an error; nil, the default, drops
    /// none.
    public var dropAfter: Int?

    /// Conditions with these faults; none by default.
    public init(
      pieceSize: Int? = nil,
      delay: Duration = .zero,
      cutAfter: Int? = nil,
      dropAfter: Int? = nil
    ) {
      self.pieceSize = pieceSize
      self.delay = delay
      self.cutAfter = cutAfter
      self.dropAfter = dropAfter
    }
  }

  /// The client.
  public let client: WebSocket
  /// The server.
  public let server: WebSocket
  private let clientEnd: LinkEnd
  private let serverEnd: LinkEnd

  /// A client and a server that are not connected; call `connect()`.
  ///
  /// - Parameters:
  ///   - toServer: faults of the bytes that the client sends.
  ///   - toClient: faults of the bytes that the server sends.
  ///   - url: URL of the client's request; its host and port are ignored.
  ///   - configuration: configuration of the client.
  ///   - serverConfiguration: configuration of the server.
  ///   - scheduler: clock of the delays; the system's by default.
  public init(
    toServer: Conditions = .init(),
    toClient: Conditions = .init(),
    url: String = "ws://localhost/",
    configuration: WebSocketConfiguration = .init(),
    serverConfiguration: WebSocketConfiguration = .init(),
    scheduler: (any SchedulerType)? = nil
  ) {
    let (clientTransport, clientSide) = MemoryTransport.pair(
      maximumDelivery: toClient.pieceSize ?? .max)
    let (serverTransport, serverSide) = MemoryTransport.pair(
      maximumDelivery: toServer.pieceSize ?? .max)
    client = .client(over: clientTransport, url: url, configuration: configuration)
    server = .server(over: serverTransport, configuration: serverConfiguration)
    clientEnd = LinkEnd(clientSide, toServer, scheduler)
    serverEnd = LinkEnd(serverSide, toClient, scheduler)
    LinkEnd.pair(clientEnd, serverEnd)
  }

  deinit { cut() }

  /// Connects both sides.
  ///
  /// Further calls have no effect.
  public func connect() {
    for end in [clientEnd, serverEnd] { end.start() }
    for socket in [server, client] { socket.connect() }
  }

  /// Cuts the connection now: both sides lose it without a closing handshake.
  public func cut() { clientEnd.cut() }

  /// Drops all bytes from now on, in both directions and without an error, like a network that has
  /// failed.
  ///
  /// Delayed bytes are still delivered.
  public func silence() {
    for end in [clientEnd, serverEnd] { end.silence() }
  }

  /// Number of bytes in each direction that were delivered or are on their way.
  ///
  /// Dropped bytes do not count.
  public var deliveredByteCounts: (toServer: Int, toClient: Int) {
    (clientEnd.passedCount, serverEnd.passedCount)
  }
}
