import Reactive
import TestSupport

@testable import Sockets

/// Records the callbacks of a transport, and sends bytes as the transport accepts them.
final class TransportRecorder: TransportHandler {
  struct Log {
    var opened = 0
    var received: [UInt8] = []
    var deliveries = 0
    var writable = 0
    var ended = 0
    var closed: [TransportError?] = []
    var strayCalls = 0
    var isClosed: Bool { !closed.isEmpty }
  }

  let log = Watched(Log())
  let transport: any Transport
  private let outgoing = Locked<(bytes: [UInt8], sent: Int)>(([], 0))
  private let onReceived: @Sendable (TransportRecorder, UnsafeRawBufferPointer) -> Void

  init(
    _ transport: any Transport,
    onReceived: @escaping @Sendable (TransportRecorder, UnsafeRawBufferPointer) -> Void = { _, _ in
    }
  ) {
    self.transport = transport
    self.onReceived = onReceived
  }

  /// Starts the transport, and returns when it has opened or failed.
  func start() async {
    transport.start(self)
    await log.wait { $0.opened == 1 || $0.isClosed }
  }

  /// Sends all bytes, now and when there is room.
  func send(_ bytes: [UInt8]) {
    outgoing.withLock { $0.bytes += bytes }
    flush()
  }

  private func flush() {
    outgoing.withLock { outgoing in
      while outgoing.sent < outgoing.bytes.count {
        let rest = outgoing.bytes.count - outgoing.sent
        let taken = outgoing.bytes.withUnsafeBytes {
          transport.write(UnsafeRawBufferPointer(rebasing: $0[outgoing.sent...]))
        }
        outgoing.sent += taken
        if taken < rest { return }
      }
    }
  }

  var sent: Int { outgoing.withLock { $0.sent } }

  private func note(_ change: (inout Log) -> Void) {
    let isOnLoop = transport.loop.isCurrent
    log.update { log in
      if !isOnLoop || log.isClosed { log.strayCalls += 1 }
      change(&log)
    }
  }

  func transportOpened() { note { $0.opened += 1 } }

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    onReceived(self, bytes)
    note { log in
      log.received += bytes
      log.deliveries += 1
    }
  }

  func transportWritable() {
    note { $0.writable += 1 }
    flush()
  }

  func transportEnded() { note { $0.ended += 1 } }

  func transportClosed(_ error: TransportError?) { note { $0.closed.append(error) } }
}
