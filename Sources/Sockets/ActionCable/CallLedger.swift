import Reactive

/// The calls of one connection that may be lost with it, in the order in which they were made.
///
/// A server of ActionCable answers no call. What it answers is a ping: the pong shows that the server has read all
/// that was written before the ping (RFC 6455, 5.5.2). It may still drop a call that waits for a worker when the
/// connection ends, so a call is removed here when the server is heard `grace` after the pong.
///
/// A value without I/O or clock: numbers, offsets and times come in.
struct CallLedger {
  struct Call {
    let member: CableEngine.MemberID
    let perform: CableCall
    fileprivate let time: Duration
  }

  /// How long a server has to carry out what it has read.
  static let grace = Duration.seconds(1)

  /// The number of the next call; numbers go on from one connection to the next.
  private(set) var nextNumber: Int
  private var calls = Fifo<Call>()
  /// Where the first calls end in the bytes of their connection, for those that were handed over.
  private var ends = Fifo<Int>()
  /// Up to which call a ping that is not answered asks for.
  private var pinged: Int?
  /// Up to which call the last pong answers.
  private var answered: Int
  /// Up to which call each pong answers, and when it came, until that is `grace` ago.
  private var answers = Fifo<(number: Int, time: Duration)>()
  private var hasAnswer = false

  /// - Parameter firstNumber: The number of the first call.
  init(firstNumber: Int) {
    nextNumber = firstNumber
    // The first ping is sent before there are calls: its pong shows that the server answers pings.
    answered = firstNumber - 2
  }

  var count: Int { calls.count }

  var isEmpty: Bool { calls.isEmpty }

  /// Whether this call was made on this connection and is still here.
  func contains(_ number: Int) -> Bool { number < nextNumber && number >= nextNumber - calls.count }

  // MARK: Sending

  /// Adds a call, and returns its number.
  mutating func add(_ perform: CableCall, of member: CableEngine.MemberID, _ now: Duration)
    -> Int
  {
    calls.append(Call(member: member, perform: perform, time: now))
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// The next call was handed to the socket.
  ///
  /// - Parameter end: Where it ends in the bytes of the connection, at the earliest; `.max` when the socket did not
  ///   take it.
  mutating func handedOver(end: Int) {
    if ends.count < calls.count { ends.append(end) }
  }

  /// Up to which call the server is to be asked now; nil when there is none to ask for, or a pong is awaited.
  mutating func nextPing() -> Int? {
    guard pinged == nil, nextNumber - 1 > answered else { return nil }
    pinged = nextNumber - 1
    return pinged
  }

  /// The ping up to this call could not be sent behind it.
  mutating func pingFailed(_ number: Int) {
    if pinged == number { pinged = nil }
  }

  // MARK: Hearing

  /// The pong of the ping up to this call came.
  mutating func answered(_ number: Int, _ now: Duration) {
    guard pinged == number else { return }
    pinged = nil
    answered = number
    hasAnswer = true
    answers.append((number, now))
  }

  /// The server was heard: what has arrived by now is removed.
  mutating func heard(_ now: Duration) {
    while let answer = answers.first, answer.time + Self.grace <= now {
      _ = answers.popFirst()
      while contains(answer.number) { removeFirst() }
    }
    if hasAnswer { return }
    // A server that answers no pings shows by its own messages that it is there, and no more than that.
    let oldest = now - CableMonitor.staleThreshold
    while let call = calls.first, call.time < oldest { removeFirst() }
  }

  // MARK: Losing

  /// Removes the calls that are written, or may be, and returns them.
  ///
  /// - Parameter written: How many bytes of the connection are written, at most.
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
