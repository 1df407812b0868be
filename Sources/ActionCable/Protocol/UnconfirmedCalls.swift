import Reactive

/// The calls of one connection that may be lost with it, in the order in which they were made.
///
/// An ActionCable server does not answer calls. It answers pings: the pong shows that the server
/// has read all bytes before the ping (RFC 6455, 5.5.2). The server may still drop a call that
/// waits for a worker when the connection ends. So a call is removed when the server sends anything
/// `grace` after the pong.
///
/// A value without I/O or clock: numbers, offsets and times are arguments.
struct UnconfirmedCalls {
  struct Call {
    let subscriber: CableStateMachine.SubscriberID
    let call: CableCall
    fileprivate let time: Duration
  }

  /// The time for a server to perform the calls that it has read.
  static let grace = Duration.seconds(1)

  /// The number of the next call; numbering continues from one connection to the next.
  private(set) var nextNumber: Int
  private var calls = Fifo<Call>()
  /// The ends of the first calls in the connection's bytes, for calls that the socket has accepted.
  private var ends = Fifo<Int>()
  /// The last call that the unanswered ping covers; nil without such a ping.
  private var pinged: Int?
  /// The last call that the last pong confirms.
  private var confirmed: Int
  /// The last call that each pong confirms, with the pong's time; removed after `grace`.
  private var pongs = Fifo<(number: Int, time: Duration)>()
  private var hasPong = false

  /// - Parameter firstNumber: number of the first call.
  init(firstNumber: Int) {
    nextNumber = firstNumber
    // One less, so that a ping is sent before any call: its pong shows that pings are answered.
    confirmed = firstNumber - 2
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
    calls.append(Call(subscriber: subscriber, call: call, time: now))
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// Notes that the next call was passed to the socket.
  ///
  /// - Parameter end: lowest possible position of its end in the connection's bytes; `.max` when
  ///   the socket did not accept it.
  mutating func callSent(end: Int) {
    if ends.count < calls.count { ends.append(end) }
  }

  /// The last call that a ping should cover now; nil when none is new, or a ping is unanswered.
  mutating func nextPing() -> Int? {
    guard pinged == nil, nextNumber - 1 > confirmed else { return nil }
    pinged = nextNumber - 1
    return pinged
  }

  /// Notes that the ping for this call could not be sent behind it.
  mutating func pingFailed(_ number: Int) {
    if pinged == number { pinged = nil }
  }

  // MARK: Receiving

  /// Handles the pong of the ping that covers this call.
  mutating func pongReceived(_ number: Int, _ now: Duration) {
    guard pinged == number else { return }
    pinged = nil
    confirmed = number
    hasPong = true
    pongs.append((number, now))
  }

  /// Notes a message of the server, and removes confirmed calls whose `grace` has passed.
  mutating func messageReceived(_ now: Duration) {
    while let pong = pongs.first, pong.time + Self.grace <= now {
      _ = pongs.popFirst()
      while contains(pong.number) { removeFirst() }
    }
    if hasPong { return }
    // A server that answers no pings shows by its messages only that it is alive, so calls are
    // removed by age.
    let oldest = now - CableMonitor.staleThreshold
    while let call = calls.first, call.time < oldest { removeFirst() }
  }

  // MARK: Losing the connection

  /// Removes and returns the calls that are written, or may be.
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
