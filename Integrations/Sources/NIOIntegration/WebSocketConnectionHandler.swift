import NIOCore
import Sockets

/// Passes the bytes of a channel to a WebSocket server, and the server's to the channel.
final class WebSocketConnectionHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  // Touched on the channel's event loop only.
  /// Nil once it has adopted the channel: the server retains its connections, and thereby this handler.
  private var server: WebSocketServer?
  private var connection: AdoptedConnection?
  /// Whether no one else reads the channel, because its option `autoRead` is off.
  private var mustRead = false
  private var isReading = true
  private var isReadDue = false
  private var isEndDue = false
  /// How many writes the channel has not completed.
  private var writes = 0
  private var isClosingWriting = false
  private var error: TransportError?

  init(_ server: WebSocketServer) { self.server = server }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { adopt(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    adopt(context)
    context.fireChannelActive()
  }

  private func adopt(_ context: ChannelHandlerContext) {
    guard let server = server.take() else { return }
    let adopted = server.adopt(
      channel(of: context),
      from: context.remoteAddress.flatMap(NetworkAddress.init))
    guard let adopted else { return context.close(promise: nil) }
    connection = adopted
    mustRead = !context.readsAutomatically
    if mustRead { read(context: context) }
  }

  /// The server's calls, which arrive on its threads, performed on the channel's event loop in order.
  private func channel(of context: ChannelHandlerContext) -> AdoptedConnection.Channel {
    let eventLoop = context.eventLoop
    let (handler, context) = (NIOLoopBound(self, eventLoop: eventLoop), context.loopBound)
    return .init(
      write: { bytes in
        eventLoop.execute { handler.value.write(bytes, context.value) }
      },
      setReading: { isReading in
        eventLoop.execute { handler.value.setReading(isReading, context.value) }
      },
      closeWriting: {
        eventLoop.execute { handler.value.closeWriting(context.value) }
      },
      close: {
        eventLoop.execute { context.value.close(promise: nil) }
      })
  }

  // MARK: From the peer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    connection?.receive(Array(buffer.readableBytesView))
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if mustRead { read(context: context) }
    context.fireChannelReadComplete()
  }

  func read(context: ChannelHandlerContext) {
    if isReading { context.read() } else { isReadDue = true }
  }

  private func setReading(_ isReading: Bool, _ context: ChannelHandlerContext) {
    self.isReading = isReading
    guard isReading, isReadDue else { return }
    isReadDue = false
    context.read()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed {
      // After a reset, the error or the close of the channel follows in this turn.
      isEndDue = true
      let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
      context.eventLoop.execute { handler.value.receiveEnd() }
    }
    context.fireUserInboundEventTriggered(event)
  }

  private func receiveEnd() {
    isEndDue = false
    connection?.receiveEnd()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    self.error = self.error ?? TransportError(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  private func end() {
    // NIO reports the error of a reset to the writes that wait, if not to the handlers.
    connection?.noteClosed(error ?? (isEndDue ? .reset : nil))
    connection = nil
  }

  // MARK: To the peer

  private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
    writes += 1
    // Observed before the write, which may fail and close the channel at once.
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { result in
      self.writes -= 1
      switch result {
      case .success: self.connection?.noteWritten(bytes.count)
      // A closed channel has reported its end.
      case .failure(let error): if self.connection != nil { self.fail(error, context) }
      }
      if self.isClosingWriting, self.writes == 0 { self.endWriting(context) }
    }
    context.writeAndFlush(
      NIOAny(context.channel.allocator.buffer(bytes: bytes)), promise: written)
  }

  /// Ends the output when all is written: a channel whose input has ended drops the rest at once.
  private func closeWriting(_ context: ChannelHandlerContext) {
    isClosingWriting = true
    if writes == 0 { endWriting(context) }
  }

  private func endWriting(_ context: ChannelHandlerContext) {
    // Not every channel can close one direction.
    context.close(mode: .output).assumeIsolated().whenFailure { _ in context.close(promise: nil) }
  }

  private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
    self.error = self.error ?? TransportError(error)
    context.close(promise: nil)
  }
}

extension ChannelHandlerContext {
  /// Whether the channel is read without calls of `read`.
  var readsAutomatically: Bool {
    (try? channel.syncOptions?.getOption(.autoRead)) ?? true
  }

  fileprivate var loopBound: NIOLoopBound<ChannelHandlerContext> {
    NIOLoopBound(self, eventLoop: eventLoop)
  }
}

@available(*, unavailable)
extension WebSocketConnectionHandler: Sendable {}
