import Foundation
import TestSupport
import Testing

@testable import Sockets
@testable import SocketsRedis

/// A Redis behind TLS, with a certificate that `openssl` makes.
@Suite("Redis over TLS", .workerPool, .enabled(if: RedisServer.isInstalled))
struct RedisTLSTests {
  private struct Certificate {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let arguments = [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes", "-keyout", key, "-out", path, "-days", "2", "-subj", "/CN=redis",
        "-addext", "subjectAltName=IP:127.0.0.1",
      ]
      #expect(try printed(by: URL(filePath: "/usr/bin/env"), arguments).status == 0)
    }

    var key: String { folder.appending(path: "key.pem").path }
    var path: String { folder.appending(path: "certificate.pem").path }

    func remove() { try? FileManager.default.removeItem(at: folder) }
  }

  @Test func `a certificate that is trusted is enough, and another one is an error`() async throws {
    let certificate = try Certificate()
    defer { certificate.remove() }
    let port = try WebSocketServer().port
    let redis = try RedisServer(
      "--tls-port", "\(port)", "--tls-cert-file", certificate.path, "--tls-key-file",
      certificate.key, "--tls-ca-cert-file", certificate.path, "--tls-auth-clients", "no")
    let url = "rediss://127.0.0.1:\(port)"
    let authority = try PEM(contentsOfFile: certificate.path)
    let first = try RoomMember(url) { $0.tls.authorities = .only(authority) }
    let second = try RoomMember(url) { $0.tls.authorities = .only(authority) }
    await RoomMember.meet(first, second)
    let stranger = try RoomMember(url)
    await stranger.states.wait { $0.contains { $0.contains("certificate") } }
    #expect(!stranger.states.value.contains("connected"))
    // Without TLS on the port of TLS, and the reverse.
    let plain = try RoomMember("redis://127.0.0.1:\(port)")
    await plain.states.wait { $0.contains { $0 != "connected" && !$0.contains("refused the") } }
    let secure = try RoomMember(redis.url.replacing("redis:", with: "rediss:"))
    await secure.states.wait { $0.contains { $0 != "connected" && !$0.contains("refused the") } }
    for member in [plain, secure] { #expect(!member.states.value.contains("connected")) }
  }
}
