import Sockets

/// Streams the figures of the machine to every connection, four times a second.
///
/// The text `drop` makes it drop the connection, to demonstrate a reconnect.
final class FiguresServer: Sendable {
  /// The URL of the server.
  var url: String { server.url }

  private let server: WebSocketServer
  private let disposeBag = DisposeBag()

  /// Serves on a free port of the loopback address, until the object is released.
  init(clock: any SchedulerType = SerialDispatchQueueScheduler(qos: .utility)) throws {
    server = try WebSocketServer()
    // Read once for all connections, and only while there is one.
    let figures = Observable<Int>.interval(.milliseconds(250), scheduler: clock)
      .scan(FiguresReader()) { reader, _ in reader.next() }
      .map(\.figures)
      .share()
    server.connections
      .flatMap { socket in
        figures
          .scan(Sample?.none) { last, figures in .following(last, figures) }
          .compactMap { try $0?.json }
          .take(until: socket.states.filter { $0 == .disconnected })
          .map { (socket, $0) }
      }
      // A client that is closing takes no more samples.
      .subscribe(onNext: { socket, sample in try? socket.send(sample) })
      .disposed(by: disposeBag)
    server.connections
      .flatMap { socket in
        // Unlike `messages`, `events` do not fail when a connection breaks.
        socket.events.filter { $0 == .message(.text("drop")) }.map { _ in socket }
      }
      .subscribe(onNext: { $0.drop() })
      .disposed(by: disposeBag)
  }
}
