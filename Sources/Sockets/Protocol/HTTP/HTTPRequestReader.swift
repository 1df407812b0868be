#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the requests of one connection in order.
struct HTTPRequestReader {
  /// A complete request.
  enum Request {
    /// A request for a WebSocket: after the answer 101, frames follow.
    case webSocket(ServerHandshake)
    case plain(HTTPRequestHead, body: Data)
  }

  // Changed in place: a client that sends byte by byte causes no repeated copies.
  private var headReader = HTTPHeadReader(skipsEmptyLines: true)
  /// The request whose body is incomplete.
  private var unfinished: (head: HTTPRequestHead, body: HTTPBody)?

  /// The longest body, in bytes; nil when the server answers no plain requests.
  private let bodyLimit: Int?
  /// Whether the client waits for 100 (Continue) before it sends the body (RFC 9110, 10.1.1).
  private(set) var isContinueExpected = false

  /// The head of the last request; nil before the first.
  private var lastHead: HTTPRequestHead?

  init(bodyLimit: Int?) { self.bodyLimit = bodyLimit }

  /// Whether no byte of a request has arrived since the last complete one.
  var isBetweenRequests: Bool { unfinished == nil && headReader.isEmpty }

  /// Method and path of the last request, for the log; nil before the first.
  var requestLine: String? { lastHead.map { "\($0.method) \($0.path)" } }

  /// Whether the answer carries no body, whatever its headers claim (RFC 9110, section 9.3.2).
  var asksForHead: Bool {
    headReader.isEmpty
      ? lastHead?.methodBytes.elementsEqual("HEAD".utf8) == true
      : headReader.begins(with: "HEAD ")
  }

  /// How many bytes of an incomplete body are stored.
  var unfinishedBytes: Int { unfinished?.body.data.count ?? 0 }

  /// Notes that 100 (Continue) is sent: the body may follow.
  mutating func noteContinued() { isContinueExpected = false }

  /// Takes a request off the front of `input`.
  ///
  /// Returns nil when all bytes are used, or when the client waits for 100 (Continue).
  mutating func receive(
    _ input: inout UnsafeRawBufferPointer
  ) throws(HandshakeRefusal) -> Request? {
    if unfinished == nil {
      let bytes: HTTPHead?
      do throws(HandshakeError) {
        bytes = try headReader.receive(&input)
      } catch {
        throw Self.refusal(of: error)
      }
      guard let bytes else { return nil }
      let head = try HTTPRequestHead(bytes)
      headReader = HTTPHeadReader(skipsEmptyLines: true)
      lastHead = head
      if let request = try begin(head) { return request }
    }
    guard !isContinueExpected else { return nil }
    try unfinished?.body.receive(&input)
    guard let (head, body) = unfinished, body.isComplete else { return nil }
    unfinished = nil
    return .plain(head, body: body.data)
  }

  /// The refusal for a client whose bytes are no valid head.
  private static func refusal(of error: HandshakeError) -> HandshakeRefusal {
    switch error {
    case .notHTTP: .badRequest("the client does not speak HTTP")
    case .headTooLong, .tooManyFields:
      // RFC 6585, section 5.
      HandshakeRefusal(status: 431, body: "\(error)\n")
    default: .badRequest("\(error)")
    }
  }

  /// Begins the request of a head; returns nil when its body is still incomplete.
  private mutating func begin(_ head: HTTPRequestHead) throws(HandshakeRefusal) -> Request? {
    if head.asksForWebSocket { return .webSocket(try ServerHandshake(head)) }
    guard let bodyLimit else {
      // RFC 6455, 4.2.1: a request that attempts the opening handshake incorrectly gets 400.
      if head.headers.has("Sec-WebSocket-Key") || head.headers.has("Upgrade") {
        throw .badRequest("the request does not ask for a WebSocket as RFC 6455 wants it")
      }
      throw .webSocketRequired
    }
    let body = try HTTPBody(of: head, limit: bodyLimit)
    if let expectation = head.headers["Expect"], head.minorVersion == 1 {
      guard expectation.equalsIgnoringCase("100-continue") else {
        throw HandshakeRefusal(status: 417)
      }
      isContinueExpected = !body.isComplete
    }
    unfinished = (head, body)
    return nil
  }
}
