import Foundation
import Reactive
import TestSupport

@testable import Sockets

/// A backplane that records its calls, and delivers what the test gives it.
final class RecordingBackplane: Backplane, BackplaneConnection {
  /// `+topic`, `-topic`, `topic: content` and `closed`, in order.
  let calls = Watched<[String]>([])
  private let receiver = Locked<(@Sendable (BackplaneEvent) -> Void)?>(nil)

  /// The server in another process.
  static let other = TopicOrigin(high: 1, low: 2)

  func connect(
    _ receive: @escaping @Sendable (BackplaneEvent) -> Void
  ) -> any BackplaneConnection {
    receiver.withLock { $0 = receive }
    return self
  }

  func receive(_ event: BackplaneEvent) { receiver.withLock { $0 }?(event) }

  /// Delivers what another process publishes.
  func receive(
    _ content: TopicEnvelope.Content, to topic: String, from origin: TopicOrigin = other
  ) {
    receive(.message(TopicEnvelope(origin: origin, content: content).bytes, topic: topic))
  }

  /// The calls since the last time.
  func takeCalls() -> [String] {
    var taken: [String] = []
    calls.update { swap(&$0, &taken) }
    return taken
  }

  func subscribe(to topic: String) { calls.update { $0.append("+\(topic)") } }

  func unsubscribe(from topic: String) { calls.update { $0.append("-\(topic)") } }

  func publish(_ message: Data, to topic: String, isTransient: Bool) {
    let text: String
    switch (try? TopicEnvelope(message))?.content {
    case .message(let message, _, _)?: text = message.text ?? "\(message.byteCount) bytes"
    case .presenceAsked?: text = "asked"
    case .presence(let count)?: text = "\(count) here"
    case nil: text = "malformed"
    }
    calls.update { $0.append("\(topic): \(text)") }
  }

  func close() { calls.update { $0.append("closed") } }
}
