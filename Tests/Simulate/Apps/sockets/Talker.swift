import Reactive
import Sockets

/// A client that talks to an echo: what it sends returns, in its order.
final class Talker: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  private var socket: WebSocket?
  /// What the echo has to send next; nil before the greeting.
  private var expected: [String]?
  private var hasEvent = false
  private var lineCount = 0
  private(set) var fault: String?
  /// The rest of the round, and whether all of it has returned.
  private var round: [String] = []
  private(set) var hasFinishedRound = false
  private var isInRound = false

  var isGreeted: Bool { expected != nil && socket?.state == .connected }
  var isConnected: Bool { socket?.state == .connected }

  private static var configuration: WebSocketConfiguration {
    var configuration = WebSocketConfiguration()
    configuration.compression = .deflate()
    configuration.fragmentSize = 16 << 10
    return configuration
  }

  static func socket(_ path: String) -> WebSocket {
    WebSocket("ws://server:8080\(path)", configuration: configuration)
  }

  func open() {
    guard socket == nil else { return }
    let new = Self.socket("/talk")
    (socket, expected, hasEvent) = (new, nil, false)
    Task { [weak self] in
      do {
        try await new.connected()
        self?.observe(new)
      } catch {
        self?.forget(new)
      }
    }
  }

  private func forget(_ ended: WebSocket) { if socket === ended { socket = nil } }

  private func observe(_ socket: WebSocket) {
    _ = socket.events.subscribe(onNext: { [weak self] in self?.receive($0, from: socket) })
  }

  private func receive(_ event: WebSocketEvent, from socket: WebSocket) {
    defer { hasEvent = true }
    if !hasEvent, event != .connected { fault = "the first event is the connection" }
    switch event {
    case .connected: break
    case .message(let message): receive(message.text ?? "")
    case .error(.protocolViolation): fault = "no peer breaks the protocol"
    case .error: break
    case .disconnected: forget(socket)
    }
  }

  private func receive(_ text: String) {
    guard expected != nil else {
      if text == "hello" { expected = [] } else { fault = "the greeting is first" }
      return
    }
    if expected?.first == text { expected?.removeFirst() } else { fault = "the echo is in order" }
    if isInRound, expected?.isEmpty == true { sendRound() }
  }

  // MARK: What a user does

  /// - Parameters:
  ///   - choice: what is done, below 16.
  ///   - size: size of a message, below 1,000.
  func act(_ choice: Int, _ size: Int) {
    switch choice {
    case 0: socket?.close()
    case 1: socket?.drop()
    case 2: try? socket?.send("close")
    case 3: try? socket?.send("drop")
    case 4: lookAndLeave()
    case 5: leaveAndLook()
    case 6: Task { [socket] in try? await socket?.ping() }
    default: send(line(choice, size))
    }
    open()
  }

  private func line(_ choice: Int, _ size: Int) -> String {
    lineCount += 1
    switch choice {
    case 7: return ""
    case 8, 9: return "\(lineCount) " + Filler.repeating("words ", count: 6 * size)
    // Whole blocks, also behind a short head.
    case 10: return Filler.repeating("0", count: (2 + size % 3) << 16)
    case 11: return "block \(lineCount) " + Filler.repeating("0", count: (1 + size % 4) << 16)
    case 12: return "\(lineCount) " + Filler.mixed(150 * size)
    default: return "\(lineCount)"
    }
  }

  private func send(_ text: String) {
    guard expected != nil, (try? socket?.send(text)) != nil else { return }
    expected?.append(text)
  }

  /// Leaves at the moment at which it looks: it hears nothing any more.
  private func lookAndLeave() {
    let visited = Self.socket("/talk")
    visited.connect()
    after(.milliseconds(500)) { talker in
      let hasLeft = Noted(false)
      _ = visited.events.subscribe(onNext: { [weak talker] event in
        if hasLeft.value, case .message = event {
          talker?.fault = "nothing is heard after the drop"
        }
      })
      visited.drop()
      hasLeft.value = true
    }
  }

  /// Leaves a socket that it has not looked at, and looks how it has ended.
  private func leaveAndLook() {
    let visited = Self.socket("/visit")
    visited.connect()
    after(.seconds(1)) { talker in
      visited.drop()
      let hasEnded = Noted(false)
      _ = visited.events.subscribe(onCompleted: { hasEnded.value = true })
      // A program that was paused has two timers to wait for.
      talker.after(.seconds(20)) { talker in
        talker.after(.seconds(3)) { talker in
          if !hasEnded.value { talker.fault = "a socket that was left ends" }
        }
      }
    }
  }

  private func after(_ delay: Duration, _ body: @escaping @Sendable (Talker) -> Void) {
    _ = Observable<Int>.timer(RxTimeInterval(delay), scheduler: MainScheduler.instance)
      .subscribe(onNext: { [weak self] _ in if let self { body(self) } })
  }

  // MARK: A round when nothing is broken

  /// Sends messages of all kinds, each when those before have returned.
  func beginRound() {
    isInRound = true
    round = [7, 13, 8, 10, 12, 9, 11, 13].map { line($0, 700) }
    sendRound()
  }

  private func sendRound() {
    guard !round.isEmpty else { return hasFinishedRound = true }
    let first = round.removeFirst()
    send(first)
    // An empty message behind a long one.
    if first.count > 1 << 16 { send("") }
  }
}
