import Testing

/// An object for closures to capture, whose release a test can observe.
final class Token: Sendable {
  /// Does nothing; a closure that calls it captures the token.
  func hold() {}
}

/// Whether the token given to `body` is released once `body` has returned.
func isReleased(_ body: (Token) throws -> Void) rethrows -> Bool {
  weak var seen: Token?
  do {
    let token = Token()
    seen = token
    try body(token)
  }
  return seen == nil
}
