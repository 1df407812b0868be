#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Serves the page and the protocol below a secret path.
final class InspectorServer: Sendable {
  let url: String

  private let server: WebSocketServer
  private let disposeBag = DisposeBag()

  init(
    _ program: InspectedProgram, _ configuration: InspectorConfiguration
  ) throws(TransportError) {
    let secret = Secret()
    var socketConfiguration = WebSocketConfiguration()
    socketConfiguration.messageLimit = InspectorSession.messageLimit
    socketConfiguration.isTapped = false
    // Also for reading a file.
    socketConfiguration.handshakeTimeout = .seconds(60)
    var admission = WebSocketAdmission()
    admission.connectionLimit = 100
    // Files of recordings.
    admission.bodyLimit = RecordingError.byteLimit
    admission.memoryLimit = 2 * admission.bodyLimit
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
      onRequest: { request in Self.response(to: request, secret, program) })
    url = server.url.replacing("ws://", with: "http://") + secret.text + "/"
    server.connections
      .subscribe(onNext: { Self.serve($0, program, configuration.scheduler) })
      .disposed(by: disposeBag)
  }

  /// Serves a client until its connection ends.
  private static func serve(
    _ socket: WebSocket, _ program: InspectedProgram, _ scheduler: any SchedulerType
  ) {
    let session = InspectorSession(socket, program)
    // Ends with the connection. A cancelled one would drop it before the close is sent.
    Task(priority: .utility) { await session.run(scheduler) }
  }

  /// Closes the connections.
  func stop() { server.close() }

  private static func response(
    to request: HTTPRequest, _ secret: Secret, _ program: InspectedProgram
  ) -> HTTPResponse {
    guard let name = secret.name(in: request.path) else {
      return .text("There is no such page.\n", status: 404)
    }
    guard isOwnHost(request.headers["Host"] ?? "") else {
      return .text("The host is not an address, nor a name of this machine.\n", status: 403)
    }
    if name == "import", request.method == "POST" { return importing(request, program) }
    guard request.method == "GET" || request.method == "HEAD" else {
      var response = HTTPResponse.text("Only GET and HEAD are supported.\n", status: 405)
      response.headers.add("Allow", "GET, HEAD")
      return response
    }
    return PageFiles.response(for: name) ?? .text("There is no such page.\n", status: 404)
  }

  /// Adds the recording in a file, whose name is the query.
  private static func importing(_ request: HTTPRequest, _ program: InspectedProgram) -> HTTPResponse
  {
    guard isOwnOrigin(request.headers) else {
      return .text("The origin is not that of the page.\n", status: 403)
    }
    guard program.canAct else {
      return .text("Acting is turned off. Set canAct in the configuration.\n", status: 403)
    }
    let name = request.query?.removingPercentEncoding.map { String($0.prefix(100)) }
    do throws(RecordingError) {
      let text = String(decoding: request.body, as: UTF8.self)
      let record = try program.addRecording(
        text, name: name ?? "recording", while: { !Task.isCancelled })
      return .text(#"{"composer":\#(record.number)}"#)
    } catch {
      return .text("\(error)\n", status: 400)
    }
  }

  /// Whether a request comes from the page, or from a program that is no browser.
  ///
  /// A browser sends the origin of the page that connects (RFC 6455, section 10.2). A page of another name,
  /// which its owner lets point to this machine, has this name as its origin and as its host.
  private static func isOwnOrigin(_ headers: HTTPHeaders) -> Bool {
    guard isOwnHost(headers["Host"] ?? "") else { return false }
    let origins = headers.values(of: "Origin")
    guard let origin = origins.first else { return true }
    guard origins.count == 1, let host = headers["Host"] else { return false }
    return origin.lowercased() == "http://" + host.lowercased()
  }

  /// Whether a host in a request is an address, or a name that only this machine has.
  private static func isOwnHost(_ host: String) -> Bool {
    var name = host.lowercased()
    if name.hasPrefix("[") {
      name = String(name.dropFirst().prefix { $0 != "]" })
    } else if let colon = name.lastIndex(of: ":") {
      name = String(name[..<colon])
    }
    let own = ProcessInfo.processInfo.hostName.lowercased()
    return NetworkAddress(name) != nil || ["localhost", own, own + ".local"].contains(name)
  }
}
