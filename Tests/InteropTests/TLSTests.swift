import Foundation
import Sockets
import TestSupport
import Testing

/// Python's ssl module: `Tests/Interop/tls/run.sh` makes the certificates, starts the servers and
/// runs these tests.
private enum PythonTLSServer {
  static let urls = ProcessInfo.processInfo.environment["INTEROP_TLS_URLS"].flatMap {
    try? JSONDecoder().decode([String: String].self, from: Data($0.utf8))
  }
  static let certificates = ProcessInfo.processInfo.environment["INTEROP_TLS_CERTIFICATES"] ?? ""

  static func url(_ name: String) -> String { urls?[name] ?? "" }

  static func pem(_ name: String) throws -> PEM {
    try PEM(contentsOfFile: "\(certificates)/\(name)")
  }
}

@Suite(
  "Python's ssl",
  .enabled(if: PythonTLSServer.urls != nil, "Tests/Interop/tls/run.sh sets the addresses."),
  .workerPool
)
struct TLSTests {
  private func trusting() throws -> WebSocketConfiguration {
    var configuration = WebSocketConfiguration()
    configuration.tls.authorities = .only(try PythonTLSServer.pem("authority.pem"))
    return configuration
  }

  /// The events of a connection, each after `react` has handled it.
  private func talk(
    _ url: String,
    _ configuration: WebSocketConfiguration,
    _ react: (WebSocket, WebSocketEvent) throws -> Void = { _, _ in }
  ) async throws -> [WebSocketEvent] {
    let socket = WebSocket.connect(to: url, configuration: configuration)
    var events: [WebSocketEvent] = []
    for try await event in socket.events.values {
      events.append(event)
      try react(socket, event)
    }
    return events
  }

  /// The error of a connection; nil if it opened and closed.
  private func failure(
    _ name: String,
    _ configuration: WebSocketConfiguration
  ) async throws -> WebSocketError? {
    let events = try await talk(PythonTLSServer.url(name), configuration) { socket, event in
      if event == .connected { socket.close() }
    }
    return events.lazy.compactMap { if case .error(let error) = $0 { error } else { nil } }.first
  }

  @Test(
    arguments: [
      ("good", nil), ("chained", nil), ("tls12", nil), ("expired", TLSError.certificateExpired),
      ("early", .certificateNotYetValid), ("elsewhere", .wrongHost("localhost")),
      ("selfsigned", .selfSigned), ("stranger", .unknownAuthority(issuer: "/CN=Test Stranger")),
      ("incomplete", .incompleteChain(issuer: "/CN=Test Intermediate")),
      ("tls11", .protocolTooOld), ("plain", .plainHTTP), ("asking12", .clientCertificateRequired),
      ("asking13", .clientCertificateRequired),
    ] as [(String, TLSError?)])
  func `a TLS client accepts a server, or refuses it with the reason`(
    name: String,
    error: TLSError?
  ) async throws {
    let failure = try await failure(name, try trusting())
    #expect(failure == error.map { .transport(.tls($0)) })
  }

  @Test func `a TLS client trusts no authority that the system does not have`() async throws {
    let failure = try await failure("good", WebSocketConfiguration())
    let error = TLSError.incompleteChain(issuer: "/CN=Test Authority")
    #expect(failure == .transport(.tls(error)))
  }

  @Test(arguments: ["asking12", "asking13"])
  func `a TLS client sends its certificate on request, and the server's name`(name: String)
    async throws
  {
    var configuration = try trusting()
    configuration.tls.identity = TLSIdentity(
      certificateChain: try PythonTLSServer.pem("client.pem"),
      privateKey: try PythonTLSServer.pem("client.key")
    )
    let events = try await talk(PythonTLSServer.url(name) + "tls", configuration)
    let version = name == "asking12" ? "TLSv1.2" : "TLSv1.3"
    let facts = #"["\#(version)", "http/1.1", false, ["Test Client"], "localhost"]"#
    #expect(events.contains(.message(.text(facts))))
  }

  @Test(arguments: ["asking12", "asking13"])
  func `a TLS client reports the refusal of its certificate`(name: String) async throws {
    var configuration = try trusting()
    configuration.tls.identity = TLSIdentity(
      certificateChain: try PythonTLSServer.pem("selfsigned.pem"),
      privateKey: try PythonTLSServer.pem("selfsigned.key")
    )
    guard case .transport(.tls(.refused(let alert, _))) = try await failure(name, configuration)
    else {
      Issue.record("accepted, or another error")
      return
    }
    // unknown_ca
    #expect(alert == 48)
  }

  @Test(arguments: ["good", "tls12"])
  func `messages of every size are echoed over TLS`(name: String) async throws {
    let messages: [WebSocketMessage] = [
      .text("hello"), .text(""), .text("grüße 🎉"), .binary(Data([0, 255])),
      .binary(Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })),
      .text(String(repeating: "ü", count: 1 << 19)),
    ]
    var received: [WebSocketMessage] = []
    let events = try await talk(PythonTLSServer.url(name), try trusting()) { socket, event in
      switch event {
      case .connected: for message in messages { try socket.send(message) }
      case .message(let message):
        received.append(message)
        if received.count == messages.count { socket.close() }
      case .error, .disconnected: break
      }
    }
    #expect(received.map(\.data.count) == messages.map(\.data.count))
    let isSame = received == messages
    #expect(isSame)
    #expect(events.last == .disconnected(code: .normal, reason: ""))
  }

  @Test func `a connection that is cut below TLS differs from a connection that ends`() async throws
  {
    let events = try await talk(PythonTLSServer.url("good") + "cut", try trusting())
    #expect(
      events == [
        .connected, .message(.text("before the cut")), .error(.transport(.tls(.truncated))),
        .disconnected(code: .abnormal, reason: ""),
      ]
    )
  }
}
