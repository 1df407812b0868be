import Reactive

/// What a configuration says to a WebSocket for as long as it lives: one object for all that have the
/// same.
///
/// The handshake has the configuration itself, and lets go of it when it is made.
final class SharedOptions: Sendable {
  /// The numbers, by which two configurations are compared.
  struct Limits: Equatable {
    let handshakeTimeout: Duration
    let closeTimeout: Duration
    let writeTimeout: Duration?
    let sendHighWaterMark: Int
    let messageLimit: Int
    let fragmentSize: Int
    let keepalive: WebSocketKeepalive?

    init(_ configuration: WebSocketConfiguration) {
      handshakeTimeout = configuration.handshakeTimeout
      closeTimeout = configuration.closeTimeout
      writeTimeout = configuration.writeTimeout
      sendHighWaterMark = configuration.sendHighWaterMark
      messageLimit = configuration.messageLimit
      fragmentSize = configuration.fragmentSize
      keepalive = configuration.keepalive
    }
  }

  let limits: Limits
  let log: WebSocketLog
  /// What the log calls a WebSocket.
  let name: String
  let scheduler: (any SchedulerType)?

  init(_ configuration: WebSocketConfiguration, name: String = "") {
    limits = Limits(configuration)
    log = configuration.log
    scheduler = configuration.scheduler
    self.name = name
  }

  /// The last ones that are nothing but numbers: most programs connect all their clients alike.
  private static let last = Locked<SharedOptions?>(nil)

  /// Whether clients that are made here are named though they have no log: another log wants their names.
  @TaskLocal static var areNamed = false

  /// The options of a client, which are those of the last one where they are the same.
  ///
  /// - Parameter name: What the log calls it; asked for when there is a log, or `areNamed`.
  static func ofClient(
    _ configuration: WebSocketConfiguration,
    name: @autoclosure () -> String
  ) -> SharedOptions {
    guard configuration.log.level == nil, !areNamed else {
      return SharedOptions(configuration, name: name())
    }
    guard configuration.scheduler == nil else { return SharedOptions(configuration) }
    let limits = Limits(configuration)
    return last.withLock { last in
      if let last, last.limits == limits { return last }
      // What it takes the place of holds nothing of anybody's: no log, no scheduler.
      let options = SharedOptions(configuration)
      last = options
      return options
    }
  }
}
