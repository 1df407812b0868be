import Reactive

@testable import Sockets

/// Echoes received bytes, and pauses reading while they cannot be sent.
final class EchoHandler: TransportHandler {
  private let transport: any Transport
  private let pending = Locked<[UInt8]>([])

  init(_ transport: any Transport) { self.transport = transport }

  func transportOpened() {}

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    let taken = transport.write(bytes)
    guard taken < bytes.count else { return }
    pending.withLock { $0 += bytes[taken...] }
    transport.setReading(false)
  }

  func transportWritable() {
    let isEmpty = pending.withLock { pending in
      let taken = pending.withUnsafeBytes { transport.write($0) }
      pending.removeFirst(taken)
      return pending.isEmpty
    }
    if isEmpty { transport.setReading(true) }
  }

  func transportEnded() { transport.closeWriting() }

  func transportClosed(_ error: TransportError?) {}
}
