import Dispatch
import Reactive
import Sockets

/// Many clients of an echo server in another process.
///
/// One message is in flight at a time, each over the next connection: its cost depends on the number of
/// connections only.
@MainActor
final class Crowd {
  private let server = EchoProcess()
  private let course: Course
  private let bag = DisposeBag()

  /// Returns once all are connected.
  init(_ count: Int) {
    let url = server.url
    // A few at a time: otherwise the last client would wait for all others, past its deadline.
    var clients: [WebSocket] = []
    clients.reserveCapacity(count)
    while clients.count < count { clients.append(.connected(to: url)) }
    course = Course(clients)
    for client in clients {
      client.messages.subscribe(onNext: { [course] in course.receive($0) }).disposed(by: bag)
    }
  }

  /// The CPU time that the server's process took so far, in nanoseconds.
  var serverCPU: Double { server.cpuNanoseconds }

  /// Sends that many messages, each after the echo of the previous one, and returns the number of echoes.
  func run(_ count: Int) -> Int { course.run(count) }

  // `run` prepares the state before it sends and reads it once `done` was signalled; meanwhile only
  // the event loop's thread touches it.
  private final class Course: @unchecked Sendable {
    private let clients: [WebSocket]
    private let message = WebSocketMessage.text(String(repeating: "a", count: 64))
    private let done = DispatchSemaphore(value: 0)
    private var next = 0
    private var total = 0
    private var received = 0

    init(_ clients: [WebSocket]) { self.clients = clients }

    func run(_ count: Int) -> Int {
      guard count > 0 else { return 0 }
      (total, received) = (count, 0)
      send()
      done.waitOrStop("Messages are missing.")
      return received
    }

    func receive(_ message: WebSocketMessage) {
      require(message == self.message, "Not what was sent.")
      received += 1
      if received < total { send() } else { done.signal() }
    }

    private func send() {
      clients[next].deliver(message)
      next = (next + 1) % clients.count
    }
  }
}

/// Idle connections between a client and a server of this process.
@MainActor
final class IdleConnections {
  private let server: EchoServer
  private let ended = DispatchSemaphore(value: 0)
  private var clients: [WebSocket] = []

  /// Reserves the capacity, so that the list is not part of the measured memory.
  init(_ count: Int) {
    server = EchoServer { [ended] in ended.signal() }
    clients.reserveCapacity(count)
  }

  func open(_ count: Int) {
    for _ in 0..<count { clients.append(.connected(to: server.url)) }
  }

  /// Ends them, and returns once both ends of all have ended.
  ///
  /// A few at a time: the memory of closing is not measured.
  func close() {
    while !clients.isEmpty {
      let few = clients.suffix(20)
      clients.removeLast(few.count)
      let subscriptions = few.map { client in
        client.states.subscribe(onNext: { [ended] in if $0 == .disconnected { ended.signal() } })
      }
      for client in few { client.close() }
      for _ in 0..<2 * few.count { ended.waitOrStop("A connection does not end.") }
      for subscription in subscriptions { subscription.dispose() }
    }
  }
}
