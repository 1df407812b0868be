import NIOCore
import NIOPosix

/// A TCP client whose bytes the test writes.
public final class RawClient: Sendable {
  /// A request for a WebSocket.
  public static let request =
    "GET /chat HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

  /// The bytes so far.
  public let received = Watched<[UInt8]>([])
  /// Whether the connection has ended.
  public let isClosed = Watched(false)
  private let channel: any Channel

  /// Connects to a port of this machine.
  public init(port: Int) async throws {
    let (received, isClosed) = (received, isClosed)
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Recorder(received, isClosed))
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
  }

  /// The received bytes as text.
  public var text: String { String(decoding: received.value, as: UTF8.self) }

  /// Sends text.
  public func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  /// Sends bytes.
  public func send(_ bytes: [UInt8]) async throws {
    try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
  }

  /// Sends bytes, and ends the direction to the server before it can answer.
  public func sendLast(_ bytes: [UInt8]) async throws {
    try await channel.eventLoop.submit { [channel] in
      channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
      channel.close(mode: .output, promise: nil)
    }.get()
  }

  /// Pauses or resumes reading.
  public func setReading(_ isReading: Bool) async throws {
    try await channel.setOption(.autoRead, value: isReading).get()
  }

  /// Drops the connection with a reset.
  public func reset() async throws {
    try await (channel as? any SocketOptionProvider)?
      .setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
    try await channel.close()
  }

  /// Closes the connection.
  public func close() async throws { try await channel.close() }
}

private final class Recorder: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let received: Watched<[UInt8]>
  private let isClosed: Watched<Bool>

  init(_ received: Watched<[UInt8]>, _ isClosed: Watched<Bool>) {
    self.received = received
    self.isClosed = isClosed
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = Array(unwrapInboundIn(data).readableBytesView)
    received.update { $0 += bytes }
  }

  func channelInactive(context: ChannelHandlerContext) { isClosed.update { $0 = true } }
}
