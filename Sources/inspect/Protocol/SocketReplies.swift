// The results of the requests about sockets and servers.

struct SocketList: Codable, Equatable, Sendable {
  let sockets: [SocketInfo]
  /// The number of those that are left out.
  var moreSockets: Int?
}

struct SocketInfo: Codable, Equatable, Sendable {
  let socket: Int
  let name: String
  var side = "client"
  var reconnects = false
  var isLive = true
  var state = "idle"
  /// The state of a client that reconnects, with its reason.
  var detail: String?
  /// The attempt of a client that has no connection.
  var reconnection: Reconnection?
  var connections = 0
  var extensions = ""
  var error: String?
  var closeCode: Int?
  /// Milliseconds by which each direction is delayed; nil for none.
  var delay: Int?
  var messageBytesReceived = 0
  var messageBytesSent = 0
  /// Nil for a client that reconnects.
  var metrics: SocketMetrics?
}

struct Reconnection: Codable, Equatable, Sendable {
  var attempt: Int?
  /// Seconds.
  var delay: Double?
  var reason: String?
}

struct SocketMetrics: Codable, Equatable, Sendable {
  var framesReceived = 0
  var framesSent = 0
  var messagesReceived = 0
  var messagesSent = 0
  /// Those of the connection, compressed.
  var bytesReceived = 0
  var bytesSent = 0
  var queuedBytes = 0
  /// Seconds.
  var roundTrip: Double?
}

struct ServerList: Codable, Equatable, Sendable { let servers: [ServerInfo] }

struct ServerInfo: Codable, Equatable, Sendable {
  let url: String
  var open = 0
  var handshaking = 0
  var accepted = 0
  var opened = 0
  /// Counts by status.
  var refused: [String: Int] = [:]
  var answered: [String: Int] = [:]
  /// Counts by close code.
  var closed: [String: Int] = [:]
  var failedTLS = 0
  var timedOut = 0
  var bytesReceived = 0
  var bytesSent = 0
  var messagesReceived = 0
  var messagesSent = 0
  var queuedBytes = 0
  var heldBytes = 0
  /// Seconds.
  var loopLag = 0.0
}
