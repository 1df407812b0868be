#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The address of a Redis, with user, password and database: `redis://user:password@host:port/db`.
struct RedisURL: Sendable {
  let isSecure: Bool
  let host: String
  let port: UInt16
  let database: Int
  let credentials: RedisCredentials?

  private static var defaultPort: UInt16 { 6379 }

  init(_ text: String) throws(RedisURLError) {
    guard let end = text.firstRange(of: "://") else { throw .unknownScheme("") }
    switch text[..<end.lowerBound].lowercased() {
    case "redis", "valkey": isSecure = false
    case "rediss", "valkeys": isSecure = true
    default: throw .unknownScheme(String(text[..<end.lowerBound]))
    }
    let rest = text[end.upperBound...]
    if rest.contains(where: { $0 == "?" || $0 == "#" }) { throw .unexpectedQuery }
    let authority = rest.prefix { $0 != "/" }
    database = try Self.database(rest.dropFirst(authority.count + 1))
    let at = authority.lastIndex(of: "@")
    credentials = try at.map { at throws(RedisURLError) in
      try RedisCredentials(authority[..<at])
    }
    let address = at.map { authority[authority.index(after: $0)...] } ?? authority
    (host, port) = try Self.address(address)
  }

  private static func database(_ text: Substring) throws(RedisURLError) -> Int {
    if text.isEmpty { return 0 }
    guard text.allSatisfy(\.isASCII), let number = Int(text), number >= 0 else {
      throw .invalidDatabase(String(text))
    }
    return number
  }

  private static func address(_ text: Substring) throws(RedisURLError) -> (String, UInt16) {
    let host: Substring
    var rest: Substring
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else { throw .missingHost }
      host = text[text.index(after: text.startIndex)..<end]
      rest = text[text.index(after: end)...]
    } else {
      host = text.prefix { $0 != ":" }
      rest = text.dropFirst(host.count)
    }
    guard !host.isEmpty, !host.contains(where: \.isWhitespace) else { throw .missingHost }
    if rest.isEmpty { return (String(host), defaultPort) }
    guard rest.removeFirst() == ":", let port = UInt16(rest), port > 0 else {
      throw .invalidPort(String(rest))
    }
    return (String(host), port)
  }
}

extension RedisURL: CustomStringConvertible {
  /// The URL without user and password.
  var description: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(isSecure ? "rediss" : "redis")://\(name):\(port)/\(database)"
  }
}

/// A user and a password, which no description contains.
struct RedisCredentials: Sendable {
  /// `default` when the URL has a password only.
  let user: String
  let password: String

  fileprivate init(_ text: Substring) throws(RedisURLError) {
    let name = text.prefix { $0 != ":" }
    guard let user = name.removingPercentEncoding,
      let password = text.dropFirst(name.count + 1).removingPercentEncoding
    else { throw .invalidEscape }
    guard !password.isEmpty else { throw .missingPassword }
    self.user = user.isEmpty ? "default" : user
    self.password = password
  }
}

extension RedisCredentials: CustomStringConvertible, CustomReflectable {
  var description: String { "..." }
  var customMirror: Mirror { Mirror(self, children: []) }
}

/// The reason why a URL is not one of Redis; it does not contain the password.
public enum RedisURLError: Error, Hashable, Sendable {
  /// The scheme is neither `redis` nor, for TLS, `rediss`.
  case unknownScheme(String)
  /// There is no host. A password with `/`, `?`, `#` or `@` has to be escaped, such as `%2F`.
  case missingHost
  /// The port is not a number from 1 to 65535.
  case invalidPort(String)
  /// The database behind `/` is not a number from 0 on.
  case invalidDatabase(String)
  /// A user without a password. Write `redis://:password@host` for a password alone.
  case missingPassword
  /// User or password have a `%` that is not followed by two hexadecimal digits: escape it as `%25`.
  case invalidEscape
  /// The URL has a query or a fragment, which have no meaning here. A `?` or `#` of a password has
  /// to be escaped.
  case unexpectedQuery
}

extension RedisURLError: CustomStringConvertible {
  /// The reason as a few words of English.
  public var description: String {
    switch self {
    case .unknownScheme(let scheme): "the scheme \"\(scheme)\" is neither redis nor rediss"
    case .missingHost: "it has no host"
    case .invalidPort: "its port is no number from 1 to 65535"
    case .invalidDatabase(let text): "its database \"\(text)\" is no number"
    case .missingPassword: "it has a user without a password"
    case .invalidEscape: "user or password have a % without two digits behind it"
    case .unexpectedQuery: "it has a query or a fragment"
    }
  }
}
