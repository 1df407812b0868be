import Reactive
import ReactiveTesting
import Synchronization

@testable import dashboard

/// A fake server, which accepts, refuses and ends connections as a test decides.
final class FakeServer: Sendable {
  private struct Content {
    var attempts = 0
    var refusal: WebSocketError?
    var peer: MockWebSocket?
  }

  private let content = Locked(Content())
  private let pollCount = Atomic<UInt64>(0)

  /// The number of attempts to connect so far.
  var attempts: Int { content.withLock { $0.attempts } }

  /// The server's end of the last connection.
  var peer: MockWebSocket? { content.withLock { $0.peer } }

  /// Whether a client is connected.
  var isConnected: Bool { peer?.state == .connected }

  /// Grows by a thousand with each reading.
  var bytesReceived: UInt64 { pollCount.add(1_000, ordering: .relaxed).oldValue }

  /// Makes the client's end of a connection, which waits for `accept()`.
  func connect() throws(WebSocketError) -> MockWebSocket {
    let (client, server) = MockWebSocket.pair(isOpen: false)
    let refusal = content.withLock { content in
      content.attempts += 1
      content.peer = server
      return content.refusal
    }
    if let refusal { throw refusal }
    return client
  }

  /// Refuses all later attempts.
  func refuse(_ error: WebSocketError?) { content.withLock { $0.refusal = error } }

  /// Accepts the connection of the last attempt, and drops it when the client asks for that.
  func accept() {
    guard let peer else { return }
    _ = peer.messages.subscribe(onNext: { [weak peer] message in
      if message.text == "drop" { peer?.fail(.connectionLost) }
    })
    peer.connect()
  }

  func send(_ message: WebSocketMessage) { try? peer?.send(message) }

  func send(_ sequence: UInt32, cpu: Double = 0) {
    let sample = Sample(sequence: sequence, figures: Figures(cpu: cpu))
    if let message = try? sample.message { send(message) }
  }
}
