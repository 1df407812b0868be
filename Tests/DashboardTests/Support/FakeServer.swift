import ReactiveTesting
import Synchronization

@testable import dashboard

/// A fake server, which emits the events of the test to the connected client.
final class FakeServer: Sendable {
  private let listener = Mutex<AnyObserver<WebSocketEvent>?>(nil)
  private let attemptCount = Atomic(0)
  private let pollCount = Atomic<UInt64>(0)

  /// The number of connections so far.
  var attempts: Int { attemptCount.load(ordering: .relaxed) }

  /// The number of connected clients.
  var listeners: Int { listener.withLock { $0 == nil ? 0 : 1 } }

  /// Grows by a thousand with each reading.
  var bytesReceived: UInt64 { pollCount.add(1_000, ordering: .relaxed).oldValue }

  /// A connection for each subscription.
  var events: Observable<WebSocketEvent> {
    .create { observer in
      self.attemptCount.add(1, ordering: .relaxed)
      self.listener.withLock { $0 = observer }
      return Disposables.create { self.listener.withLock { $0 = nil } }
    }
  }

  func emit(_ event: WebSocketEvent) { listener.withLock { $0 }?.onNext(event) }

  func send(_ sequence: UInt32, cpu: Double = 0) {
    let sample = Sample(sequence: sequence, figures: Figures(cpu: cpu))
    if let json = try? sample.json { emit(.message(.text(json))) }
  }

  /// Ends the connection like a WebSocket: an optional error, then `disconnected`.
  func end(_ error: WebSocketError?) {
    let observer = listener.withLock { $0 }
    if let error { observer?.onNext(.error(error)) }
    observer?.onNext(.disconnected(code: .abnormal, reason: ""))
    observer?.onCompleted()
  }
}
