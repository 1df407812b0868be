import Reactive
import Sockets

/// A server of several services, by the path of a connection: it echoes, publishes, works slowly and answers.
///
/// Each connection is greeted with `hello`.
final class HubServer: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  private var server: WebSocketServer
  /// Sends all the time, and finds by that who is gone: it needs no pings.
  private let publisher: WebSocketServer
  private var random = RandomSource.system
  private(set) var hasConnectionsAfterClose = false
  private(set) var holdsMessagesAfterClose = false
  private let bag = DisposeBag()

  init() throws {
    server = try Self.listen()
    var configuration = WebSocketConfiguration()
    configuration.keepalive = nil
    publisher = try WebSocketServer(host: "", port: 8081, configuration: configuration)
    serve(server)
    publisher.connections.subscribe(onNext: { [weak self] in self?.publish(to: $0) })
      .disposed(by: bag)
  }

  private static func listen() throws -> WebSocketServer {
    var configuration = WebSocketConfiguration()
    configuration.compression = .deflate()
    configuration.fragmentSize = 16 << 10
    configuration.sendHighWaterMark = 128 << 10
    var admission = WebSocketAdmission()
    admission.decide = { request in
      // The user is looked up.
      try await EffectContext.sleep(.milliseconds(request.path.count * 20))
      return .accept()
    }
    return try WebSocketServer(
      host: "", port: 8080, configuration: configuration, admission: admission)
  }

  private func serve(_ server: WebSocketServer) {
    server.connections.subscribe(onNext: { [weak self] in self?.accept($0) }).disposed(by: bag)
  }

  private func accept(_ socket: WebSocket) {
    try? socket.send("hello")
    switch socket.request?.path {
    case "/talk": echo(socket)
    case "/sink": _ = socket.events.subscribe()
    case "/file": store(socket)
    case "/work": work(for: socket)
    case "/ask": answer(socket)
    // The visitor gets the greeting alone.
    default: socket.close(reason: "seen")
    }
  }

  // MARK: Services

  private func echo(_ socket: WebSocket) {
    _ = socket.events.subscribe(onNext: { event in
      guard case .message(let message) = event else { return }
      switch message.text {
      case "close": socket.close()
      case "drop": socket.drop()
      default: try? socket.send(message)
      }
    })
  }

  /// Stores files, each of which ends with an empty message.
  private func store(_ socket: WebSocket) {
    _ = socket.events.subscribe(onNext: { event in
      if event == .message(.text("")) { try? socket.send("stored") }
    })
  }

  /// Sends numbers while there is room for them.
  private func publish(to socket: WebSocket) {
    let count = Noted(0)
    let subscription = Observable<Int>.interval(
      .milliseconds(250), scheduler: MainScheduler.instance
    )
    .subscribe(onNext: { _ in
      guard socket.isWritable else { return }
      count.value += 1
      let news = Filler.repeating("news ", count: count.value % 50 * 100)
      try? socket.send("\(count.value) \(news)")
    })
    _ = socket.events.subscribe(onCompleted: { subscription.dispose() })
  }

  /// Takes one message after the other, until it waits for something that does not come: an approval.
  private func work(for socket: WebSocket) {
    let patience = Int.random(in: 0..<40, using: &random)
    let working = Task {
      var count = 0
      for try await message in socket.values {
        count += 1
        try await EffectContext.sleep(count < patience ? .milliseconds(20) : .seconds(36_000))
        try? socket.send("done \(message.byteCount)")
      }
    }
    let talking = Observable<Int>.interval(.milliseconds(500), scheduler: MainScheduler.instance)
      .subscribe(onNext: { number in
        if socket.isWritable { try? socket.send("\(number) " + Filler.mixed(1_200)) }
      })
    _ = socket.states.subscribe(onNext: { state in
      guard state == .disconnected else { return }
      working.cancel()
      talking.dispose()
    })
  }

  /// Answers questions late, and one in twenty not at all.
  private func answer(_ socket: WebSocket) {
    _ = socket.events.subscribe(onNext: { [weak self] event in
      guard let self, case .message(let message) = event,
        let question = try? message.decode(Question.self),
        Int.random(in: 0..<20, using: &random) > 0
      else { return }
      let delay = Int.random(in: 0...300, using: &random)
      Observable<Int>.timer(.milliseconds(delay), scheduler: MainScheduler.instance)
        .subscribe(onNext: { _ in try? socket.send(json: Answer(id: question.id)) })
        .disposed(by: bag)
    })
  }

  // MARK: Restarting

  /// Lets another server take the port, while this one lets its clients go.
  ///
  /// - Parameter seconds: time over which the clients are closed; it is cut short after 3 s.
  func restart(over seconds: Int) {
    let old = server
    Task { await old.shutDown(within: .seconds(60), spreadOver: .seconds(seconds)) }
    after(.milliseconds(20)) { $0.takePort() }
    after(.seconds(3)) { hub in
      old.close()
      // The peers have 5 s to answer. A program that was paused has two timers to wait for.
      hub.after(.seconds(10)) { hub in hub.after(.seconds(3)) { $0.check(old) } }
    }
  }

  /// Notes what a server that is closed still has.
  private func check(_ old: WebSocketServer) {
    let totals = old.totals
    if totals.open + totals.handshaking > 0 { hasConnectionsAfterClose = true }
    if totals.heldBytes != 0 { holdsMessagesAfterClose = true }
  }

  private func takePort() {
    guard let new = try? Self.listen() else { return after(.milliseconds(20)) { $0.takePort() } }
    server = new
    serve(new)
  }

  private func after(_ delay: Duration, _ body: @escaping @Sendable (HubServer) -> Void) {
    Observable<Int>.timer(RxTimeInterval(delay), scheduler: MainScheduler.instance)
      .subscribe(onNext: { [weak self] _ in if let self { body(self) } })
      .disposed(by: bag)
  }
}

/// What several closures on the thread of the simulation note.
final class Noted<Value>: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  var value: Value

  init(_ value: Value) { self.value = value }
}

/// What an asker asks, and its answer.
struct Question: Codable, Identifiable, Sendable { let id: Int }
struct Answer: Codable, Identifiable, Sendable { let id: Int }
