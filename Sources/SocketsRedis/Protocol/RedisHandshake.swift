/// The opening of one connection: version 3 if the server has it, the password, the database.
///
///     HELLO 3 [AUTH user password]  ->  SELECT db
///        `- unknown command: AUTH [user] password  -'
struct RedisHandshake {
  private enum Step {
    case hello, authentication, selection, done
  }

  private let url: RedisURL
  private var step = Step.hello

  init(_ url: RedisURL) { self.url = url }

  /// Whether the connection is ready for commands.
  var isDone: Bool { step == .done }

  /// The first command.
  var first: RedisCommand {
    var command = RedisCommand("HELLO", "3")
    if let credentials = url.credentials {
      command.arguments += RedisCommand("AUTH", credentials.user, credentials.password).arguments
    }
    return command
  }

  /// Handles the reply to the last command, and returns the next one; nil when it is done.
  mutating func receive(_ reply: RESPValue) throws(RedisError) -> RedisCommand? {
    switch (step, reply) {
    case (.hello, .error(let text)) where Self.isOld(text):
      guard let credentials = url.credentials else { return select() }
      step = .authentication
      let isDefault = credentials.user == "default"
      return isDefault
        ? RedisCommand("AUTH", credentials.password)
        : RedisCommand("AUTH", credentials.user, credentials.password)
    case (_, .error(let text)): throw RedisError(reply: text)
    case (.hello, .map), (.hello, .array): return select()
    case (.authentication, .text("OK")): return select()
    case (.selection, .text("OK")):
      step = .done
      return nil
    case (.hello, _), (.authentication, _), (.selection, _), (.done, _):
      throw .malformedAnswer(.unexpected(reply.summary))
    }
  }

  private mutating func select() -> RedisCommand? {
    step = url.database == 0 ? .done : .selection
    return url.database == 0 ? nil : RedisCommand("SELECT", "\(url.database)")
  }

  /// Whether the server knows no `HELLO`, or not its version 3.
  private static func isOld(_ error: String) -> Bool {
    error.hasPrefix("NOPROTO") || error.lowercased().hasPrefix("err unknown command")
  }
}
