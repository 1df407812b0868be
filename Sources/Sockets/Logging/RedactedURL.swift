extension String {
  /// The URL without its user and password, since errors appear in logs.
  var withoutPassword: String {
    guard let scheme = firstRange(of: "://") else { return self }
    let rest = self[scheme.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    guard let at = authority.lastIndex(of: "@") else { return self }
    return self[..<scheme.upperBound] + "..." + rest[at...]
  }

  /// The URL without user, password and query, which often contains a token.
  package var withoutSecrets: String {
    let url = withoutPassword
    guard let query = url.firstIndex(of: "?") else { return url }
    return url[...query] + "..."
  }
}
