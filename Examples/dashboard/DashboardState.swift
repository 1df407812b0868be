import Sockets

/// The state of the dashboard, from which its output is computed.
struct DashboardState: Equatable, Sendable {
  /// The state of the connection.
  enum Link: Equatable, Sendable {
    case connecting
    case connected
    /// The connection was lost, and the socket connects again.
    case disconnected
    /// The first attempt or the last one failed, which ends the program: the address may be wrong.
    case failed(WebSocketError)
  }

  /// The URL of the server.
  var url = ""
  var link = Link.connecting
  /// The number of connections so far.
  var connections = 0

  /// The messages received, and their bytes.
  var frames = Counter()
  var bytes = Counter()
  /// The sequence number that the next sample of this connection must have.
  var nextSequence = 0
  /// Samples missing before later samples of their connection.
  var lost = 0
  /// The figures of the last sample.
  var figures: Figures?
  var cpu = Readings()
  /// The last messages that are not samples.
  var messages = Recent<String>()

  /// Whether polling is on; the ticks and the result of the polls.
  var isPolling = false
  var ticks = 0
  var bytesReceived: UInt64?
  /// The bytes received in each tick.
  var network = Readings()

  /// Seconds since the start.
  var seconds = 0
  /// The number of reduced actions, and the last of them.
  var actions = 0
  var log = Recent<Entry>()

  /// An action that was reduced.
  struct Entry: Equatable, Sendable {
    var number: Int
    var text: String
    /// Whether the action recurs without the user.
    var isRoutine: Bool
  }

  /// The number of connections after the first.
  var reconnects: Int { max(0, connections - 1) }
}

/// The last values of something, the newest at the end.
struct Recent<Value: Equatable & Sendable>: Equatable, Sendable {
  private(set) var values: [Value] = []
  private let capacity = 256

  /// Adds `value`, and removes the oldest value beyond the capacity.
  mutating func append(_ value: Value) {
    values.append(value)
    if values.count > capacity { values.removeFirst() }
  }
}

/// The last values of a figure.
typealias Readings = Recent<Double>

/// A growing number, and its growth between marks.
struct Counter: Equatable, Sendable {
  private(set) var total = 0
  private(set) var growth = Readings()
  private var marked = 0

  mutating func add(_ count: Int) { total += count }

  /// Appends the growth since the previous mark.
  mutating func mark() {
    growth.append(Double(total - marked))
    marked = total
  }
}
