#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What comes before a server's connection is a WebSocket: requests are read, decided upon and answered.
///
///     reading --for a WebSocket--> asking --accept--> a WebSocket
///       |  ^  \--wrong, refused---------`--refuse--> over
///       |  `--------------.
///       `--plain--> asking --respond--> over, or the next request
///
/// While the program is asked, nothing more is read.
struct ServerOpeningHandshake {
  /// What is to be done next.
  enum Step {
    /// More bytes are needed.
    case waits
    /// These bytes are to be sent; more may be in the input.
    case says([UInt8])
    case accepted(Acceptance)
    /// The program is to be asked; `answered` follows.
    case asks(ServerQuestion)
  }

  private let upgradeHandler: UpgradeHandler
  private var reader: HTTPRequestReader
  private(set) var visitor: Visitor?
  /// What the client has shown in the handshake of TLS.
  var certificate: TLSClientCertificate?
  /// What the program is asked now.
  private(set) var question: ServerQuestion?
  /// How long the body is that the program has.
  private var askedBytes = 0
  /// Whether a plain request was answered: then it is fine that nothing more comes.
  private var hasAnswered = false
  /// Whether the server closes: nothing follows the answer to the request that there is.
  var isLast = false

  private let now: @Sendable () -> Duration

  init(
    _ upgradeHandler: UpgradeHandler,
    _ visitor: Visitor? = nil,
    now: @escaping @Sendable () -> Duration = { .zero }
  ) {
    self.upgradeHandler = upgradeHandler
    self.visitor = visitor
    self.now = now
    reader = HTTPRequestReader(bodyLimit: upgradeHandler.bodyLimit)
  }

  /// Whether the client owes nothing: all that it asked was answered.
  var isBetweenRequests: Bool { hasAnswered && question == nil && reader.isBetweenRequests }

  /// How many bytes of bodies have come that are not answered.
  var unfinishedBytes: Int { reader.unfinishedBytes + askedBytes }

  /// Method and path of the request that was read last, for the log; nil before the first.
  var requestLine: String? { reader.requestLine }

  /// The bytes that this refusal is told with.
  func response(to refusal: HandshakeRefusal) -> [UInt8] {
    refusal.response(withBody: !reader.asksForHead)
  }

  /// Takes bytes off the front of `input`.
  mutating func receive(
    _ input: inout UnsafeRawBufferPointer
  ) throws(HandshakeRefusal) -> Step {
    guard question == nil else { return .waits }
    guard let request = try reader.receive(&input) else {
      guard reader.isContinueExpected else { return .waits }
      reader.noteContinued()
      return .says(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
    let step: Step
    switch request {
    case .webSocket(let asked):
      try upgradeHandler.identify(&visitor, asked.headers, isFirst: !hasAnswered, at: now())
      step = try upgradeHandler.handle(asked, visitor, certificate)
    case .plain(let head, let body):
      try upgradeHandler.identify(&visitor, head.headers, isFirst: !hasAnswered, at: now())
      step = try upgradeHandler.handle(head, body: body, visitor, certificate)
      askedBytes = body.count
    }
    if case .asks(let question) = step { self.question = question }
    return step
  }

  /// The program has answered a plain request, and the next one may come.
  mutating func noteAnswered() {
    question = nil
    askedBytes = 0
    hasAnswered = true
  }
}
