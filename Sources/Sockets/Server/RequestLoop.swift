/// The opening handshake of a server's connection: reads requests and answers them.
///
///     reading --for a WebSocket--> asking --accept--> a WebSocket
///       |  ^  \--wrong, refused---------`--refuse--> closed
///       |  `--------------.
///       `--plain--> asking --respond--> closed, or the next request
///
/// While the program decides on a request, no more bytes are read.
struct RequestLoop {
  /// What the caller does next.
  enum Step {
    /// Waits for more bytes, or for the program's answer.
    case needsBytes
    /// Sends these bytes, and continues with the rest of the input.
    case send([UInt8])
    case accepted(Acceptance)
    /// Asks the program; `noteAnswered` follows the answer to a plain request.
    case ask(ServerQuestion)
  }

  private let requestHandler: RequestHandler
  /// The refusal of whatever this client requests; nil when the handler decides.
  private let refusal: HandshakeRefusal?
  private var reader: HTTPRequestReader
  private(set) var remoteClient: RemoteClient?
  /// The certificate that the client presented in the TLS handshake.
  var certificate: TLSClientCertificate?
  /// The question that the program has not answered yet.
  private(set) var question: ServerQuestion?
  /// The length of the body in the open question, in bytes.
  private var questionBytes = 0
  /// Whether a plain request was answered: the client may then close without another request.
  private var hasAnswered = false
  /// Whether the server is closing: the connection ends after the current answer.
  var isLast = false

  private let now: @Sendable () -> Duration

  init(
    _ requestHandler: RequestHandler,
    _ remoteClient: RemoteClient? = nil,
    refusal: HandshakeRefusal? = nil,
    now: @escaping @Sendable () -> Duration = { .zero }
  ) {
    self.requestHandler = requestHandler
    self.remoteClient = remoteClient
    self.refusal = refusal
    self.now = now
    reader = HTTPRequestReader(bodyLimit: requestHandler.bodyLimit)
  }

  /// Whether all requests are answered and no byte of another one has arrived.
  var isBetweenRequests: Bool { hasAnswered && question == nil && reader.isBetweenRequests }

  /// How many bytes of unanswered bodies are stored.
  var unfinishedBytes: Int { reader.unfinishedBytes + questionBytes }

  /// Method and path of the last request, for the log; nil before the first.
  var requestLine: String? { reader.requestLine }

  /// The bytes of the answer that reports this refusal.
  func response(to refusal: HandshakeRefusal) -> [UInt8] {
    refusal.response(withBody: !reader.asksForHead)
  }

  /// Takes bytes off the front of `input` until a step is due.
  mutating func receive(
    _ input: inout UnsafeRawBufferPointer
  ) throws(HandshakeRefusal) -> Step {
    guard question == nil else { return .needsBytes }
    guard let request = try reader.receive(&input) else {
      guard reader.isContinueExpected else { return .needsBytes }
      reader.noteContinued()
      return .send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
    if let refusal { throw refusal }
    let step: Step
    switch request {
    case .webSocket(let upgrade):
      try identify(upgrade.head)
      step = try requestHandler.handle(upgrade, remoteClient, certificate)
    case .plain(let head, let body):
      try identify(head)
      step = try requestHandler.handle(head, body: body, remoteClient, certificate)
      questionBytes = body.count
    }
    if case .ask(let question) = step { self.question = question }
    return step
  }

  private mutating func identify(_ head: HTTPRequestHead) throws(HandshakeRefusal) {
    let isFirst = !hasAnswered
    try requestHandler.identify(&remoteClient, head.headers, isFirst: isFirst, at: now())
  }

  /// Notes that the program has answered a plain request: the next request may follow.
  mutating func noteAnswered() {
    question = nil
    questionBytes = 0
    hasAnswered = true
  }
}
