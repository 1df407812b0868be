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

  private init(_ status: Int, _ contentType: String, _ body: Data) {
    self.init(status: status, headers: ["Content-Type": contentType], body: body)
  }

  /// Makes an answer of plain text in UTF-8.
  public static func text(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status, "text/plain; charset=utf-8", Data(text.utf8))
  }

  /// Makes an answer of HTML in UTF-8.
  public static func html(_ page: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status, "text/html; charset=utf-8", Data(page.utf8))
  }

  /// Makes an answer of a value encoded as JSON.
  ///
  /// - Throws: The error of the encoder.
  public static func json(
    _ value: some Encodable,
    encoder: JSONEncoder = JSONEncoder(),
    status: Int = 200
  ) throws -> HTTPResponse {
    HTTPResponse(status, "application/json", try encoder.encodeRepeatably(value))
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
    let reason = HTTPStatus.reasons[status] ?? ""
    var bytes = HTTPHead.bytes("HTTP/1.1 \(status) \(reason)", all)
    guard !isBodiless, request.method != "HEAD" else { return bytes }
    bytes.reserveCapacity(PayloadMemory.capacity(for: bytes.count + body.count))
    bytes.append(contentsOf: body)
    return bytes
  }
}
