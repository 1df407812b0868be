import Foundation
import Reactive
import ReactiveTesting

@testable import ActionCable

/// A cable in virtual time with a scripted server, on the test's thread.
final class CableHarness: @unchecked Sendable {
  // Used on the test's thread only.
  let time = VirtualTime()
  private(set) var sockets: [ScriptedSocket] = []
  /// The steps and their times in the format of the official client's trace.
  var trace: [Entry] { notes.map { Entry(time: $0.time, what: $0.what()) } }
  // Formatted on demand: an hour has many entries.
  private var notes: [(time: Double, what: () -> String)] = []
  /// The server's handler of a new connection; refuses it by default.
  var onConnect: (ScriptedSocket) -> Void = { $0.refuse() }
  /// The server's handler of a command; confirms a subscribe after a millisecond by default.
  var onCommand: (ScriptedSocket, Command) -> Void = { socket, command in
    if command.name == "subscribe" { socket.confirm(command.identifier, after: .milliseconds(1)) }
  }
  /// The server's handler of a ping; answers at once by default.
  var onPing: (ScriptedSocket, Data) -> Void = { $0.pong($1) }
  /// The request of the next attempt.
  var request: () throws -> CableRequest = { CableRequest("ws://test/cable") }
  /// The count of random numbers, and their value.
  private(set) var draws = 0
  let random: Double
  /// Nil after `release()`.
  private var retained: CableClient?
  var client: CableClient {
    guard let retained else { preconditionFailure("The client is released.") }
    return retained
  }

  struct Entry: Equatable {
    var time: Double
    var what: String
  }

  /// A command of the client.
  struct Command {
    let name: String
    let identifier: String
    let data: JSONValue?

    init?(_ text: String) {
      guard let fields = try? JSONValue(parsing: text), let name = fields["command"]?.string,
        let identifier = fields["identifier"]?.string
      else { return nil }
      (self.name, self.identifier) = (name, identifier)
      data = fields["data"]?.string.flatMap { try? JSONValue(parsing: $0) }
    }
  }

  /// - Parameters:
  ///   - random: the value of each random number.
  ///   - configure: changes the configuration, which polls as the official client does by default.
  init(random: Double = 0, _ configure: (inout CableConfiguration) -> Void = { _ in }) {
    self.random = random
    var configuration = CableConfiguration()
    configuration.reconnectJitter = nil
    configuration.socket.scheduler = time.scheduler
    configure(&configuration)
    retained = CableClient(
      configuration,
      connect: { [weak self] in
        guard let self else { preconditionFailure("A client connects after the end of the test.") }
        return open($0, $1)
      },
      random: { [weak self] in
        self?.draws += 1
        return random
      },
      request: { [weak self] in try self?.request() ?? CableRequest("") }
    )
  }

  private func open(_ url: String, _ configuration: WebSocketConfiguration) -> any CableSocket {
    let socket = ScriptedSocket(self, sockets.count + 1, url, configuration)
    sockets.append(socket)
    note("socket.new \(socket.number)")
    return socket
  }

  /// Releases the client.
  func release() { retained = nil }

  func note(_ what: @autoclosure @escaping () -> String) { notes.append((time.elapsed, what)) }

  func advance(_ seconds: Double) {
    time.advance(by: .microseconds(Int((seconds * 1_000_000).rounded())))
  }

  /// Advances to this time.
  func advance(to seconds: Double) { advance(seconds - time.elapsed) }

  /// Runs `body` at this time.
  func at(_ seconds: Double, _ body: @escaping () -> Void) {
    after(.seconds(seconds - time.elapsed), body)
  }

  func after(_ delay: Duration, _ body: @escaping () -> Void) {
    let microseconds = Int((delay / .microseconds(1)).rounded())
    _ = time.scheduler.after(.microseconds(microseconds), body)
  }

  /// Accepts all connections and, with a period, pings them while they are open.
  func serve(pinging period: Duration? = .seconds(3), until end: Double = .infinity) {
    onConnect = { socket in
      socket.accept()
      if let period { socket.ping(every: period, until: end) }
    }
  }

  /// The last socket.
  var socket: ScriptedSocket { sockets[sockets.count - 1] }

  /// The sockets that are connecting or connected.
  var live: [ScriptedSocket] { sockets.filter { $0.state != .disconnected } }

  /// The names of the commands for this channel.
  func commands(_ channel: String? = nil) -> [String] {
    sockets.flatMap(\.sent).compactMap(Command.init)
      .filter { channel == nil || $0.identifier.contains("\"\(channel ?? "")\"") }.map(\.name)
  }
}

extension Duration {
  static func seconds(_ seconds: Double) -> Duration {
    .microseconds(Int64((seconds * 1_000_000).rounded()))
  }
}

/// A WebSocket whose peer is the test.
final class ScriptedSocket: CableSocket, @unchecked Sendable {
  // Used on the test's thread only.
  let number: Int
  let url: String
  let configuration: WebSocketConfiguration
  private(set) var state = WebSocketState.idle
  private(set) var subprotocol: String?
  private(set) var sent: [String] = []
  private(set) var closeCode: CloseCode?
  /// Whether a close by the client ends it at once; otherwise `end()` ends it.
  var closesAtOnce = true
  private(set) var writtenCount = 0
  private var sentCount = 0
  /// The unwritten messages; nil while messages are written at once.
  private var unwritten: [String]?
  private var onPong: ((Data) -> Void)?
  private var isBroken = false
  private weak let harness: CableHarness?
  private let subject = PublishSubject<WebSocketEvent>()

  init(
    _ harness: CableHarness,
    _ number: Int,
    _ url: String,
    _ configuration: WebSocketConfiguration
  ) {
    (self.harness, self.number, self.url, self.configuration) = (
      harness, number, url, configuration
    )
  }

  // MARK: The client's side

  var events: Observable<WebSocketEvent> { subject.asObservable() }
  var states: Observable<WebSocketState> { .never() }
  var messages: Observable<WebSocketMessage> { .never() }
  let pendingRequests = PendingRequests()

  func connect() {
    state = .connecting
    harness?.onConnect(self)
  }

  func send(_ message: WebSocketMessage) throws(WebSocketError) {
    guard state == .connected, !isBroken else { throw .notConnected(state) }
    guard let text = message.text else { return }
    sent.append(text)
    sentCount += text.utf8.count
    harness?.note("send \(self.number) \((try? JSONValue(parsing: text))?.text ?? text)")
    if unwritten == nil { write(text) } else { unwritten?.append(text) }
  }

  func sendCounted(_ message: WebSocketMessage) throws(WebSocketError) -> Int {
    try send(message)
    return sentCount
  }

  private func write(_ text: String) {
    writtenCount += text.utf8.count
    if let command = CableHarness.Command(text) { harness?.onCommand(self, command) }
  }

  func pingBehindMessages(_ payload: Data) throws(WebSocketError) -> Bool {
    guard state == .connected, !isBroken else { throw .notConnected(state) }
    if unwritten == nil { harness?.onPing(self, payload) }
    return true
  }

  func observePongs(_ body: @escaping @Sendable (Data) -> Void) { onPong = body }

  func close(code: CloseCode, reason: String) {
    guard state != .disconnected else { return }
    closeCode = code
    harness?.note("socket.close \(self.number)")
    if closesAtOnce { end(code) } else { state = .disconnecting }
  }

  // MARK: The server's side

  /// Completes the handshake and sends a welcome.
  func accept(subprotocol: String? = "actioncable-v1-json", welcome: Bool = true) {
    self.subprotocol = subprotocol
    state = .connected
    subject.onNext(.connected)
    if welcome { receive(#"{"type":"welcome"}"#) }
  }

  /// Refuses the connection.
  func refuse(_ error: WebSocketError = .transport(.refused(address: "test"))) { fail(error) }

  /// Accepts messages without writing them from now on.
  func stall() { unwritten = [] }

  /// Writes the messages accepted during the stall, or the first of them.
  func writeStalled(_ count: Int = .max) {
    let texts = unwritten ?? []
    unwritten = count < texts.count ? Array(texts[count...]) : nil
    for text in texts.prefix(count) { write(text) }
  }

  func pong(_ payload: Data) { onPong?(payload) }

  /// Refuses all messages and delivers nothing from now on.
  func breakQuietly() { isBroken = true }

  func fail(_ error: WebSocketError) {
    guard state != .disconnected else { return }
    subject.onNext(.error(error))
    end(.abnormal)
  }

  func end(_ code: CloseCode = .normal) {
    guard state != .disconnected else { return }
    state = .disconnected
    subject.onNext(.disconnected(code: code, reason: ""))
    subject.onCompleted()
  }

  func receive(_ text: String) {
    if state == .connected, !isBroken { subject.onNext(.message(.text(text))) }
  }

  func receive(_ data: Data) { subject.onNext(.message(.binary(data))) }

  func ping(every period: Duration, until end: Double = .infinity) {
    harness?.after(period) { [weak self] in
      guard let self, let harness, state == .connected, harness.time.elapsed <= end else { return }
      receive(#"{"type":"ping","message":1}"#)
      ping(every: period, until: end)
    }
  }

  func confirm(_ identifier: String, after delay: Duration? = nil) {
    answer(#""type":"confirm_subscription""#, identifier, delay)
  }

  func reject(_ identifier: String, after delay: Duration? = nil) {
    answer(#""type":"reject_subscription""#, identifier, delay)
  }

  func message(_ message: JSONValue, to identifier: String) {
    answer(#""message":\#(message)"#, identifier, nil)
  }

  func disconnect(_ reason: String?, reconnect: Bool) {
    let reason = reason.map { "\"\($0)\"" } ?? "null"
    receive(#"{"type":"disconnect","reason":\#(reason),"reconnect":\#(reconnect)}"#)
  }

  private func answer(_ answer: String, _ identifier: String, _ delay: Duration?) {
    let text = #"{"identifier":\#(JSONValue.string(identifier)),\#(answer)}"#
    guard let delay else { return receive(text) }
    harness?.after(delay) { [weak self] in self?.receive(text) }
  }
}

/// A variable shared with closures.
final class SharedVariable<Value>: @unchecked Sendable {
  // Used on the test's thread only.
  var value: Value

  init(_ value: Value) { self.value = value }
}

/// Records the events of a channel.
final class CableChannelRecorder: @unchecked Sendable {
  // Used on the test's thread only.
  private(set) var events: [CableChannelEvent] = []
  private(set) var states: [CableChannelState] = []
  private(set) var ends = 0
  private let bag = DisposeBag()

  init(_ channel: CableChannel) {
    channel.events
      .subscribe(
        onNext: { [weak self] in self?.events.append($0) },
        onCompleted: { [weak self] in self?.ends += 1 }
      )
      .disposed(by: bag)
    channel.states.subscribe(onNext: { [weak self] in self?.states.append($0) }).disposed(by: bag)
  }

  var messages: [JSONValue] {
    events.compactMap { if case .message(let message) = $0 { message } else { nil } }
  }

  /// The `n` of each call that has failed with this error.
  func failed(_ expected: CableError) -> [Int] {
    events.compactMap { event in
      guard case .performFailed(let perform, let error) = event, error == expected else {
        return nil
      }
      return perform.data["n"]?.integer
    }
  }

  var failures: [CableError] {
    events.compactMap { if case .performFailed(_, let error) = $0 { error } else { nil } }
  }
}

/// Records the events of a client.
final class CableClientRecorder: @unchecked Sendable {
  // Used on the test's thread only.
  private(set) var events: [CableEvent] = []
  private(set) var states: [CableState] = []
  private(set) var ends = 0
  private let bag = DisposeBag()

  init(_ client: CableClient) {
    client.events
      .subscribe(
        onNext: { [weak self] in self?.events.append($0) },
        onCompleted: { [weak self] in self?.ends += 1 }
      )
      .disposed(by: bag)
    client.states.subscribe(onNext: { [weak self] in self?.states.append($0) }).disposed(by: bag)
  }

  var endings: [CableDisconnection] {
    events.compactMap { if case .disconnected(let ending) = $0 { ending } else { nil } }
  }
}
