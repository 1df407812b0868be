import Reactive
import ReactiveTesting
import Testing
import TestSupport

@testable import Sockets

extension Task {
  /// The result of the task, which is cancelled when the test is cancelled at its time limit.
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

/// A connected client over memory, and a peer whose bytes the test writes.
struct MemoryPeer {
  let socket: WebSocket
  let peer: TransportRecorder
  let time: VirtualTime

  /// - Parameter capacity: the buffer of each direction in bytes.
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
    peer = TransportRecorder(far)
    await peer.start()
    socket.connect()
    await peer.log.wait { String(decoding: $0.received, as: UTF8.self).hasSuffix("\r\n\r\n") }
    try peer.answerHandshake()
    try await socket.connected()
    await EventLoop.shared.settle()
  }

  /// Advances the clock, and lets the loop run due work.
  func advance(by interval: Duration) async {
    time.advance(by: interval)
    await EventLoop.shared.settle()
  }

  /// Sends a text message.
  func send(_ text: String) { peer.send(Wire.frame(0x81, text, masked: false)) }

  /// Sends a close frame with 1000, and ends the peer's bytes.
  func close() {
    peer.send(Wire.frame(0x88, [0x03, 0xE8], masked: false))
    peer.transport.closeWriting()
  }

  /// Waits for the close frame of the socket, and answers it.
  func answerClose() async {
    _ = await peer.closeCode()
    close()
  }
}

extension ConnectionRegistry {
  /// Accepts a connection over this transport.
  func accept(_ transport: any Transport) {
    guard let slot = reserveSlot(for: transport.peerAddress) else { return }
    accept(transport, at: slot)
  }
}
