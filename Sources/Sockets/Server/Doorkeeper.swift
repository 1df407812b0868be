/// Whom one server lets in, and as what; all its connections share it.
final class Doorkeeper: Sendable {
  private let configuration: WebSocketConfiguration
  private let admission: WebSocketAdmission

  init(_ configuration: WebSocketConfiguration, _ admission: WebSocketAdmission = .init()) {
    self.configuration = configuration
    self.admission = admission
  }

  /// One who tells everybody that there is no room.
  static func ofFullHouse(_ configuration: WebSocketConfiguration) -> Doorkeeper {
    var admission = WebSocketAdmission()
    admission.decide = { _ in .refuse(status: 503, body: "too many connections\n") }
    return Doorkeeper(configuration, admission)
  }

  func answer(_ asked: UpgradeRequest) throws(HandshakeRefusal) -> Acceptance {
    guard admission.origins.allow(asked.headers) else {
      throw Self.refusal(403, body: "the origin is not allowed\n")
    }
    let request = WebSocketRequest(path: asked.path, query: asked.query, headers: asked.headers)
    switch admission.decide(request) {
    case .accept(let subprotocol, let headers):
      return try accept(asked, request, subprotocol: subprotocol, headers)
    case .refuse(let status, let headers, let body):
      throw Self.refusal(status, headers, body: body)
    }
  }

  private func accept(
    _ asked: UpgradeRequest,
    _ request: WebSocketRequest,
    subprotocol: String?,
    _ headers: HTTPHeaders
  ) throws(HandshakeRefusal) -> Acceptance {
    let subprotocol =
      subprotocol ?? configuration.subprotocols.first { asked.subprotocols.contains($0) }
    let deflate = configuration.compression.flatMap { asked.deflate(for: $0) }
    do throws(HandshakeError) {
      let answer = try asked.accept(
        subprotocol: subprotocol,
        deflate: deflate,
        headers: HTTPHeaders(configuration.headers.fields + headers.fields)
      )
      return Acceptance(to: request, subprotocol, deflate, answer: answer)
    } catch {
      // A header that cannot be sent, or a subprotocol that was not offered: the program's mistake.
      throw Self.refusal(500, body: "\(error)\n")
    }
  }

  private static func refusal(
    _ status: Int,
    _ headers: HTTPHeaders = [:],
    body: String
  ) -> HandshakeRefusal {
    // What comes of these must not begin headers of its own, nor be a yes.
    guard (300..<600).contains(status), headers.fields.allSatisfy(\.isWellFormed) else {
      return refusal(500, body: "the refusal cannot be sent\n")
    }
    let reason = reasons[status] ?? "Refused"
    return HandshakeRefusal(status: status, reason: reason, headers: headers, body: body)
  }

  /// RFC 9110, section 15, and RFC 6585: the words of those that a server refuses with.
  private static let reasons = [
    301: "Moved Permanently", 302: "Found", 303: "See Other", 307: "Temporary Redirect",
    308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
    404: "Not Found", 429: "Too Many Requests", 500: "Internal Server Error",
    503: "Service Unavailable",
  ]
}
