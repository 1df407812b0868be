import TestSupport

@testable import Sockets

/// A TCP server whose bytes the test writes.
final class RawServer: Sendable {
  private let listener: TCPListener
  private let accepted = Watched<[TransportRecorder]>([])

  init() throws {
    listener = try TCPListener()
    listener.startTransports { [accepted] transport in
      let peer = TransportRecorder(transport)
      transport.start(peer)
      accepted.update { $0.append(peer) }
    }
  }

  deinit { listener.close() }

  var url: String { "ws://127.0.0.1:\(listener.port)/" }

  /// The open connection of this index.
  func peer(_ index: Int = 0) async -> TransportRecorder {
    await accepted.wait { $0.count > index }
    let peer = accepted.value[index]
    await peer.log.wait { $0.opened == 1 || $0.isClosed }
    return peer
  }

  /// The connection of this index after its request has arrived.
  func peerWithRequest(_ index: Int = 0) async -> TransportRecorder {
    let peer = await peer(index)
    await peer.log.wait { String(decoding: $0.received, as: UTF8.self).hasSuffix("\r\n\r\n") }
    return peer
  }

  /// The connection of this index after its handshake; `bytes` are sent in the same segment.
  func upgradedPeer(
    _ index: Int = 0,
    headers: String = "",
    then bytes: [UInt8] = []
  ) async throws -> TransportRecorder {
    let peer = await peerWithRequest(index)
    try peer.answerHandshake(headers: headers, then: bytes)
    return peer
  }
}
