import Reactive
import TestSupport

@testable import Sockets

/// A library that moves the bytes of an adopted connection: it records the server's calls.
final class AdoptedPeer: Sendable {
  struct Calls {
    var written: [UInt8] = []
    var isRead = true
    var ends = 0
    var closes = 0
    var text: String { String(decoding: written, as: UTF8.self) }
  }

  let calls = Watched(Calls())
  /// Whether written bytes are reported at once.
  var takesBytes: Bool {
    get { taking.withLock { $0 } }
    set { taking.withLock { $0 = newValue } }
  }
  private let taking: Locked<Bool>
  private let held = Locked<AdoptedConnection?>(nil)

  /// The connection; nil before it is adopted, and after it was released.
  var connection: AdoptedConnection? {
    get { held.withLock { $0 } }
    set { held.withLock { $0 = newValue } }
  }

  init(takesBytes: Bool = true) { taking = Locked(takesBytes) }

  var channel: AdoptedConnection.Channel {
    .init(
      write: { [self] bytes in
        calls.update { $0.written += bytes }
        if takesBytes { connection?.noteWritten(bytes.count) }
      },
      setReading: { [self] isReading in calls.update { $0.isRead = isReading } },
      closeWriting: { [self] in calls.update { $0.ends += 1 } },
      close: { [self] in calls.update { $0.closes += 1 } })
  }

  /// A peer whose request for a WebSocket was accepted; the answer is removed from `written`.
  static func upgraded(by server: WebSocketServer, then bytes: [UInt8] = []) async -> AdoptedPeer {
    let peer = AdoptedPeer()
    peer.connection = server.adopt(peer.channel, from: NetworkAddress("192.0.2.1", port: 7))
    peer.connection?.receive(Array(RawClient.request.utf8) + bytes)
    await peer.calls.wait { $0.text.contains("\r\n\r\n") }
    peer.calls.update { calls in
      if let end = calls.written.firstRange(of: Array("\r\n\r\n".utf8)) {
        calls.written.removeFirst(end.upperBound)
      }
    }
    return peer
  }
}
