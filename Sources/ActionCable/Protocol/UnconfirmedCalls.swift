import Reactive

/// The calls of one connection that may be lost with it, in the order in which they were made.
///
/// An ActionCable server does not answer calls. It answers pings: the pong shows that the server
/// has read all bytes before the ping (RFC 6455, 5.5.2). The server may still drop a call that
/// waits for a worker when the connection ends. So a call is removed by the pong of a second ping
/// that was sent at least `grace` after the first pong: the server was alive then. A message shows
/// less, because the network may have held it. Without any pong on the connection, a call is removed
/// when something arrives more than `CableMonitor.staleThreshold` after the call was made.
///
/// A value without I/O or clock: numbers, offsets and times are arguments.
struct UnconfirmedCalls {
  struct Call {
    let subscriber: CableStateMachine.SubscriberID
    let call: CableCall
    fileprivate let madeAt: Duration
  }

  /// The time for a server to perform the calls that it has read.
  static let grace = Duration.seconds(1)
  /// The time for a server that answers pings to answer one: the bytes may wait in the network.
  static let pongLimit = Duration.seconds(120)

  /// The number of the next call; numbering continues from one connection to the next.
  private(set) var nextNumber: Int
  private var calls = Fifo<Call>()
  /// Where each call that was passed to the socket ends in the connection's bytes; `.max` if the
  /// socket refused it.
  private var ends = Fifo<Int>()
  /// The unanswered ping, with the last call and the last other command that it covers.
  private var ping: (call: Int, command: Int, time: Duration)?
  /// The last call that the last pong covers.
  private(set) var readCall: Int
  /// The last unconfirmed call that each pong covers, with the pong's time.
  private var pongs = Fifo<(number: Int, time: Duration)>()
  private(set) var hasPong = false
  /// The number of the last command of the connection that is no call, and of the last one that the last pong
  /// covers.
  private var lastCommand = 0
  private(set) var readCommand = 0

  /// - Parameter firstNumber: number of the first call.
  init(firstNumber: Int) {
    nextNumber = firstNumber
    // One less than the call before the first, so that a ping is sent before any call: its pong
    // shows that pings are answered.
    readCall = firstNumber - 2
  }

  var count: Int { calls.count }

  var isEmpty: Bool { calls.isEmpty }

  /// Whether this call was made on this connection and is still unconfirmed.
  func contains(_ number: Int) -> Bool { number < nextNumber && number >= nextNumber - calls.count }

  // MARK: Sending

  /// Adds a call, and returns its number.
  mutating func add(
    _ call: CableCall, of subscriber: CableStateMachine.SubscriberID, _ now: Duration
  ) -> Int {
    calls.append(Call(subscriber: subscriber, call: call, madeAt: now))
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// Notes that the oldest call that was not passed to the socket yet was passed.
  ///
  /// - Parameter end: lowest possible position of its end in the connection's bytes; `.max` when
  ///   the socket did not accept it.
  mutating func callSent(end: Int) {
    if ends.count < calls.count { ends.append(end) }
  }

  /// Notes that a command is sent that is no call, and returns its number.
  mutating func addCommand() -> Int {
    lastCommand += 1
    return lastCommand
  }

  /// Begins a ping and returns the last call that it covers.
  ///
  /// Returns nil while a ping is unanswered, and when it would show nothing: no call and no other command is new,
  /// and no call was read `grace` ago. The first ping needs none.
  mutating func beginPing(_ now: Duration) -> Int? {
    let call = nextNumber - 1
    let isNew = call > readCall || lastCommand > readCommand
    let confirms = pongs.first.map { $0.time + Self.grace <= now } ?? false
    guard ping == nil, isNew || confirms else { return nil }
    ping = (call, lastCommand, now)
    return call
  }

  /// Notes that the ping behind this call could not be sent yet.
  mutating func pingFailed(_ number: Int) {
    if ping?.call == number { ping = nil }
  }

  // MARK: Receiving

  /// When the unanswered ping is overdue; nil without one.
  var pongDue: Duration? { ping.map { $0.time + Self.pongLimit } }

  /// Whether the first ping has waited so long that a connection without messages would be stale.
  func isMute(_ now: Duration) -> Bool {
    guard !hasPong, let ping else { return false }
    return now - ping.time > CableMonitor.staleThreshold
  }

  /// Handles the pong of the ping that covers this call, and removes the calls that it confirms.
  mutating func pongReceived(_ number: Int, _ now: Duration) {
    guard let answered = ping, answered.call == number else { return }
    ping = nil
    (readCall, readCommand) = (answered.call, answered.command)
    hasPong = true
    while let pong = pongs.first, pong.time + Self.grace <= answered.time {
      _ = pongs.popFirst()
      while contains(pong.number) { removeFirst() }
    }
    if contains(number) { pongs.append((number, now)) }
  }

  /// Notes a message of the server, and removes the calls that it confirms: none where pings are answered.
  mutating func messageReceived(_ now: Duration) {
    if hasPong { return }
    // A server that answers no pings shows by its messages only that it is alive, so calls are
    // removed by age.
    let oldest = now - CableMonitor.staleThreshold
    while let call = calls.first, call.madeAt < oldest { removeFirst() }
  }

  // MARK: Losing the connection

  /// Removes and returns the calls that were written, or may have been.
  ///
  /// - Parameter written: how many bytes of the connection are written, at most.
  mutating func takeWritten(_ written: Int) -> [Call] {
    var taken: [Call] = []
    while let end = ends.first, end <= written, let call = removeFirst() { taken.append(call) }
    return taken
  }

  /// Removes all calls and returns them.
  mutating func takeAll() -> [Call] {
    var taken: [Call] = []
    while let call = removeFirst() { taken.append(call) }
    return taken
  }

  @discardableResult private mutating func removeFirst() -> Call? {
    _ = ends.popFirst()
    return calls.popFirst()
  }
}
