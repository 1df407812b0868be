import Sockets

/// The reason why Redis is not connected, or did not take a message.
public enum RedisError: Error, Hashable, Sendable {
  /// The URL is not one of Redis. The associated error says what to change.
  case invalidURL(RedisURLError)

  /// The connection could not be made, or was lost. Most causes are temporary.
  case transport(TransportError)

  /// Redis closed the connection, as when it is shut down, or when it has too many clients.
  case closed

  /// There was no connection in time, with TLS, password and subscriptions. Check address and load.
  case connectTimedOut(after: Duration)

  /// Redis answered nothing for so long. Check whether it is stopped, overloaded or unreachable.
  case unresponsive(after: Duration)

  /// The other side is no Redis. Check the port; with TLS the scheme is `rediss`.
  case notRedis(answer: String)

  /// The answer of Redis breaks its protocol, or is longer than allowed.
  case malformedAnswer(RedisAnswerError)

  /// Redis does not know the user, or the password is wrong. Check the URL and `ACL LIST`.
  case wrongPassword

  /// Redis requires a password. Put it into the URL: `redis://:password@host`.
  case passwordRequired

  /// The user may not run this command, or not with this key or channel. Check `ACL LIST`: the user
  /// needs the commands that the documentation of ``RedisBackplane`` lists.
  case notPermitted(String)

  /// The memory of Redis is full (`maxmemory`), and it evicts nothing. Raise the limit, or lower
  /// the number of messages that are kept.
  ///
  /// Only messages that Redis keeps need memory there.
  case outOfMemory

  /// The key of the topic's stream holds something else. Choose another prefix.
  case wrongType(String)

  /// Redis refused something with this message.
  case refused(String)

  /// More bytes wait for Redis than allowed: it is away, or takes them too slowly.
  case queueFull(limit: Int)

  /// The message is longer than allowed, in bytes. Raise the limit in all processes.
  case messageTooLong(length: Int, limit: Int)

  /// Redis no longer has the message at which this process stopped reading: more messages than it
  /// keeps have followed, or it was restarted without persistence.
  case trimmed
}

extension RedisError: CustomStringConvertible {
  /// The error as one line of English, without the password.
  public var description: String {
    switch self {
    case .invalidURL(let error): "the URL of Redis is invalid: \(error)"
    case .transport(let error): "Redis: \(error)"
    case .closed: "Redis closed the connection"
    case .connectTimedOut(let time): "Redis was not connected within \(time)"
    case .unresponsive(let time): "Redis answered nothing for \(time)"
    case .notRedis(let answer): "no Redis answered: \(answer)"
    case .malformedAnswer(let error): "a malformed answer of Redis: \(error)"
    case .wrongPassword: "Redis refused user or password"
    case .passwordRequired: "Redis requires a password"
    case .notPermitted(let message): "Redis permits this not: \(message)"
    case .outOfMemory: "the memory of Redis is full"
    case .wrongType(let message): "a key of Redis holds something else: \(message)"
    case .refused(let message): "Redis refused: \(message)"
    case .queueFull(let limit): "more than \(limit) bytes wait for Redis"
    case .messageTooLong(let length, let limit):
      "a message of \(length) bytes exceeds the limit of \(limit)"
    case .trimmed: "Redis has deleted messages that were not read"
    }
  }
}

extension RedisError {
  /// Reads the text of an error reply, whose first word is its code.
  init(reply text: String) {
    // Redis 6 puts the error of a command in a script behind an error of the script.
    if text.hasPrefix("ERR Error running script"), let code = text.firstRange(of: ": -") {
      self.init(reply: String(text[code.upperBound...]))
      return
    }
    let code = text.prefix { $0 != " " }
    self =
      switch code {
      case "WRONGPASS": .wrongPassword
      case "NOAUTH": .passwordRequired
      case "NOPERM": .notPermitted(text)
      case "OOM": .outOfMemory
      case "WRONGTYPE": .wrongType(text)
      // Redis before 6.
      case "ERR" where text.hasPrefix("ERR invalid password"): .wrongPassword
      default: .refused(text)
      }
  }
}

/// How an answer breaks the protocol of Redis.
public enum RedisAnswerError: Error, Hashable, Sendable {
  /// A value begins with a byte that is no type.
  case unknownType(UInt8)
  /// A number is not well-formed.
  case invalidNumber
  /// A line has no end within the limit, in bytes.
  case lineTooLong(limit: Int)
  /// A value is longer than the limit, in bytes. Lower the limit of messages.
  case tooLong(limit: Int)
  /// Values are nested deeper than the limit.
  case tooDeep(limit: Int)
  /// A value without a question, or one of another kind than the question asks for.
  case unexpected(String)
}

extension RedisAnswerError: CustomStringConvertible {
  /// The error as a few words of English.
  public var description: String {
    switch self {
    case .unknownType(let byte): "type \(byte)"
    case .invalidNumber: "an invalid number"
    case .lineTooLong(let limit): "a line of more than \(limit) bytes"
    case .tooLong(let limit): "more than \(limit) bytes"
    case .tooDeep(let limit): "more than \(limit) levels"
    case .unexpected(let value): "unexpected \(value)"
    }
  }
}
