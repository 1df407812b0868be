/// The handshake, and the plain requests that a server answers before it.
extension Session {
  /// Whether the program is being asked about a request; nothing more is read until it answers.
  var isAwaitingAnswer: Bool {
    if case .opening(.server(let opening)) = phase { opening.question != nil } else { false }
  }

  /// Whether this is a server's connection whose client has not asked for a WebSocket yet.
  var isOpeningServer: Bool { if case .opening(.server) = phase { true } else { false } }

  /// Whether this is a server's connection that has not become a WebSocket.
  var isBeforeUpgrade: Bool {
    if case .made = handshake { return false }
    return isServer
  }

  /// Whether an answer to a plain request is still being written.
  var isWritingAnswer: Bool {
    guard unwrittenCount > 0 else { return false }
    return switch phase {
    case .opening(.server(let opening)): opening.isBetweenRequests
    case .over(_, .gracefulOnceSent): true
    default: false
    }
  }

  /// The client at the other end of a server's connection.
  var remoteClient: RemoteClient? {
    switch (phase, handshake) {
    case (.opening(.server(let opening)), _): opening.remoteClient
    case (_, .made(let agreement)): agreement.request?.remoteClient
    case (_, .failed(let remoteClient)): remoteClient
    case (_, .none): nil
    }
  }

  /// Stores the certificate that a server's client presented in the TLS handshake.
  mutating func note(_ certificate: TLSClientCertificate) {
    guard case .opening(var opening) = phase else { return }
    opening.withServer { $0.certificate = certificate }
    phase = .opening(opening)
  }

  /// Takes bytes of the handshake off the front of `input`.
  mutating func receiveHandshake(_ input: inout UnsafeRawBufferPointer) {
    guard case .opening(var opening) = phase else { return }
    // With a second reference in `phase`, the change would copy the handshake.
    phase = .idle
    do throws(HandshakeError) {
      let step = try opening.receive(&input)
      phase = .opening(opening)
      switch step {
      case .needsBytes: break
      case .send(let bytes): put(bytes)
      case .accepted(let acceptance): accept(acceptance)
      case .ask(let question): pendingEvents.append(.asked(question))
      case .refuse(let refusal): refuse(refusal)
      }
    } catch {
      phase = .opening(opening)
      fail(error, of: opening)
    }
  }

  /// Applies the program's answer to a request.
  ///
  /// - Returns: the answer to a plain request; nil for any other, or when the connection has ended.
  mutating func answer(_ answer: ServerAnswer) -> PlainAnswer? {
    guard case .opening(var opening) = phase, isAwaitingAnswer else { return nil }
    if let problem = answer.problem { pendingEvents.append(.log(.error, problem)) }
    let line = opening.server?.requestLine ?? ""
    switch answer {
    case .accept(let acceptance): accept(acceptance)
    case .refuse(let refusal, _): refuse(refusal)
    case .respond(let bytes, let status, let keepsAlive, _):
      put(bytes)
      pendingEvents.append(.log(.debug, "\(status): \(line.inLog)"))
      guard keepsAlive, opening.server?.isLast == false else {
        conclude(CloseOutcome(), .gracefulOnceSent)
        return PlainAnswer(status: status, isLast: true)
      }
      opening.withServer { $0.noteAnswered() }
      phase = .opening(opening)
      return PlainAnswer(status: status, isLast: false)
    }
    return nil
  }

  /// The status of an answer to a plain request.
  struct PlainAnswer {
    let status: Int
    /// Whether the connection ends with this answer; otherwise the next request has its own time.
    let isLast: Bool
  }

  /// Ends the request of a server's client.
  ///
  /// A plain request is still answered, and is the last one. A request for a WebSocket is refused.
  ///
  /// - Returns: whether there is a request.
  mutating func closeAfterAnswer() -> Bool {
    if isWritingAnswer {
      if case .opening = phase { conclude(CloseOutcome(), .gracefulOnceSent) }
      return true
    }
    guard case .opening(var opening) = phase, let question = opening.server?.question else {
      return false
    }
    if question.isPlain {
      opening.withServer { $0.isLast = true }
      phase = .opening(opening)
    } else {
      refuse(.shuttingDown)
    }
    return true
  }

  /// Refuses the request of a server's client.
  mutating func refuse(_ refusal: HandshakeRefusal) {
    guard case .opening(.server(let handshake)) = phase else { return }
    put(handshake.response(to: refusal))
    pendingEvents.append(.log(.notice, handshake.logLine(of: refusal)))
    conclude(CloseOutcome(error: .handshake(refusal.error)), .graceful)
  }

  private mutating func accept(_ acceptance: Acceptance) {
    if let deflate = acceptance.deflate { connection.use(deflate) }
    phase = .open
    // The request is written, so its memory can be freed.
    connection.releaseIdleMemory()
    put(acceptance.answer)
    let agreement = acceptance.agreement
    if agreement.isWorthKeeping { handshake = .made(agreement) }
    advance(to: .connected)
    pendingEvents.append(.connected)
  }

  /// Ends a client's failed handshake, or follows the redirect that it came with.
  private mutating func fail(_ error: HandshakeError, of opening: OpeningHandshake) {
    do throws(WebSocketError) {
      if let route = try opening.route(after: error) {
        phase = .redirected(route)
      } else {
        conclude(CloseOutcome(error: .handshake(error)), .abort)
      }
    } catch {
      conclude(CloseOutcome(error: error), .abort)
    }
  }
}

extension ServerHandshake {
  /// The log line for a refused request.
  func logLine(of refusal: HandshakeRefusal) -> String {
    let text = refusal.body.prefix { !$0.isNewline }
    let parts = [
      "refused with \(refusal.status) \(refusal.reason)", requestLine,
      text.isEmpty ? nil : String(text),
    ]
    return parts.compactMap { $0?.inLog }.joined(separator: ": ")
  }
}

extension ServerAnswer {
  /// The mistake in the program's answer, for the log; nil when there is none.
  fileprivate var problem: String? {
    switch self {
    case .accept: nil
    case .refuse(_, let problem), .respond(_, _, _, let problem): problem
    }
  }
}

extension String {
  /// The text, which a client sent, as part of a log line: at most 200 printable ASCII characters.
  fileprivate var inLog: String {
    let shown = unicodeScalars.prefix(200).map { $0.escaped(asASCII: true) }.joined()
    return unicodeScalars.count > 200 ? shown + "..." : shown
  }
}
