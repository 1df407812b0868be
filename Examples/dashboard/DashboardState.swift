import Sockets

/// Everything that the dashboard knows; what it shows is a function of it.
struct DashboardState: Equatable, Sendable {
  /// How it stands with the connection.
  enum Link: Equatable, Sendable {
    case connecting
    case connected
    /// Connects again when this time is over.
    case waiting(milliseconds: Int)
    /// Over before it began: a wrong address does not mend itself.
    case failed(WebSocketError)
  }

  /// What is connected to.
  var url = ""
  var link = Link.connecting
  /// What broke the connection last.
  var problem: WebSocketError?
  /// How often it was connected.
  var connections = 0
  /// Attempts to connect since something came.
  var attempts = 0

  /// The messages of the server.
  var frames = Counter()
  var bytes = Counter()
  /// The sequence number that the next sample of this connection must have.
  var nextSequence = 0
  /// Samples that did not come though later ones of their connection did.
  var lost = 0
  /// The last sample's.
  var figures: Figures?
  var cpu = History()
  /// The last messages that are not samples.
  var messages = Recent<String>()

  /// What was polled.
  var isPolling = false
  var ticks = 0
  var bytesReceived: UInt64?
  /// The bytes of each tick.
  var network = History()

  /// Since the start.
  var seconds = 0
  /// How many actions were reduced, and the last of them.
  var actions = 0
  var log = Recent<Entry>()

  /// An action that was reduced.
  struct Entry: Equatable, Sendable {
    var number: Int
    var text: String
    /// Whether it comes again and again by itself.
    var isRoutine: Bool
  }

  /// How often it was connected again.
  var reconnects: Int { max(0, connections - 1) }
}

/// The last values of something, the newest at the end.
struct Recent<Value: Equatable & Sendable>: Equatable, Sendable {
  private(set) var values: [Value] = []
  private let capacity = 256

  /// Adds `value`, and forgets the oldest when there are too many.
  mutating func append(_ value: Value) {
    values.append(value)
    if values.count > capacity { values.removeFirst() }
  }
}

/// The last values of a figure.
typealias History = Recent<Double>

/// A number that grows, and by how much it grew from mark to mark.
struct Counter: Equatable, Sendable {
  private(set) var total = 0
  private(set) var growth = History()
  private var marked = 0

  mutating func add(_ count: Int) { total += count }

  /// Notes the growth since the mark before.
  mutating func mark() {
    growth.append(Double(total - marked))
    marked = total
  }
}
