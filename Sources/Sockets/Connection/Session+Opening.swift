/// The handshake, and the plain requests that a server answers before it.
extension Session {
  /// Whether the program is being asked about a request; nothing more is read until it answers.
  var isAwaitingAnswer: Bool {
    if case .opening(.server(let opening)) = phase { opening.question != nil } else { false }
  }

  /// Whether this is a server's connection whose client has not asked for a WebSocket yet.
  // Without the payload, which would be copied.
  var isOpeningServer: Bool { if case .opening = phase { isServer } else { false } }

  /// Whether this is a server's connection that has not become a WebSocket.
  var isBeforeUpgrade: Bool {
    switch handshakeResult {
    case .plain, .accepted: false
    case .none, .failed: isServer
    }
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
    switch (phase, handshakeResult) {
    case (.opening(.server(let opening)), _): opening.remoteClient
    case (_, .plain(let request)): request.remoteClient
    case (_, .accepted(let agreement)): agreement.request?.remoteClient
    case (_, .failed(let remoteClient)): remoteClient
    case (_, .none): nil
    }
  }

  /// The server's refusal of a client whose body has not arrived completely.
  var incompleteRefusal: WebSocketError? {
    guard case .opening(.client(let handshake, _)) = phase else { return nil }
    return handshake.refusal.map { .handshake($0) }
  }

  /// Stores the certificate that a server's client presented in the TLS handshake.
  mutating func store(_ certificate: TLSClientCertificate) {
    guard case .opening(.server(var opening)) = phase else { return }
    opening.certificate = certificate
    phase = .opening(.server(opening))
  }

  /// Takes bytes of the handshake off the front of `input`.
  mutating func receiveHandshake(_ input: inout UnsafeRawBufferPointer) {
    guard case .opening(let opening) = phase else { return }
    // With a second reference in `phase`, each change would copy the handshake.
    phase = .idle
    switch consume opening {
    case .client(let handshake, let dialer): receive(&input, handshake, dialer)
    case .server(let opening): receive(&input, opening)
    }
  }

  private mutating func receive(
    _ input: inout UnsafeRawBufferPointer, _ handshake: consuming ClientHandshake, _ dialer: Dialer?
  ) {
    do throws(HandshakeError) {
      let answer = try handshake.receive(&input)
      // The rest of a redirect's response is not needed.
      if let refusal = handshake.refusal, dialer?.follows(refusal) == true { throw refusal }
      if let answer {
        let extensions = answer.headers["Sec-WebSocket-Extensions"] ?? ""
        let agreement = Agreement(subprotocol: answer.subprotocol, extensions: extensions)
        return accept(Acceptance(agreement: agreement, deflate: answer.deflate))
      }
      phase = .opening(.client(handshake, dialer))
    } catch {
      do throws(WebSocketError) {
        if let target = try dialer?.redirected(by: error) {
          phase = .redirected(target)
        } else {
          end(CloseOutcome(error: .handshake(error)), .abort)
        }
      } catch {
        end(CloseOutcome(error: error), .abort)
      }
    }
  }

  private mutating func receive(
    _ input: inout UnsafeRawBufferPointer, _ opening: consuming RequestLoop
  ) {
    do throws(HandshakeRefusal) {
      let step = try opening.receive(&input)
      phase = .opening(.server(opening))
      switch step {
      case .needsBytes: break
      case .send(let bytes): codec.output.append(bytes)
      case .accepted(let acceptance): accept(acceptance)
      case .ask(let question): pendingEvents.append(.asked(question))
      }
    } catch {
      phase = .opening(.server(opening))
      refuse(error)
    }
  }

  /// Applies the program's answer to a request.
  ///
  /// - Returns: the answer to a plain request; nil for any other, or when the connection has ended.
  mutating func answer(_ answer: ServerAnswer) -> PlainAnswer? {
    guard case .opening(.server(var opening)) = phase, isAwaitingAnswer else { return nil }
    if let problem = answer.problem { pendingEvents.append(.log(.error, problem)) }
    switch answer {
    case .accept(let acceptance): accept(acceptance)
    case .refuse(let refusal, _): refuse(refusal)
    case .respond(let bytes, let status, let keepsAlive, _):
      codec.output.append(bytes)
      pendingEvents.append(.log(.debug, "\(status): \((opening.requestLine ?? "").inLog)"))
      guard keepsAlive, !opening.isLast else {
        end(CloseOutcome(), .gracefulOnceSent)
        return PlainAnswer(status: status, isLast: true)
      }
      opening.noteAnswered()
      phase = .opening(.server(opening))
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
      if case .opening = phase { end(CloseOutcome(), .gracefulOnceSent) }
      return true
    }
    guard case .opening(.server(var opening)) = phase, let question = opening.question else {
      return false
    }
    if question.isPlain {
      opening.isLast = true
      phase = .opening(.server(opening))
    } else {
      refuse(.shuttingDown)
    }
    return true
  }

  /// Refuses the request of a server's client.
  mutating func refuse(_ refusal: HandshakeRefusal) {
    guard case .opening(.server(let opening)) = phase else { return }
    codec.output.append(opening.response(to: refusal))
    pendingEvents.append(.log(.notice, refusal.logLine(opening.requestLine)))
    end(CloseOutcome(error: .handshake(refusal.error)), .graceful)
  }

  mutating func accept(_ acceptance: Acceptance) {
    if let deflate = acceptance.deflate { codec.use(deflate) }
    phase = .open
    // The request is written, so its memory can be freed.
    codec.releaseIdleMemory()
    codec.output.append(acceptance.response)
    let agreement = acceptance.agreement
    handshakeResult = HandshakeResult(of: agreement)
    advance(to: .connected)
    pendingEvents.append(.connected)
  }
}

extension HandshakeRefusal {
  /// The log line for a refused request.
  fileprivate func logLine(_ requestLine: String?) -> String {
    let text = body.prefix { !$0.isNewline }
    let parts = [
      "refused with \(status) \(reason)", requestLine, text.isEmpty ? nil : String(text),
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
