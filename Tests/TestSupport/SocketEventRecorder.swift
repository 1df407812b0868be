import Reactive
import ReactiveTesting
import Sockets

/// Records everything that a WebSocket emits, from its creation on.
package final class SocketEventRecorder: Sendable {
  /// The elements of each stream, in order.
  package struct Log {
    package var states: [WebSocketState] = []
    package var events: [WebSocketEvent] = []
    package var messages: [WebSocketMessage] = []
    package var frames: [Frame] = []
    package var failure: WebSocketError?
    /// The number of streams that have ended.
    package var ends = 0

    package var isConnected: Bool { events.contains(.connected) }
    package var texts: [String] { messages.compactMap(\.text) }
    package var errors: [WebSocketError] {
      events.compactMap { if case .error(let error) = $0 { error } else { nil } }
    }
    package var closeCode: CloseCode? {
      events.lazy.compactMap { if case .disconnected(let code, _) = $0 { code } else { nil } }.first
    }
  }

  package let log = Watched(Log())
  private let bag = DisposeBag()

  package init(_ socket: WebSocket) {
    let log = log
    socket.events
      .subscribe(
        onNext: { event in log.update { $0.events.append(event) } },
        onCompleted: { log.update { $0.ends += 1 } }
      )
      .disposed(by: bag)
    socket.messages
      .subscribe(
        onNext: { message in log.update { $0.messages.append(message) } },
        onError: { error in
          log.update {
            $0.failure = error as? WebSocketError
            $0.ends += 1
          }
        },
        onCompleted: { log.update { $0.ends += 1 } }
      )
      .disposed(by: bag)
    socket.frames
      .subscribe(
        onNext: { frame in log.update { $0.frames.append(frame) } },
        onError: { _ in log.update { $0.ends += 1 } },
        onCompleted: { log.update { $0.ends += 1 } }
      )
      .disposed(by: bag)
    socket.states
      .subscribe(
        onNext: { state in log.update { $0.states.append(state) } },
        onCompleted: { log.update { $0.ends += 1 } }
      )
      .disposed(by: bag)
  }

  package var value: Log { log.value }

  package func waitUntilConnected() async { await log.wait { $0.isConnected } }

  /// Waits until all four streams have ended.
  package func waitUntilOver() async { await log.wait { $0.ends == 4 } }
}

extension WebSocket {
  /// Creates a WebSocket that is not connected yet, and a recorder of what it emits.
  package static func recorded(
    to url: String,
    _ configuration: WebSocketConfiguration = .init()
  ) -> (WebSocket, SocketEventRecorder) {
    let socket = WebSocket(url, configuration: configuration.onStoppedClock)
    return (socket, SocketEventRecorder(socket))
  }
}

extension WebSocketConfiguration {
  /// The configuration with a stopped clock, unless it has a clock.
  ///
  /// No deadline passes then, however slow the machine is.
  package var onStoppedClock: WebSocketConfiguration {
    var configuration = self
    configuration.scheduler = scheduler ?? VirtualTime().scheduler
    return configuration
  }
}
