import Foundation
import Reactive
import ReactiveTesting

@testable import ActionCable

/// A cable in virtual time, and the server that the test writes; all on the test's thread.
final class CableStage: @unchecked Sendable {
  // Touched on the test's thread only: nothing here has another one.
  let time = VirtualTime()
  private(set) var sockets: [ScriptedSocket] = []
  /// What happened, and when, in the words of the official client's trace.
  var trace: [Entry] { notes.map { Entry(time: $0.time, what: $0.what()) } }
  // Written out when it is asked for: an hour has many.
  private var notes: [(time: Double, what: () -> String)] = []
  /// What a server does with a new connection; it is refused, by default.
  var onConnect: (ScriptedSocket) -> Void = { $0.refuse() }
  /// What a server does with a command; it confirms what is subscribed, after a millisecond.
  var onCommand: (ScriptedSocket, Command) -> Void = { socket, command in
    if command.name == "subscribe" { socket.confirm(command.identifier, after: .milliseconds(1)) }
  }
  /// What a server does with a ping; it answers at once.
  var onPing: (ScriptedSocket, Data) -> Void = { $0.pong($1) }
  /// What the next attempt connects to.
  var request: () throws -> CableRequest = { CableRequest("ws://test/cable") }
  /// Each number that was drawn, and the one that is.
  private(set) var draws = 0
  let random: Double
  /// Nil once it was let go.
  private var held: CableClient?
  var client: CableClient {
    guard let held else { preconditionFailure("The client was let go.") }
    return held
  }

  struct Entry: Equatable {
    var time: Double
    var what: String
  }

  /// What a client sends.
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
  ///   - random: what is drawn each time.
  ///   - configure: changes the configuration, which waits for the next look as the official client does.
  init(random: Double = 0, _ configure: (inout CableConfiguration) -> Void = { _ in }) {
    self.random = random
    var configuration = CableConfiguration()
    configuration.promptReconnect = nil
    configuration.socket.scheduler = time.scheduler
    configure(&configuration)
    held = CableClient(
      configuration,
      connect: { [weak self] in
        guard let self else { preconditionFailure("Nobody connects after the test.") }
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

  /// Lets the client go.
  func release() { held = nil }

  func note(_ what: @autoclosure @escaping () -> String) { notes.append((time.elapsed, what)) }

  func advance(_ seconds: Double) {
    time.advance(by: .microseconds(Int((seconds * 1_000_000).rounded())))
  }

  /// Moves on to this time of the stage.
  func advance(to seconds: Double) { advance(seconds - time.elapsed) }

  /// Runs `body` at this time of the stage.
  func at(_ seconds: Double, _ body: @escaping () -> Void) {
    after(.seconds(seconds - time.elapsed), body)
  }

  func after(_ delay: Duration, _ body: @escaping () -> Void) {
    let microseconds = Int((delay / .microseconds(1)).rounded())
    _ = time.scheduler.after(.microseconds(microseconds), body)
  }

  /// Lets all connections in and, with a period, pings them as long as they are open.
  func serve(pinging period: Duration? = .seconds(3), until end: Double = .infinity) {
    onConnect = { socket in
      socket.accept()
      if let period { socket.ping(every: period, until: end) }
    }
  }

  /// The last socket.
  var socket: ScriptedSocket { sockets[sockets.count - 1] }

  /// Those that are connected, or are about to be.
  var live: [ScriptedSocket] { sockets.filter { $0.state != .disconnected } }

  /// The names and times of what was sent for this channel.
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

/// A WebSocket whose other side is the test.
final class ScriptedSocket: CableSocket, @unchecked Sendable {
  // Touched on the test's thread only.
  let number: Int
  let url: String
  let configuration: WebSocketConfiguration
  private(set) var state = WebSocketState.idle
  private(set) var subprotocol: String?
  private(set) var sent: [String] = []
  private(set) var closeCode: CloseCode?
  /// Whether a close by the client ends it at once; otherwise `end()` does.
  var closesAtOnce = true
  private(set) var writtenCount = 0
  private var sentCount = 0
  /// What is not written; nil while everything is written at once.
  private var unwritten: [String]?
  private var onPong: ((Data) -> Void)?
  private var isBroken = false
  private weak let stage: CableStage?
  private let subject = PublishSubject<WebSocketEvent>()

  init(
    _ stage: CableStage,
    _ number: Int,
    _ url: String,
    _ configuration: WebSocketConfiguration
  ) {
    (self.stage, self.number, self.url, self.configuration) = (stage, number, url, configuration)
  }

  // MARK: The client's side

  var events: Observable<WebSocketEvent> { subject.asObservable() }
  var states: Observable<WebSocketState> { .never() }
  var messages: Observable<WebSocketMessage> { .never() }

  func connect() {
    state = .connecting
    stage?.onConnect(self)
  }

  func send(_ message: WebSocketMessage) throws(WebSocketError) {
    guard state == .connected, !isBroken else { throw .notConnected(state) }
    guard let text = message.text else { return }
    sent.append(text)
    sentCount += text.utf8.count
    stage?.note("send \(self.number) \((try? JSONValue(parsing: text))?.text ?? text)")
    if unwritten == nil { write(text) } else { unwritten?.append(text) }
  }

  func sendCounted(_ message: WebSocketMessage) throws(WebSocketError) -> Int {
    try send(message)
    return sentCount
  }

  private func write(_ text: String) {
    writtenCount += text.utf8.count
    if let command = CableStage.Command(text) { stage?.onCommand(self, command) }
  }

  func pingBehindMessages(_ payload: Data) throws(WebSocketError) -> Bool {
    guard state == .connected, !isBroken else { throw .notConnected(state) }
    if unwritten == nil { stage?.onPing(self, payload) }
    return true
  }

  func observePongs(_ body: @escaping @Sendable (Data) -> Void) { onPong = body }

  func close(code: CloseCode, reason: String) {
    guard state != .disconnected else { return }
    closeCode = code
    stage?.note("socket.close \(self.number)")
    if closesAtOnce { end(code) } else { state = .disconnecting }
  }

  // MARK: The server's side

  /// Makes the handshake, and says welcome.
  func accept(subprotocol: String? = "actioncable-v1-json", welcome: Bool = true) {
    self.subprotocol = subprotocol
    state = .connected
    subject.onNext(.connected)
    if welcome { receive(#"{"type":"welcome"}"#) }
  }

  /// Refuses the connection.
  func refuse(_ error: WebSocketError = .transport(.refused(address: "test"))) { fail(error) }

  /// From now on nothing of what it takes is written.
  func stall() { unwritten = [] }

  /// Writes what it has taken since it was stalled, or the first of it.
  func writeStalled(_ count: Int = .max) {
    let texts = unwritten ?? []
    unwritten = count < texts.count ? Array(texts[count...]) : nil
    for text in texts.prefix(count) { write(text) }
  }

  func pong(_ payload: Data) { onPong?(payload) }

  /// From now on it takes nothing, and says nothing.
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
    stage?.after(period) { [weak self] in
      guard let self, let stage, state == .connected, stage.time.elapsed <= end else { return }
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
    stage?.after(delay) { [weak self] in self?.receive(text) }
  }
}

/// A variable that closures may change.
final class Held<Value>: @unchecked Sendable {
  // Touched on the test's thread only.
  var value: Value

  init(_ value: Value) { self.value = value }
}

/// Writes down what a channel tells.
final class CableDiary: @unchecked Sendable {
  // Touched on the test's thread only.
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

/// Writes down what a client tells.
final class CableLogbook: @unchecked Sendable {
  // Touched on the test's thread only.
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
