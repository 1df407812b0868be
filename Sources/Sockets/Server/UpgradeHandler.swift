import Reactive

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Whom one server lets in, and as what, and what it answers to others; all its connections share it.
final class UpgradeHandler: Sendable {
  typealias Respond = @Sendable (HTTPRequest) async throws -> HTTPResponse

  private let configuration: WebSocketConfiguration
  private let admission: WebSocketAdmission
  private let respond: Respond?
  /// What the addresses of the clients do; nil where nothing is limited.
  let limiter: AddressLimiter?
  /// What everybody is refused with, if anything.
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

  /// One who tells everybody that there is no room.
  var rejectingAtCapacity: UpgradeHandler {
    refusing(Self.refusal(503, body: "too many connections\n"))
  }

  /// One who refuses everybody.
  func refusing(_ refusal: HandshakeRefusal) -> UpgradeHandler {
    UpgradeHandler(self, refusing: refusal)
  }

  /// How long the body of a plain request may be; nil when those are not answered.
  var bodyLimit: Int? { respond == nil ? nil : admission.bodyLimit }

  /// What is known of who asks, once the headers are read.
  ///
  /// - Parameter isFirst: Whether it is the first request of the connection, which was counted when it came.
  /// - Throws: The refusal of one who asks too often, or by a proxy that does not say who it is.
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

  /// Accepts a request for a WebSocket, refuses it, or leaves it to the program.
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
    return .asks(ServerQuestion(isPlain: false) { await self.answer(asked, request, decide) })
  }

  /// Leaves a plain request to the program.
  func handle(
    _ head: HTTPRequestHead, body: Data, _ visitor: Visitor?,
    _ certificate: TLSClientCertificate? = nil
  ) throws(HandshakeRefusal) -> ServerOpeningHandshake.Step {
    guard let respond else { throw .webSocketRequired }
    let request = HTTPRequest(head, body: body, visitor, certificate: certificate)
    return .asks(ServerQuestion(isPlain: true) { await self.answer(head, request, respond) })
  }

  // MARK: What the program says

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
      // What an error says is not for strangers.
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
      // A header that cannot be sent, or a subprotocol that was not offered: the program's mistake.
      throw Self.refusal(500, body: "\(error)\n")
    }
  }

  private static func refusal(
    _ status: Int,
    _ headers: HTTPHeaders = [:],
    body: String
  ) -> HandshakeRefusal {
    // What comes of these must not begin headers of its own, nor be a yes.
    guard (300..<600).contains(status), headers.fields.allSatisfy(\.isWellFormed) else {
      return refusal(500, body: "the refusal cannot be sent\n")
    }
    let reason = HTTPStatus.reason(status)
    return HandshakeRefusal(
      status: status, reason: reason.isEmpty ? "Refused" : reason, headers: headers, body: body)
  }
}

/// What a server says to a request, on the program's word.
enum ServerAnswer: Sendable {
  case accept(Acceptance)
  /// `problem`: the program's mistake, for the log.
  case refuse(HandshakeRefusal, problem: String? = nil)
  case respond([UInt8], status: Int, keepsAlive: Bool, problem: String? = nil)
}

/// What the program is asked about one request; released, it asks no longer: the task is cancelled.
final class ServerQuestion: Sendable {
  let answer: @Sendable () async -> ServerAnswer
  /// Whether it is about a plain request, and not about a WebSocket.
  let isPlain: Bool
  private let task = Locked<Task<Void, Never>?>(nil)

  /// - Parameter isPlain: Whether `answer` runs on the task pool. Otherwise it is light, and runs on the loop's thread
  ///   without a hop.
  init(isPlain: Bool, _ answer: @escaping @Sendable () async -> ServerAnswer) {
    self.isPlain = isPlain
    self.answer = answer
  }

  deinit { task.withLock { $0 }?.cancel() }

  /// Asks, once.
  func ask(on loop: EventLoop, _ answered: @escaping @Sendable (ServerAnswer) -> Void) {
    let answer = answer
    let executor = isPlain ? TestProcessExecutor.preference : loop
    let task = Task(executorPreference: executor) { answered(await answer()) }
    self.task.withLock { $0 = task }
  }
}
