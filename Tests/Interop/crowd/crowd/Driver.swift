import Foundation
import Reactive
import Sockets

/// The clients: they connect, receive, disconnect, and print the results.
final class Driver: Sendable {
  /// The events of all clients so far.
  private struct Tally {
    var connected = 0
    var received = 0
    var closed: [CloseCode: Int] = [:]
    var errors: [String] = []
    var ended: Int { closed.values.reduce(0, +) }
  }

  private let url: String
  private let options: Options
  private let tally = Locked(Tally())
  private let answers = AsyncStream<Int>.makeStream()
  private let deadline = ContinuousClock.now + .seconds(120)

  /// The number of concurrent handshakes.
  private static let wave = 200
  /// A wait after which the deadlines of handshakes are released.
  private static let settling = Duration.seconds(11)

  init(_ url: String, _ options: Options) {
    self.url = url
    self.options = options
  }

  func run() async throws {
    let control = WebSocket.connect(to: address(of: 0) + "control")
    _ = control.messages.subscribe(
      onNext: { [answers] in answers.continuation.yield($0.text.flatMap { Int($0) } ?? -1) },
      onError: { [tally] error in tally.withLock { $0.errors.append("control: \(error)") } }
    )
    try await wait("the control connection") { [control] in control.state == .connected }
    // The first connections allocate shared objects, which are not part of the cost of each.
    try await churn(200, control)
    try await churn(options.churn, control)
    try await hold(control)
  }

  // MARK: Steps

  /// Connects and closes repeatedly.
  private func churn(_ count: Int, _ control: WebSocket) async throws {
    let (before, ownBefore) = (try await ask("heap", control), Crowd.heap)
    let start = ContinuousClock.now
    var crowd: [WebSocket] = []
    for begun in stride(from: 0, to: count, by: Self.wave) {
      tally.withLock { $0 = Tally() }
      crowd = (begun..<min(begun + Self.wave, count)).map { join($0) }
      try await wait("connections") { [tally, crowd] in
        tally.withLock { $0.connected == crowd.count }
      }
      for socket in crowd { socket.close() }
      try await waitForEnd(of: crowd.count, with: .normal)
    }
    crowd = []
    try await Task.sleep(for: Self.settling)
    let (kept, ownKept) = (try await ask("heap", control) - before, Crowd.heap - ownBefore)
    let time = ContinuousClock.now - start - Self.settling
    Crowd.say("\(count) connects and closes in \(time)")
    Crowd.say("what is kept of them: \(kept) bytes by the server, \(ownKept) by the clients")
    // The first connections allocate shared objects; leaks of each connection show in the others.
    let isGrowth = max(kept, ownKept) > max(8 * count, 65_536)
    if count > Self.wave, isGrowth { throw Problem("that grows") }
  }

  /// Opens all connections.
  private func hold(_ control: WebSocket) async throws {
    let count = options.connections
    let (before, ownBefore) = (try await ask("heap", control), Crowd.heap)
    tally.withLock { $0 = Tally() }
    var start = ContinuousClock.now
    var crowd: [WebSocket] = []
    crowd.reserveCapacity(count)
    for number in 0..<count {
      crowd.append(join(number))
      try await wait("connections") { [tally] in
        tally.withLock { number + 1 - $0.connected < Self.wave }
      }
    }
    try await wait("\(count) connections") { [tally] in tally.withLock { $0.connected == count } }
    Crowd.say("\(count) connections in \(ContinuousClock.now - start)")

    try await Task.sleep(for: Self.settling)
    let bytes = (try await ask("heap", control) - before) / count
    let own = (Crowd.heap - ownBefore) / count
    Crowd.say("an idle connection: \(bytes) bytes on the server's side, \(own) on the client's")

    start = ContinuousClock.now
    let sent = try await ask("broadcast", control)
    try await wait("a message to all") { [tally] in tally.withLock { $0.received >= count } }
    Crowd.say("a message to all of them in \(ContinuousClock.now - start)")
    guard sent == count, tally.withLock({ $0.received }) == count else {
      throw Problem("it was sent to \(sent) and received \(tally.withLock { $0.received }) times")
    }

    var times: [Int] = []
    for round in 1...10 {
      times.append(try await ask("broadcast 4096", control))
      try await wait("4 KiB to all") { [tally] in
        tally.withLock { $0.received >= count * (round + 1) }
      }
    }
    let median = times.sorted()[times.count / 2]
    let how = options.offersDeflate ? "compressed once" : "as they are"
    Crowd.say("4 KiB to all of them, \(how): the server takes \(median) microseconds")

    start = ContinuousClock.now
    for socket in crowd.prefix(count / 2) { socket.close() }
    try await waitForEnd(of: count / 2, with: .normal)
    // The server closes the other connections and the control connection.
    _ = try await ask("end", control)
    try await waitForEnd(of: count - count / 2, with: .goingAway)
    Crowd.say("all closed, half by each side, in \(ContinuousClock.now - start)")
    guard bytes <= options.gate else {
      throw Problem("an idle connection takes more than \(options.gate) bytes")
    }
  }

  // MARK: Clients

  /// One address has ports for 28,000 connections, minus recently closed ones.
  private func address(of number: Int) -> String {
    url.replacing("127.0.0.1", with: "127.0.0.\(1 + number % 8)")
  }

  private func join(_ number: Int) -> WebSocket {
    var configuration = WebSocketConfiguration()
    if options.offersDeflate { configuration.compression = .deflate() }
    let socket = WebSocket(address(of: number), configuration: configuration)
    _ = socket.events.subscribe(onNext: { [tally] event in
      tally.withLock { tally in
        switch event {
        case .connected: tally.connected += 1
        case .message: tally.received += 1
        case .error(let error): tally.errors.append("\(error)")
        case .disconnected(let code, _): tally.closed[code, default: 0] += 1
        }
      }
    })
    socket.connect()
    return socket
  }

  // MARK: Waiting

  private func waitForEnd(of count: Int, with code: CloseCode) async throws {
    try await wait("\(count) to end with \(code)") { [tally] in
      tally.withLock { $0.closed[code, default: 0] == count }
    }
  }

  private func ask(_ command: String, _ control: WebSocket) async throws -> Int {
    try control.send(command)
    for await answer in answers.stream { return answer }
    throw Problem("no answer to \(command)")
  }

  /// Waits until the condition is true; throws an error of any connection, and at the deadline.
  private func wait(_ what: String, until isSo: @Sendable () -> Bool) async throws {
    while !isSo() {
      let (errors, ended) = tally.withLock { ($0.errors, $0.ended) }
      if let error = errors.first { throw Problem("\(what): \(error) (\(errors.count) errors)") }
      if ContinuousClock.now > deadline { throw Problem("\(what): not in time, \(ended) ended") }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
