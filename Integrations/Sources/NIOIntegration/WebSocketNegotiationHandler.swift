import NIOCore
import Sockets

/// Passes a channel on by its first request, to a WebSocket server or to an HTTP server.
final class WebSocketNegotiationHandler<Value: Sendable>: ChannelDuplexHandler,
  RemovableChannelHandler
{
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias Outcome = WebSocketNegotiation<Value>

  private let server: WebSocketServer
  private let timeout: TimeAmount
  private let configureHTTP: @Sendable (any Channel) -> EventLoopFuture<Value>
  private let promise: EventLoopPromise<Outcome>

  // Touched on the channel's event loop only.
  private var negotiation = Negotiation()
  private var received = ByteBuffer()
  private var isNegotiated = false
  /// Whether the channel is to be read once the handlers of its server are there.
  private var isReadDue = false
  private var deadline: Scheduled<Void>?

  /// The server of the channel, after the head of its first request.
  var outcome: EventLoopFuture<Outcome> { promise.futureResult }

  init(
    _ server: WebSocketServer, on eventLoop: any EventLoop, timeout: TimeAmount,
    configureHTTP: @escaping @Sendable (any Channel) -> EventLoopFuture<Value>
  ) {
    self.server = server
    self.timeout = timeout
    self.configureHTTP = configureHTTP
    promise = eventLoop.makePromise()
  }

  // Without effect after an outcome.
  deinit { promise.fail(ChannelError.eof) }

  func handlerAdded(context: ChannelHandlerContext) {
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
      context.close(promise: nil)
    }
    if context.channel.isActive { readIfNeeded(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    readIfNeeded(context)
    context.fireChannelActive()
  }

  /// Reads on until the first request is known, if no one else does.
  private func readIfNeeded(_ context: ChannelHandlerContext) {
    if !isNegotiated, !context.readsAutomatically { context.read() }
  }

  func read(context: ChannelHandlerContext) {
    // What arrives meanwhile waits in the system: the server of the channel may be ready late.
    if isNegotiated { isReadDue = true } else { context.read() }
  }

  func removeHandler(
    context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken
  ) {
    // The handlers behind may cause a read meanwhile.
    while received.readableBytes > 0 {
      let bytes = received
      received.clear()
      context.fireChannelRead(wrapInboundOut(bytes))
      context.fireChannelReadComplete()
    }
    if isReadDue { context.read() }
    context.leavePipeline(removalToken: removalToken)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    deadline?.cancel()
    promise.fail(ChannelError.eof)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received.writeImmutableBuffer(unwrapInboundIn(data))
    guard !isNegotiated else { return }
    switch negotiation.receive(received.readableBytesView) {
    case .undecided: return
    case .webSocket: serveWebSocket(context)
    case .http: serveHTTP(context)
    }
    isNegotiated = true
    deadline?.cancel()
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    readIfNeeded(context)
    context.fireChannelReadComplete()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // Without a whole request there is nothing to answer.
    if !isNegotiated, event as? ChannelEvent == .inputClosed || event is ChannelShouldQuiesceEvent {
      context.close(promise: nil)
    }
    context.fireUserInboundEventTriggered(event)
  }

  private func serveWebSocket(_ context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    // The end of the peer's direction must not drop the answer to its close frame.
    let options = context.channel.setOption(.allowRemoteHalfClosure, value: true)
    options.hop(to: context.eventLoop).assumeIsolated().whenComplete { [server, promise] _ in
      do {
        try pipeline.addHandler(WebSocketConnectionHandler(server), position: .after(self))
        promise.succeed(.webSocket)
        pipeline.removeHandler(context: context, promise: nil)
      } catch {
        // The channel has closed meanwhile.
        promise.fail(error)
      }
    }
  }

  private func serveHTTP(_ context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    configureHTTP(context.channel).hop(to: context.eventLoop).assumeIsolated().whenComplete {
      [promise] result in
      promise.completeWith(result.map { .http($0) })
      if case .failure = result { return context.close(promise: nil) }
      pipeline.removeHandler(context: context, promise: nil)
    }
  }
}

@available(*, unavailable)
extension WebSocketNegotiationHandler: Sendable {}
