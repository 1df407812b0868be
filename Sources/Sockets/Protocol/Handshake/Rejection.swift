/// A server's rejection, with its body as far as it is kept.
struct Rejection {
  /// The most bytes of a body that are kept.
  private static let bodyLimit = 64 * 1024

  private let status: Int
  private let reason: String
  private let headers: HTTPHeaders
  private var body: HTTPBody
  /// Whether the rest of the body is unreadable.
  private var isMalformed = false

  init(status: Int, reason: String, headers: HTTPHeaders) {
    self.status = status
    self.reason = reason
    self.headers = headers
    body = HTTPBody(ofAnswer: status, headers)
  }

  /// Whether the kept part of the body has arrived.
  var isComplete: Bool { isMalformed || body.hasAllData || body.data.count >= Self.bodyLimit }

  mutating func receive(_ input: inout UnsafeRawBufferPointer) {
    if isMalformed { return }
    do throws(HandshakeRefusal) {
      try body.receive(&input)
    } catch {
      // The rejection counts, and a part of its body is better than none.
      isMalformed = true
    }
  }

  var error: HandshakeError {
    .rejected(
      status: status, reason: reason, headers: headers, body: body.data.prefix(Self.bodyLimit))
  }
}
