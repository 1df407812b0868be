import Reactive
import ReactiveTesting
import Sockets

/// Writes down everything that a WebSocket tells, from now on.
final class Diary: Sendable {
  struct Log {
    var states: [WebSocketState] = []
    var events: [WebSocketEvent] = []
    var messages: [WebSocketMessage] = []
    var frames: [Frame] = []
    var failure: WebSocketError?
    /// How many of the streams have ended.
    var ends = 0

    var isConnected: Bool { events.contains(.connected) }
    var texts: [String] { messages.compactMap(\.text) }
    var errors: [WebSocketError] {
      events.compactMap { if case .error(let error) = $0 { error } else { nil } }
    }
    var closeCode: CloseCode? {
      events.lazy.compactMap { if case .disconnected(let code, _) = $0 { code } else { nil } }.first
    }
  }

  let log = Watched(Log())
  private let bag = DisposeBag()

  init(_ socket: WebSocket) {
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

  var value: Log { log.value }

  func waitUntilConnected() async { await log.wait { $0.isConnected } }

  /// Waits until all four streams have ended.
  func waitUntilOver() async { await log.wait { $0.ends == 4 } }
}

extension WebSocket {
  /// A WebSocket that is not connected yet, and what it will tell.
  static func written(
    to url: String,
    _ configuration: WebSocketConfiguration = .init()
  ) -> (WebSocket, Diary) {
    let socket = WebSocket(url, configuration: configuration.onStoppedClock)
    return (socket, Diary(socket))
  }
}

extension WebSocketConfiguration {
  /// The same with a clock that stands still, unless it has one: no deadline passes while a slow
  /// machine gets to the test's next line.
  var onStoppedClock: WebSocketConfiguration {
    var configuration = self
    configuration.scheduler = scheduler ?? VirtualTime().scheduler
    return configuration
  }
}
