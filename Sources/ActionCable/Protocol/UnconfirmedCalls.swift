import Reactive

/// The calls of one connection that may be lost with it, in the order in which they were made.
///
/// An ActionCable server does not answer calls. It answers pings: the pong shows that the server
/// has read all bytes before the ping (RFC 6455, 5.5.2). The server may still drop a call that
/// waits for a worker when the connection ends. So a call is removed when something arrives at
/// least `grace` after its pong. Without any pong on the connection, a call is removed when
/// something arrives more than `CableMonitor.staleThreshold` after the call was made.
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

  /// The number of the next call; numbering continues from one connection to the next.
  private(set) var nextNumber: Int
  private var calls = Fifo<Call>()
  /// Where each call that was passed to the socket ends in the connection's bytes; `.max` if the
  /// socket refused it.
  private var ends = Fifo<Int>()
  /// The last call that the unanswered ping covers; nil without such a ping.
  private var pingedNumber: Int?
  /// The last call that the last pong covers.
  private var pongedNumber: Int
  /// The last call that each pong covers, with the pong's time; removed after `grace`.
  private var pongs = Fifo<(number: Int, time: Duration)>()
  private var hasPong = false

  /// - Parameter firstNumber: number of the first call.
  init(firstNumber: Int) {
    nextNumber = firstNumber
    // One less than the call before the first, so that a ping is sent before any call: its pong
    // shows that pings are answered.
    pongedNumber = firstNumber - 2
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

  /// Begins a ping and returns the last call that it covers.
  ///
  /// Returns nil when no call is new, or while a ping is unanswered. The first ping needs no call.
  mutating func beginPing() -> Int? {
    guard pingedNumber == nil, nextNumber - 1 > pongedNumber else { return nil }
    pingedNumber = nextNumber - 1
    return pingedNumber
  }

  /// Notes that the ping behind this call could not be sent yet.
  mutating func pingFailed(_ number: Int) {
    if pingedNumber == number { pingedNumber = nil }
  }

  // MARK: Receiving

  /// Handles the pong of the ping that covers this call.
  mutating func pongReceived(_ number: Int, _ now: Duration) {
    guard pingedNumber == number else { return }
    pingedNumber = nil
    pongedNumber = number
    hasPong = true
    pongs.append((number, now))
  }

  /// Notes a message of the server, and removes the calls that it confirms.
  mutating func messageReceived(_ now: Duration) {
    while let pong = pongs.first, pong.time + Self.grace <= now {
      _ = pongs.popFirst()
      while contains(pong.number) { removeFirst() }
    }
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
