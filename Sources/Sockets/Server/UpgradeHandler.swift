import Reactive

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Accepts or refuses requests, or asks the program; all connections of a server share it.
final class UpgradeHandler: Sendable {
  typealias Respond = @Sendable (HTTPRequest) async throws -> HTTPResponse

  private let configuration: WebSocketConfiguration
  private let admission: WebSocketAdmission
  private let respond: Respond?
  /// Counts and limits what addresses do; nil without limits.
  let limiter: AddressLimiter?
  /// The refusal of every request, if this handler only refuses.
  private let refusal: HandshakeRefusal?

  init(
    _ configuration: WebSocketConfiguration,
    _ admission: WebSocketAdmission = .init(),
    respond: Respond? = nil
  ) {
    self.configuration = configuration
    self.admission = admission
    self.respond = respond
    refusal = nil
    let limits = admission.addressLimits
    limiter = limits.isUnlimited ? nil : AddressLimiter(limits, admission.proxies)
  }

  private init(_ upgradeHandler: UpgradeHandler, refusing refusal: HandshakeRefusal) {
    (configuration, admission) = (upgradeHandler.configuration, upgradeHandler.admission)
    (respond, limiter, self.refusal) = (upgradeHandler.respond, upgradeHandler.limiter, refusal)
  }

  /// A handler that refuses every request because the server is full.
  var rejectingAtCapacity: UpgradeHandler {
    refusing(Self.refusal(503, body: "too many connections\n"))
  }

  /// A handler that refuses every request with `refusal`.
  func refusing(_ refusal: HandshakeRefusal) -> UpgradeHandler {
    UpgradeHandler(self, refusing: refusal)
  }

  /// The longest body of a plain request, in bytes; nil when plain requests are not answered.
  var bodyLimit: Int? { respond == nil ? nil : admission.bodyLimit }

  /// Updates the client's address from the headers, and counts the request.
  ///
  /// - Parameter isFirst: whether this is the connection's first request, which was counted when
  ///   the connection was accepted
  /// - Throws: The refusal of this handler, of an exceeded limit, or for a malformed proxy header.
  func identify(
    _ visitor: inout Visitor?,
    _ headers: HTTPHeaders,
    isFirst: Bool,
    at now: Duration
  ) throws(HandshakeRefusal) {
    if let refusal { throw refusal }
    guard var known = visitor, let peer = known.peer else { return }
    if let proxies = admission.proxies {
      guard let client = proxies.client(of: peer, headers) else {
        throw .badRequest("Forwarded is malformed")
      }
      known.client = client
    }
    let isCounted = isFirst && known == visitor
    visitor = known
    if !isCounted, let refusal = limiter?.note(known, at: now) { throw refusal }
  }

  /// Accepts or refuses a request for a WebSocket, or asks the program.
  func handle(
    _ asked: UpgradeRequest, _ visitor: Visitor?, _ certificate: TLSClientCertificate? = nil
  ) throws(HandshakeRefusal) -> ServerOpeningHandshake.Step {
    guard admission.origins.allow(asked.headers) else {
      throw Self.refusal(403, body: "the origin is not allowed\n")
    }
    let request = WebSocketRequest(
      path: asked.path, query: asked.query, headers: asked.headers, visitor: visitor,
      certificate: certificate)
    guard let decide = admission.decide else {
      return .accepted(try accept(asked, request, subprotocol: nil, [:]))
    }
    return .ask(ServerQuestion(isPlain: false) { await self.answer(asked, request, decide) })
  }

  /// Asks the program for the answer to a plain request.
  func handle(
    _ head: HTTPRequestHead, body: Data, _ visitor: Visitor?,
    _ certificate: TLSClientCertificate? = nil
  ) throws(HandshakeRefusal) -> ServerOpeningHandshake.Step {
    guard let respond else { throw .webSocketRequired }
    let request = HTTPRequest(head, body: body, visitor, certificate: certificate)
    return .ask(ServerQuestion(isPlain: true) { await self.answer(head, request, respond) })
  }

  // MARK: The program's answers

  private func answer(
    _ asked: UpgradeRequest,
    _ request: WebSocketRequest,
    _ decide: WebSocketAdmission.Decide
  ) async -> ServerAnswer {
    do {
      switch try await decide(request) {
      case .accept(let subprotocol, let headers, let context):
        let known = request.with(context)
        return .accept(try accept(asked, known, subprotocol: subprotocol, headers))
      case .refuse(let status, let headers, let body):
        return .refuse(Self.refusal(status, headers, body: body))
      }
    } catch let refusal as HandshakeRefusal {
      return .refuse(refusal)
    } catch {
      // A stranger must not see the text of the error.
      let refusal = Self.refusal(500, body: "the server failed\n")
      return .refuse(refusal, problem: "decide has thrown: \(error)")
    }
  }

  private func answer(
    _ head: HTTPRequestHead,
    _ request: HTTPRequest,
    _ respond: Respond
  ) async -> ServerAnswer {
    var response: HTTPResponse
    var problem: String?
    do {
      response = try await respond(request)
      if !response.isWellFormed {
        problem =
          "onRequest has returned what cannot be sent: \(response.status), \(response.headers)"
      }
    } catch {
      response = HTTPResponse()
      problem = "onRequest has thrown: \(error)"
    }
    if problem != nil { response = .text("the server failed\n", status: 500) }
    let keepsAlive = head.keepsAlive && !response.headers.lists("close", in: "Connection")
    return .respond(
      response.bytes(to: head, keepsAlive: keepsAlive, at: Date()),
      status: response.status,
      keepsAlive: keepsAlive,
      problem: problem
    )
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
      // The program's mistake: a header that cannot be sent, or a subprotocol not offered.
      throw Self.refusal(500, body: "\(error)\n")
    }
  }

  private static func refusal(
    _ status: Int,
    _ headers: HTTPHeaders = [:],
    body: String
  ) -> HandshakeRefusal {
    // The fields must not begin headers of their own, and the status must be a refusal.
    guard (300..<600).contains(status), headers.fields.allSatisfy(\.isWellFormed) else {
      return refusal(500, body: "the refusal cannot be sent\n")
    }
    let reason = HTTPStatus.reason(status)
    return HandshakeRefusal(
      status: status, reason: reason.isEmpty ? "Refused" : reason, headers: headers, body: body)
  }
}

/// The server's answer to a request, as the program decided.
enum ServerAnswer: Sendable {
  case accept(Acceptance)
  /// `problem` is the program's mistake, for the log.
  case refuse(HandshakeRefusal, problem: String? = nil)
  case respond([UInt8], status: Int, keepsAlive: Bool, problem: String? = nil)
}

/// A question to the program about one request.
///
/// Releasing it cancels the task that computes the answer.
final class ServerQuestion: Sendable {
  let answer: @Sendable () async -> ServerAnswer
  /// Whether it is about a plain request, and not about a WebSocket.
  let isPlain: Bool
  private let task = Locked<Task<Void, Never>?>(nil)

  /// - Parameter isPlain: whether `answer` runs on the task pool; otherwise it runs on the loop's
  ///   thread, without a change of threads, and must be quick
  init(isPlain: Bool, _ answer: @escaping @Sendable () async -> ServerAnswer) {
    self.isPlain = isPlain
    self.answer = answer
  }

  deinit { task.withLock { $0 }?.cancel() }

  /// Starts the task; call it once.
  func ask(on loop: EventLoop, _ answered: @escaping @Sendable (ServerAnswer) -> Void) {
    let answer = answer
    let executor = isPlain ? TestProcessExecutor.preference : loop
    let task = Task(executorPreference: executor) { answered(await answer()) }
    self.task.withLock { $0 = task }
  }
}
