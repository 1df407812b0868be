#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Serves the page and the protocol below a secret path.
final class InspectorServer: Sendable {
  let url: String

  private let server: WebSocketServer
  private let sessions = Locked<[ObjectIdentifier: Task<Void, Never>]>([:])
  private let disposeBag = DisposeBag()

  init(
    _ program: InspectedProgram, _ configuration: InspectorConfiguration
  ) throws(TransportError) {
    let secret = Secret()
    var socketConfiguration = WebSocketConfiguration()
    socketConfiguration.messageLimit = 1 << 20
    socketConfiguration.isTapped = false
    var admission = WebSocketAdmission()
    admission.connectionLimit = 100
    admission.decide = { request in
      guard secret.name(in: request.path) == "socket" else {
        return .refuse(status: 404, body: "There is no such page.\n")
      }
      return Self.isOwnOrigin(request.headers)
        ? .accept() : .refuse(status: 403, body: "The origin is not that of the page.\n")
    }
    server = try WebSocketServer(
      host: configuration.host, port: configuration.port, configuration: socketConfiguration,
      admission: admission,
      onRequest: { request in Self.response(to: request, secret) })
    url = server.url.replacing("ws://", with: "http://") + secret.text + "/"
    server.connections
      .subscribe(onNext: { [weak self] socket in
        self?.serve(socket, program, configuration.scheduler)
      })
      .disposed(by: disposeBag)
  }

  private func serve(
    _ socket: WebSocket, _ program: InspectedProgram, _ scheduler: any SchedulerType
  ) {
    let session = InspectorSession(socket, program)
    let identifier = ObjectIdentifier(socket)
    let task = Task(priority: .utility) { [weak self] in
      await session.run(scheduler)
      self?.sessions.withLock { _ = $0.removeValue(forKey: identifier) }
    }
    sessions.withLock { $0[identifier] = task }
  }

  /// Closes the connections.
  func stop() {
    server.close()
    for task in sessions.withLock({ $0.values }) { task.cancel() }
  }

  private static func response(to request: HTTPRequest, _ secret: Secret) -> HTTPResponse {
    guard let name = secret.name(in: request.path) else {
      return .text("There is no such page.\n", status: 404)
    }
    guard request.method == "GET" || request.method == "HEAD" else {
      var response = HTTPResponse.text("Only GET and HEAD are supported.\n", status: 405)
      response.headers.add("Allow", "GET, HEAD")
      return response
    }
    return PageFiles.response(for: name) ?? .text("There is no such page.\n", status: 404)
  }

  /// Whether a request comes from the page, or from a program that is no browser.
  ///
  /// A browser sends the origin of the page that connects (RFC 6455, section 10.2).
  private static func isOwnOrigin(_ headers: HTTPHeaders) -> Bool {
    let origins = headers.values(of: "Origin")
    guard let origin = origins.first else { return true }
    guard origins.count == 1, let host = headers["Host"] else { return false }
    return origin.lowercased() == "http://" + host.lowercased()
  }
}
