import Sockets

/// The options of a ``RedisBackplane``.
public struct RedisConfiguration: Sendable {
  /// What happens to messages while a process is not connected: they are missed.
  public var delivery = RedisDelivery.publishSubscribe

  /// The beginning of the names of all channels and streams: `topic:`.
  ///
  /// Channels are shared by all databases of a Redis, so programs that share one need prefixes of
  /// their own.
  public var prefix = "topic:"

  /// The delays before the attempts to connect again: 0.1, 0.2, 0.4 and so on up to 10 seconds, and
  /// up to 25 % more, without an end.
  ///
  /// After the last attempt, if there is one, topics stay within the process. A connection that has
  /// lasted for 5 seconds counts attempts from 0 again. A wrong password is tried again too: it may
  /// be that of a Redis that is being set up.
  public var reconnection = Backoff.exponential(
    base: .milliseconds(100), cap: .seconds(10), maxAttempts: nil)

  /// The time for a whole attempt, with TLS, password and subscriptions: 5 seconds.
  public var connectTimeout: Duration = .seconds(5)

  /// The time between two pings of each connection: 5 seconds.
  ///
  /// A Redis that answers nothing until the next ping is given up, so a stopped one is noticed
  /// within twice this time.
  public var pingInterval: Duration = .seconds(5)

  /// The most bytes of messages that wait for Redis: 16 MiB.
  ///
  /// Messages wait while Redis is away, and until it has taken them. Each counts with its topic and
  /// 64 bytes more. What does not fit is dropped, and reported as ``RedisError/queueFull(limit:)``.
  public var queueLimit = 16 << 20

  /// The longest message, in bytes with its envelope of 23: 1 MiB, the same in all processes.
  public var messageLimit = 1 << 20

  /// The trusted authorities (the system's), the pins (none) and the own certificate (none) of a
  /// `rediss` connection.
  public var tls = TLSConfiguration()

  /// The implementation of TLS: OpenSSL, loaded at the first `rediss`.
  public var tlsProvider: any TLSProvider = WebSocketConfiguration().tlsProvider

  /// The clock of delays and deadlines; nil, the default, for that of the event loop.
  public var scheduler: (any SchedulerType)?

  /// Returns numbers from 0 up to, not including, 1 for the jitter: the system's by default.
  public var random: @Sendable () -> Double = { HostRandomNumberGenerator.unit() }

  /// Creates a configuration of defaults.
  public init() {}
}

/// What happens to the messages of other processes while a process is not connected to Redis.
public enum RedisDelivery: Hashable, Sendable {
  /// They are missed: at most once, and the least work for Redis (`PUBLISH`).
  case publishSubscribe

  /// They are kept in a stream for each topic (`XADD`), and read after the connection is restored.
  ///
  /// A process that was away for at most `maxLength` messages of a topic misses none and receives
  /// none twice, as long as Redis keeps its data. After more, or after `retention`, it receives
  /// what is left, and `BackplaneError.notReceived` is reported. Messages that
  /// wait for Redis when a process ends are lost.
  ///
  /// - Parameters:
  ///   - maxLength: messages of a topic that Redis keeps, at least: 1,000
  ///   - retention: time after which Redis deletes the stream of a topic that is silent: an hour
  case stream(maxLength: Int = 1_000, retention: Duration = .seconds(3_600))
}
