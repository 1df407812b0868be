#if PEERS
import Dispatch
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Sockets

/// SwiftNIO's WebSocket handlers at both ends, on one event loop, as ours are.
@MainActor
final class NIOEcho {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let course: EchoCourse<any Channel>
  private let client: any Channel
  private let listener: any Channel

  /// Returns once it is connected.
  init(_ exchange: Exchange, _ log: LatencyLog?) {
    let kind = exchange.kind
    let course = EchoCourse<any Channel>(exchange, log) { Self.send($1, kind, over: $0) }
    do {
      listener = try Self.listen(group)
      client = try Self.connect(group, to: listener.localAddress, course)
    } catch { fatalError("No connection of NIO's: \(error)") }
    self.course = course
  }

  isolated deinit { group.shutdownGracefully { _ in } }

  /// Sends that many messages and returns the number of received bytes.
  func run(_ count: Int) -> Int {
    // Messages sent outside of a read are sent by this thread.
    course.run(count, client)
  }

  private static func listen(_ group: MultiThreadedEventLoopGroup) throws -> any Channel {
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: longestFrame,
      shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(EchoHandler())
        }
      }
    )
    return try ServerBootstrap(group: group)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.pipeline.configureHTTPServerPipeline(
          withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in })
        )
      }
      .bind(host: "127.0.0.1", port: 0).wait()
  }

  private static func connect(
    _ group: MultiThreadedEventLoopGroup,
    to address: SocketAddress?,
    _ course: EchoCourse<any Channel>
  ) throws -> any Channel {
    let connected = group.next().makePromise(of: (any Channel).self)
    let upgrader = NIOWebSocketClientUpgrader(
      maxFrameSize: longestFrame,
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ClientHandler(course))
          connected.succeed(channel)
        }
      }
    )
    let port = address?.port ?? 0
    let channel = try ClientBootstrap(group: group)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.pipeline.addHTTPClientHandlers(
          withClientUpgrade: (upgraders: [upgrader], completionHandler: { _ in })
        )
      }
      .connect(host: "127.0.0.1", port: port).wait()
    var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
    head.headers.add(name: "Host", value: "127.0.0.1:\(port)")
    channel.write(HTTPClientRequestPart.head(head), promise: nil)
    channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    return try connected.futureResult.wait()
  }

  private static let longestFrame = 16 << 20

  /// From the loop's thread it waits for the end of the read to be written, as ours does.
  private nonisolated static func send(
    _ message: WebSocketMessage,
    _ kind: Exchange.Kind,
    over channel: any Channel
  ) {
    let data =
      switch message {
      case .text(let text): channel.allocator.buffer(string: text)
      case .binary(let data): channel.allocator.buffer(bytes: data)
      }
    let opcode = kind == .text ? WebSocketOpcode.text : .binary
    let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
    if channel.eventLoop.inEventLoop {
      channel.write(frame, promise: nil)
    } else {
      channel.writeAndFlush(frame, promise: nil)
    }
  }

  private final class EchoHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let frame = unwrapInboundIn(data)
      let echo = WebSocketFrame(fin: true, opcode: frame.opcode, data: frame.unmaskedData)
      context.write(wrapOutboundOut(echo), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
  }

  private final class ClientHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame

    private let course: EchoCourse<any Channel>

    init(_ course: EchoCourse<any Channel>) { self.course = course }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let frame = unwrapInboundIn(data)
      let message: WebSocketMessage =
        frame.opcode == .text
        ? .text(String(buffer: frame.data)) : .binary(Data(frame.data.readableBytesView))
      course.receive(message, context.channel)
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
  }
}
#endif
