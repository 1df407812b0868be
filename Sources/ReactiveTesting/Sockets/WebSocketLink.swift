import Foundation

/// A real client and a real server over an in-memory connection that can be made as bad as a test wants:
/// split, slow, cut at any byte, or silent.
///
/// ```swift
/// let link = WebSocketLink(toClient: .init(pieceSize: 1, cutAfter: 100))
/// link.connect()
/// ```
///
/// The bytes are those of the wire, with handshake, masks and compression; both sides run on the sockets'
/// event loop.
public final class WebSocketLink: Sendable {
  /// What happens to the bytes of one direction.
  public struct Conditions: Hashable, Sendable {
    /// The most bytes that arrive at once; as they come by default.
    public var pieceSize: Int?
    /// How long bytes are on their way; not at all by default.
    public var delay: Duration
    /// After so many bytes the connection ends, for both sides; never by default.
    public var cutAfter: Int?
    /// What follows so many bytes is lost, and nobody is told; nothing by default.
    public var dropsAfter: Int?

    /// These conditions; perfect ones by default.
    public init(
      pieceSize: Int? = nil,
      delay: Duration = .zero,
      cutAfter: Int? = nil,
      dropsAfter: Int? = nil
    ) {
      (self.pieceSize, self.delay) = (pieceSize, delay)
      (self.cutAfter, self.dropsAfter) = (cutAfter, dropsAfter)
    }
  }

  /// The client's side.
  public let client: WebSocket
  /// The server's side.
  public let server: WebSocket
  private let toServer: LinkHalf
  private let toClient: LinkHalf

  /// A client and a server, which `connect()` connects.
  ///
  /// - Parameters:
  ///   - toServer: what happens to what the client sends.
  ///   - toClient: what happens to what the server sends.
  ///   - url: what the client asks for; its host and port do not matter.
  ///   - configuration: the client's.
  ///   - serverConfiguration: the server's.
  ///   - scheduler: the clock of the delays; the system's by default.
  public init(
    toServer: Conditions = .init(),
    toClient: Conditions = .init(),
    url: String = "ws://localhost/",
    configuration: WebSocketConfiguration = .init(),
    serverConfiguration: WebSocketConfiguration = .init(),
    scheduler: (any SchedulerType)? = nil
  ) {
    let (near, nearInside) = MemoryTransport.pair(maximumDelivery: toClient.pieceSize ?? .max)
    let (far, farInside) = MemoryTransport.pair(maximumDelivery: toServer.pieceSize ?? .max)
    client = .client(over: near, url: url, configuration: configuration)
    server = .server(over: far, configuration: serverConfiguration)
    self.toServer = LinkHalf(from: nearInside, toServer, scheduler)
    self.toClient = LinkHalf(from: farInside, toClient, scheduler)
    LinkHalf.join(self.toServer, self.toClient)
  }

  deinit { cut() }

  /// Connects both sides, the first time it is called.
  public func connect() {
    for half in [toServer, toClient] { half.start() }
    for socket in [server, client] { socket.connect() }
  }

  /// Ends the connection now: both sides find it lost.
  public func cut() { toServer.cut() }

  /// Loses everything from now on, in both directions, without telling: as of a peer whose network is gone.
  public func silence() {
    for half in [toServer, toClient] { half.silence() }
  }

  /// How many bytes went each way, without those that were lost.
  public var carried: (toServer: Int, toClient: Int) { (toServer.carried, toClient.carried) }
}
