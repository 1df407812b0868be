#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the requests of a connection, one after the other.
struct HTTPRequestReader {
  /// What a client asked.
  enum Request {
    /// To be answered with 101; what follows are frames.
    case webSocket(UpgradeRequest)
    case plain(HTTPRequestHead, body: Data)
  }

  // Changed where they are: who sends byte by byte has nothing copied again and again.
  private var headReader = HTTPHeadReader(skipsEmptyLines: true)
  /// The head of the request whose body is coming.
  private(set) var head: HTTPRequestHead?
  private var body: HTTPBody?

  /// How long a body may be; nil where nobody answers requests that are not for a WebSocket.
  private let bodyLimit: Int?
  /// Whether the client waits for a word before it sends the body (RFC 9110, section 10.1.1).
  private(set) var isContinueExpected = false

  /// Method and path of the request that was read last; nil before the first.
  private(set) var requestLine: String?

  init(bodyLimit: Int?) { self.bodyLimit = bodyLimit }

  /// Whether nothing of a request has come.
  var isBetweenRequests: Bool { head == nil && headReader.isEmpty }

  /// Whether an answer has no body, whatever it says (RFC 9110, section 9.3.2).
  var asksForHead: Bool {
    headReader.isEmpty
      ? requestLine?.hasPrefix("HEAD ") == true : headReader.begins(with: "HEAD ")
  }

  /// How many bytes of a body have come whose end has not.
  var unfinishedBytes: Int { body?.data.count ?? 0 }

  /// The client was told to go on.
  mutating func noteContinued() { isContinueExpected = false }

  /// Takes a request off the front of `input`; nil when all was taken, or the client is to be told to go on.
  mutating func receive(
    _ input: inout UnsafeRawBufferPointer
  ) throws(HandshakeRefusal) -> Request? {
    if head == nil {
      let bytes: HTTPHead?
      do throws(HandshakeError) {
        bytes = try headReader.receive(&input)
      } catch {
        throw Self.refusal(of: error)
      }
      guard let bytes else { return nil }
      let head = try HTTPRequestHead(bytes)
      headReader = HTTPHeadReader(skipsEmptyLines: true)
      requestLine = "\(head.method) \(head.path)"
      if let request = try begin(head) { return request }
    }
    guard !isContinueExpected else { return nil }
    try body?.receive(&input)
    guard let head, let body, body.isComplete else { return nil }
    (self.head, self.body) = (nil, nil)
    return .plain(head, body: body.data)
  }

  /// What a client that sends no head is told.
  private static func refusal(of error: HandshakeError) -> HandshakeRefusal {
    switch error {
    case .notHTTP: .badRequest("the client does not speak HTTP")
    case .headTooLong, .tooManyFields:
      // RFC 6585, section 5.
      HandshakeRefusal(
        status: 431, reason: "Request Header Fields Too Large", body: "\(error)\n")
    default: .badRequest("\(error)")
    }
  }

  /// What the head asks for; nil while the body is to come.
  private mutating func begin(_ head: HTTPRequestHead) throws(HandshakeRefusal) -> Request? {
    if head.asksForWebSocket { return .webSocket(try UpgradeRequest(head)) }
    guard let bodyLimit else {
      // RFC 6455, 4.2.1: who knows WebSockets, but asks in a wrong way, is told so.
      if head.headers["Sec-WebSocket-Key"] != nil || head.headers["Upgrade"] != nil {
        throw .badRequest("the request does not ask for a WebSocket as RFC 6455 wants it")
      }
      throw .webSocketRequired
    }
    let body = try HTTPBody(of: head, limit: bodyLimit)
    if let expectation = head.headers["Expect"], head.minorVersion == 1 {
      guard expectation.equalsIgnoringCase("100-continue") else {
        throw HandshakeRefusal(status: 417, reason: "Expectation Failed")
      }
      isContinueExpected = !body.isComplete
    }
    (self.head, self.body) = (head, body)
    return nil
  }
}
