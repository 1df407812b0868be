#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A server's answer to a plain request.
public struct HTTPResponse: Hashable, Sendable {
  /// The status code, 200 to 599.
  public var status: Int
  /// The headers, which are sent as they are, except those that the server sets itself.
  ///
  /// These are `Content-Length`, `Transfer-Encoding` and `Connection`. `Connection: close` here
  /// closes the connection after the answer. The server adds `Date` unless it is set.
  public var headers: HTTPHeaders
  /// The body; the answer to `HEAD` has only its length.
  public var body: Data

  /// Makes an answer of a status, headers and a body.
  public init(status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data()) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  /// Makes an answer of plain text in UTF-8.
  public static func text(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status,
      headers: ["Content-Type": "text/plain; charset=utf-8"],
      body: Data(text.utf8)
    )
  }

  /// Makes an answer of HTML in UTF-8.
  public static func html(_ page: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status,
      headers: ["Content-Type": "text/html; charset=utf-8"],
      body: Data(page.utf8)
    )
  }

  /// Makes an answer of a value encoded as JSON.
  ///
  /// - Throws: The error of the encoder.
  public static func json(
    _ value: some Encodable,
    encoder: JSONEncoder = JSONEncoder(),
    status: Int = 200
  ) throws -> HTTPResponse {
    HTTPResponse(
      status: status,
      headers: ["Content-Type": "application/json"],
      body: try encoder.encode(value)
    )
  }
}

extension HTTPResponse {
  /// Whether the status and the headers can be sent.
  var isWellFormed: Bool {
    (200..<600).contains(status) && headers.fields.allSatisfy(\.isWellFormed)
  }

  /// The headers about how the answer is sent, which only the server sets.
  private static let framing = ["Content-Length", "Transfer-Encoding", "Connection"]

  /// The bytes of the answer (RFC 9112, section 4).
  ///
  /// - Parameter keepsAlive: whether another request may follow
  func bytes(to request: HTTPRequestHead, keepsAlive: Bool, at date: Date) -> [UInt8] {
    let own = headers.fields.filter { field in
      !Self.framing.contains { field.name.equalsIgnoringCase($0) }
    }
    var all = HTTPHeaders(own)
    if all["Date"] == nil { all.add("Date", date.httpDate) }
    // RFC 9110, section 8.6: these answers have neither a body nor a length.
    let isBodiless = status == 204 || status == 304
    if !isBodiless { all.add("Content-Length", String(body.count)) }
    if !keepsAlive {
      all.add("Connection", "close")
    } else if request.minorVersion == 0 {
      all.add("Connection", "keep-alive")
    }
    let head = HTTPHead(startLine: "HTTP/1.1 \(status) \(HTTPStatus.reason(status))", headers: all)
    var bytes = head.bytes
    guard !isBodiless, request.method != "HEAD" else { return bytes }
    bytes.reserveCapacity(PayloadMemory.capacity(for: bytes.count + body.count))
    bytes.append(contentsOf: body)
    return bytes
  }
}

/// The reason phrases of statuses (RFC 9110, section 15; RFC 6585).
enum HTTPStatus {
  static func reason(_ status: Int) -> String { reasons[status] ?? "" }

  private static let reasons = [
    200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
    301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
    307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict",
    410: "Gone", 412: "Precondition Failed", 413: "Content Too Large",
    415: "Unsupported Media Type",
    422: "Unprocessable Content", 426: "Upgrade Required", 429: "Too Many Requests",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout",
  ]
}
