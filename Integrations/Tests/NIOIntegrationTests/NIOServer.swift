import IntegrationTestSupport
import NIOCore
import NIOHTTP1
import NIOIntegration
import NIOPosix
import Sockets

/// A port of NIO with an HTTP server, and a WebSocket server without a port of its own.
struct NIOServer {
  let sockets: WebSocketServer
  let listener: any Channel

  var port: Int { listener.localAddress?.port ?? 0 }
  var url: String { "ws://127.0.0.1:\(port)/chat" }

  init(
    _ admission: WebSocketAdmission = .init(), timeout: TimeAmount = .seconds(10),
    negotiates: Bool = true, autoRead: Bool = true
  ) async throws {
    var configuration = WebSocketConfiguration.quiet
    // A client that is slow in a debug build is not dropped.
    configuration.closeTimeout = .seconds(60)
    let server = try WebSocketServer.withoutListener(
      configuration: configuration, admission: admission)
    sockets = server
    listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.allowRemoteHalfClosure, value: !negotiates)
      .childChannelOption(.autoRead, value: autoRead)
      // Otherwise the system holds as much as it has memory for.
      .serverChannelOption(.socketOption(.so_rcvbuf), value: 64 << 10)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          guard negotiates else {
            return try pipeline.configureWebSocketPipeline(servedBy: server)
          }
          try pipeline.configureWebSocketNegotiation(with: server, timeout: timeout) { channel in
            channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.configureHTTPServerPipeline()
              try channel.pipeline.syncOperations.addHandler(HTTPHandler())
            }
          }
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  func close() async throws {
    sockets.close()
    try await listener.close()
  }
}

/// Answers each request with its path.
private final class HTTPHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let request) = unwrapInboundIn(data) else { return }
    let body = ByteBuffer(string: "HTTP \(request.uri)")
    let headers: NIOHTTP1.HTTPHeaders = ["Content-Length": "\(body.readableBytes)"]
    context.write(
      wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers))),
      promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }
}
