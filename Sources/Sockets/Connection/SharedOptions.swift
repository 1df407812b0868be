/// The options that a WebSocket keeps for its lifetime.
///
/// A client whose options equal those of the last client shares its object.
/// The handshake keeps the whole configuration, and releases it when it has finished.
final class SharedOptions: Sendable {
  /// The numeric options, by which configurations are compared.
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
  /// The WebSocket's name in the log.
  let name: String
  let scheduler: (any SchedulerType)?
  /// Whether tools may see the WebSocket; false for their own.
  let isTapped: Bool

  init(_ configuration: WebSocketConfiguration, name: String = "") {
    limits = Limits(configuration)
    log = configuration.log
    scheduler = configuration.scheduler
    isTapped = configuration.isTapped
    self.name = name
  }

  /// The last options without log and scheduler: most programs configure all their clients alike.
  private static let last = Locked<SharedOptions?>(nil)

  /// Whether clients created here get a name although they have no log, since another log uses it.
  @TaskLocal static var areNamed = false

  /// The options of a client: the last ones, if they are equal.
  ///
  /// - Parameter name: name for the log; evaluated only with a log, with `areNamed`, or for a tool.
  static func ofClient(
    _ configuration: WebSocketConfiguration,
    name: @autoclosure () -> String
  ) -> SharedOptions {
    guard configuration.log.level == nil, !areNamed, configuration.isTapped, !SocketTaps.areObserved
    else {
      return SharedOptions(configuration, name: name())
    }
    guard configuration.scheduler == nil else { return SharedOptions(configuration) }
    let limits = Limits(configuration)
    return last.withLock { last in
      if let last, last.limits == limits { return last }
      // Shared options have no log and no scheduler, so replacing them under the lock releases no
      // object of the program.
      let options = SharedOptions(configuration)
      last = options
      return options
    }
  }
}
