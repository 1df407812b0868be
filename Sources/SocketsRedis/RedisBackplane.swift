import Sockets

/// Joins the topics of servers in any number of processes, through a Redis or Valkey.
///
/// ```swift
/// let backplane = try RedisBackplane("redis://:password@localhost:6379")
/// let server = try WebSocketServer(host: "", port: 8080, backplane: backplane)
/// ```
///
/// Redis 6 or later, Valkey, or an older Redis, alone or with replicas behind one address; not a
/// cluster with `delivery` of `stream`. The user needs `SUBSCRIBE`, `UNSUBSCRIBE`, `PUBLISH` and
/// `PING`, and with `stream` also `EVAL`, `XADD`, `XREAD`, `XRANGE`, `XREVRANGE` and `EXPIRE`.
///
/// Each server has two connections: one for subscriptions, one for commands. They live on the
/// process's event loop, on whose thread messages of other processes are delivered. A connection
/// that is lost is made again, and all topics are subscribed again.
///
/// See the article <doc:SocketsRedis> for what is promised.
public struct RedisBackplane: Backplane {
  private let url: RedisURL
  private let configuration: RedisConfiguration

  /// Creates a backplane; each server that gets it connects to the Redis.
  ///
  /// - Parameters:
  ///   - url: `redis://user:password@host:port/database`, or `rediss` for TLS. Only the host is
  ///     required: the port is 6379, the database 0. Special characters of the password are escaped
  ///     by `%`. The password appears in no log, error or description.
  ///   - configuration: delivery, limits and delays
  /// - Throws: ``RedisError/invalidURL(_:)``.
  public init(
    _ url: String, configuration: RedisConfiguration = .init()
  ) throws(RedisError) {
    do throws(RedisURLError) {
      self.url = try RedisURL(url)
    } catch {
      throw .invalidURL(error)
    }
    self.configuration = configuration
  }

  /// Begins to connect a server, and returns at once.
  public func connect(
    _ receive: @escaping @Sendable (BackplaneEvent) -> Void
  ) -> any BackplaneConnection {
    let connection = RedisConnection(url, configuration, receive)
    connection.connect()
    return connection
  }
}

extension RedisBackplane: CustomStringConvertible {
  /// The URL without user and password.
  public var description: String { url.description }
}
