import Reactive
import ReactiveTesting
import Testing
import TestSupport

@testable import Sockets

extension Task {
  /// Its result, for a test: when that has taken too long, the task is cancelled with it.
  var joined: Success {
    get async throws {
      try await withTaskCancellationHandler {
        try await value
      } onCancel: {
        cancel()
      }
    }
  }
}

/// A connected client and, at the other end of a memory, a peer whose bytes the test writes by hand.
struct MemoryPeer {
  let socket: WebSocket
  let peer: Recorder
  let time: VirtualTime

  /// - Parameter capacity: How many bytes are on their way at most, in each direction.
  init(
    _ configuration: WebSocketConfiguration = .init(),
    capacity: Int = 65_536,
    maximumDelivery: Int = .max
  ) async throws {
    let (near, far) = MemoryTransport.pair(capacity: capacity, maximumDelivery: maximumDelivery)
    let time = VirtualTime()
    var configuration = configuration
    configuration.scheduler = time.scheduler
    self.time = time
    socket = WebSocket.client(over: near, configuration: configuration)
    peer = Recorder(far)
    await peer.start()
    socket.connect()
    await peer.log.wait { String(decoding: $0.received, as: UTF8.self).hasSuffix("\r\n\r\n") }
    try peer.answerHandshake()
    try await socket.connected()
    await EventLoop.shared.settle()
  }

  /// Moves the clock on, and lets the loop do what is due.
  func advance(by interval: Duration) async {
    time.advance(by: interval)
    await EventLoop.shared.settle()
  }

  /// Sends a text message.
  func send(_ text: String) { peer.send(Wire.frame(0x81, text, masked: false)) }

  /// Closes from the peer's side, with 1000, and leaves.
  func close() {
    peer.send(Wire.frame(0x88, [0x03, 0xE8], masked: false))
    peer.transport.closeWriting()
  }

  /// Answers the close of the socket when it comes, and leaves.
  func answerClose() async {
    _ = await peer.closeCode()
    close()
  }
}

extension ConnectionRegistry {
  /// A connection comes over memory.
  func accept(_ transport: any Transport) {
    guard let slot = reserveSlot(for: transport.peerAddress) else { return }
    accept(transport, at: slot)
  }
}
