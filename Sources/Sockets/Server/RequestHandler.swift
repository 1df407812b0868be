#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Accepts or refuses requests, or asks the program; all connections of a server share it.
final class RequestHandler: Sendable {
  typealias Respond = @Sendable (HTTPRequest) async throws -> HTTPResponse

  private let configuration: WebSocketConfiguration
  private let admission: WebSocketAdmission
  private let respond: Respond?
  /// Counts and limits what addresses do; nil without limits.
  let limiter: AddressLimiter?

  init(
    _ configuration: WebSocketConfiguration,
    _ admission: WebSocketAdmission = .init(),
    respond: Respond? = nil
  ) {
    self.configuration = configuration
    self.admission = admission
    self.respond = respond
    let limits = admission.addressLimits
    limiter = limits.isUnlimited ? nil : AddressLimiter(limits, admission.proxies)
  }

  /// The longest body of a plain request, in bytes; nil when plain requests are not answered.
  var bodyLimit: Int? { respond == nil ? nil : admission.bodyLimit }

  /// Updates the client's address from the headers, and counts the request.
  ///
  /// - Parameter isFirst: whether this is the connection's first request, which was counted when
  ///   the connection was accepted
  /// - Throws: The refusal for an exceeded limit or for a malformed proxy header.
  func identify(
    _ remoteClient: inout RemoteClient?,
    _ headers: HTTPHeaders,
    isFirst: Bool,
    at now: Duration
  ) throws(HandshakeRefusal) {
    guard var updated = remoteClient, let peer = updated.peerAddress else { return }
    if let proxies = admission.proxies {
      guard let address = proxies.client(of: peer, headers) else {
        throw .badRequest("Forwarded is malformed")
      }
      updated.address = address
    }
    let isCounted = isFirst && updated == remoteClient
    remoteClient = updated
    if !isCounted, let refusal = limiter?.note(updated, at: now) { throw refusal }
  }

  /// Accepts or refuses a request for a WebSocket, or asks the program.
  func handle(
    _ upgrade: ServerHandshake, _ remoteClient: RemoteClient?,
    _ certificate: TLSClientCertificate? = nil
  ) throws(HandshakeRefusal) -> RequestLoop.Step {
    guard admission.origins.allow(upgrade.head.headers) else {
      throw HandshakeRefusal(status: 403, body: "the origin is not allowed\n")
    }
    let request = WebSocketRequest(
      upgrade.head.bytes, remoteClient: remoteClient, certificate: certificate)
    guard let decide = admission.decide else {
      return .accepted(try accept(upgrade, request, subprotocol: nil, [:]))
    }
    return .ask(ServerQuestion(isPlain: false) { await self.answer(upgrade, request, decide) })
  }

  /// Asks the program for the answer to a plain request.
  func handle(
    _ head: HTTPRequestHead, body: Data, _ remoteClient: RemoteClient?,
    _ certificate: TLSClientCertificate? = nil
  ) throws(HandshakeRefusal) -> RequestLoop.Step {
    guard let respond else { throw .webSocketRequired }
    let request = HTTPRequest(head, body: body, remoteClient, certificate: certificate)
    return .ask(ServerQuestion(isPlain: true) { await self.answer(head, request, respond) })
  }

  // MARK: The program's answers

  private func answer(
    _ upgrade: ServerHandshake,
    _ request: WebSocketRequest,
    _ decide: WebSocketAdmission.Decide
  ) async -> ServerAnswer {
    do {
      switch try await decide(request) {
      case .accept(let subprotocol, let headers, let context):
        let request = request.with(context)
        return .accept(try accept(upgrade, request, subprotocol: subprotocol, headers))
      case .refuse(let status, let headers, let body):
        // The fields must not begin headers of their own, and the status must be a refusal.
        guard (300..<600).contains(status), headers.fields.allSatisfy(\.isWellFormed) else {
          return .refuse(.init(status: 500, body: "the refusal cannot be sent\n"))
        }
        return .refuse(.init(status: status, headers: headers, body: body))
      }
    } catch let refusal as HandshakeRefusal {
      return .refuse(refusal)
    } catch {
      // The client must not see the text of the error.
      return .refuse(
        .init(status: 500, body: Self.internalError), problem: "decide threw: \(error)")
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
        problem = "onRequest returned an invalid answer: \(response.status), \(response.headers)"
      }
    } catch {
      response = HTTPResponse()
      problem = "onRequest threw: \(error)"
    }
    if problem != nil { response = .text(Self.internalError, status: 500) }
    let keepsAlive = head.keepsAlive && !response.headers.lists("close", in: "Connection")
    return .respond(
      response.bytes(
        to: head, keepsAlive: keepsAlive,
        at: HostSystem.current?.date ?? Date()),
      status: response.status,
      keepsAlive: keepsAlive,
      problem: problem
    )
  }

  private func accept(
    _ upgrade: ServerHandshake,
    _ request: WebSocketRequest,
    subprotocol: String?,
    _ headers: HTTPHeaders
  ) throws(HandshakeRefusal) -> Acceptance {
    let subprotocol =
      subprotocol ?? configuration.subprotocols.first { upgrade.subprotocols.contains($0) }
    let deflate = configuration.compression.flatMap { upgrade.deflate(for: $0) }
    do throws(HandshakeError) {
      let response = try upgrade.accept(
        subprotocol: subprotocol,
        deflate: deflate,
        headers: configuration.headers.adding(headers)
      )
      let agreement = Agreement(
        subprotocol: subprotocol, extensions: deflate?.header ?? "", request: request)
      return Acceptance(agreement: agreement, deflate: deflate?.deflate, response: response)
    } catch {
      // The program's mistake: a header that cannot be sent, or a subprotocol not offered.
      throw HandshakeRefusal(status: 500, body: "\(error)\n")
    }
  }

  private static let internalError = "internal server error\n"
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
