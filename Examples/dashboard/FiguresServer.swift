import Sockets

/// Streams the figures of the machine to every connection, four times a second.
///
/// The text `drop` makes it drop the connection, to demonstrate a reconnect.
final class FiguresServer: Sendable {
  /// The URL of the server.
  var url: String { server.url }

  private let server: WebSocketServer
  private let disposeBag = DisposeBag()

  /// Serves until the object is released.
  ///
  /// - Parameters:
  ///   - host: address to listen on, which only this machine reaches by default
  ///   - port: port to listen on, any free one by default
  ///   - reader: reader of the figures
  init(
    host: String = "127.0.0.1", port: UInt16 = 0,
    clock: any SchedulerType = SerialDispatchQueueScheduler(qos: .utility),
    reader: some FiguresReading = FiguresReader()
  ) throws {
    server = try WebSocketServer(host: host, port: port)
    // Read once for all connections, and only while there is one.
    let figures = Observable<Int>.interval(.milliseconds(250), scheduler: clock)
      .scan(reader) { reader, _ in reader.next() }
      .map(\.figures)
      .share()
    server.connections
      .flatMap { socket in
        figures
          .scan(Sample?.none) { last, figures in .following(last, figures) }
          .compactMap { try $0?.message }
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
