/// A transport over the socket of a simulated machine.
final class SimulatedTransport: Transport, EventHandler, @unchecked Sendable {
  private enum Phase {
    case idle
    case connecting(any TransportHandler, EventLoop.Registration)
    case open(any TransportHandler, EventLoop.Registration)
    case closed
  }

  // All is used on the thread of the simulation alone.
  let loop: EventLoop
  let process: SimulatedProcess
  private let destination: (host: String, port: UInt16)?
  private var socket: SimulatedSocket?
  /// This end of what the programs send to each other, also after the end; nil before it is open.
  private(set) var end: SimulatedExchange.End?
  private var phase = Phase.idle
  private var isReading = true
  private var isClosing = false
  private var hasEndedWriting = false
  private var hasReadEnd = false
  private var hasReportedEnd = false
  private var hasReportedFailure = false
  private var isScheduled = false

  /// A connection that `start` makes.
  init(_ process: SimulatedProcess, to host: String, port: UInt16) {
    (self.process, loop) = (process, process.loop)
    destination = (host, port)
  }

  /// A connection that was accepted.
  init(_ socket: SimulatedSocket, in process: SimulatedProcess) {
    (self.socket, self.process, loop) = (socket, process, process.loop)
    end = socket.end
    destination = nil
  }

  func start(_ handler: any TransportHandler) { loop.execute { self.begin(handler) } }

  var world: WorldCore { process.world }

  /// Whether code of the host calls; otherwise that is reported.
  private var isOfHost: Bool { process.admits("a socket is used") }

  func replaceHandler(with handler: any TransportHandler) {
    switch phase {
    case .connecting(_, let registration): phase = .connecting(handler, registration)
    case .open(_, let registration): phase = .open(handler, registration)
    case .idle, .closed: break
    }
  }

  private func begin(_ handler: any TransportHandler) {
    guard case .idle = phase, !isClosing else { return handler.transportClosed(nil) }
    phase = .connecting(handler, loop.register(self))
    guard let destination else {
      socket?.onChange = { [self] in schedule() }
      return update()
    }
    process.world.network.lookUp(destination.host, for: process.machine) { [self] machine in
      guard case .connecting = phase, process.isAlive else { return }
      guard let machine else {
        let reason = "the simulation has no host of this name"
        return process.enqueueOnLoop {
          self.finish(.hostNotFound(host: destination.host, reason: reason))
        }
      }
      let socket = SimulatedSocket(process, to: machine, port: destination.port)
      // Kept until the socket is closed: a weak reference would make each use of the transport slower.
      socket.onChange = { [self] in schedule() }
      self.socket = socket
      socket.connect()
    }
  }

  private func schedule() {
    if isScheduled { return }
    isScheduled = true
    process.enqueueOnLoop { self.update() }
  }

  /// Tells the handler what has changed.
  private func update() {
    isScheduled = false
    guard let socket, !isClosing else { return }
    if case .connecting(let handler, let registration) = phase {
      if let error = socket.error { return finish(error) }
      guard socket.state == .open else { return }
      phase = .open(handler, registration)
      end = socket.end
      handler.transportOpened()
    }
    if case .open(let handler, _) = phase, !isClosing, socket.takeWritable() {
      handler.transportWritable()
    }
    deliver()
  }

  private func deliver() {
    guard case .open(let handler, _) = phase, !isClosing, !hasReadEnd, let socket else { return }
    if socket.unread.isEmpty {
      if let error = socket.error { return finish(error) }
      guard socket.hasEnd else { return }
      guard isReading else { return reportUnreadEnd(handler, socket) }
      hasReadEnd = true
      handler.transportEnded()
      return finishIfBothEnded()
    }
    guard isReading else { return reportUnreadEnd(handler, socket) }
    let bytes = socket.read()
    if !socket.unread.isEmpty || socket.hasEnd || socket.error != nil { schedule() }
    bytes.withUnsafeBytes { handler.transportReceived($0) }
  }

  private func reportUnreadEnd(_ handler: any TransportHandler, _ socket: SimulatedSocket) {
    if let error = socket.error {
      if hasReportedFailure { return }
      hasReportedFailure = true
      handler.transportFailed(error)
    } else if socket.hasEnd, !hasReportedEnd {
      hasReportedEnd = true
      handler.transportEndArrived()
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard isOfHost, case .open = phase, !isClosing, !hasEndedWriting, process.isAlive else {
      return 0
    }
    return socket?.write(bytes) ?? 0
  }

  func setReading(_ isReading: Bool) {
    guard isOfHost else { return }
    self.isReading = isReading
    if isReading { schedule() }
  }

  var peerAddress: NetworkAddress? { socket?.peerAddress }

  var acknowledgement: Acknowledgement? {
    guard let socket else { return nil }
    let (outstanding, last) = socket.acknowledged
    return Acknowledgement(
      outstanding: outstanding, age: .nanoseconds(Int64(clamping: process.uptime - last)),
      isDue: outstanding > 0)
  }

  func closeWriting() {
    guard isOfHost, case .open = phase, !hasEndedWriting else { return }
    hasEndedWriting = true
    socket?.endWriting()
    loop.execute { self.finishIfBothEnded() }
  }

  private func finishIfBothEnded() { if hasReadEnd, hasEndedWriting { finish(nil) } }

  func close() {
    guard isOfHost, !isClosing else { return }
    isClosing = true
    socket?.close()
    loop.execute { self.finish(nil) }
  }

  func ready(_ events: ReadyEvents) {}

  func loopStopped() { finish(nil) }

  private func finish(_ error: TransportError?) {
    let last = phase
    if case .closed = last { return }
    phase = .closed
    isClosing = true
    socket?.close()
    socket = nil
    switch last {
    case .connecting(let handler, let registration), .open(let handler, let registration):
      if loop.isCurrent { loop.deregister(registration) }
      handler.transportClosed(error)
    case .idle, .closed: break
    }
  }
}
