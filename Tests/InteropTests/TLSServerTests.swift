import Foundation
import Sockets
import TestSupport
import Testing

/// The directory with the certificates.
private let certificates = ProcessInfo.processInfo.environment["INTEROP_TLS_CERTIFICATES"]

/// A server of this package with clients of Python's ssl module.
@Suite(
  "TLS of a server, asked by Python", .workerPool,
  .enabled(if: certificates != nil, "Tests/Interop/tls/run.sh has the certificates")
)
struct TLSServerTests {
  private struct Answers: Decodable {
    let names: [String]
    let client: [String]
    let anonymous: [String]
    let stranger: [String]
    let resumed: [Bool]
  }

  private func identity(_ name: String) throws -> TLSIdentity {
    let path = try #require(certificates) + "/" + name
    return TLSIdentity(
      certificateChain: try PEM(contentsOfFile: path + ".pem"),
      privateKey: try PEM(contentsOfFile: path + ".key")
    )
  }

  private func answers(
    _ asking: (PEM) -> TLSServerConfiguration.ClientCertificates
  ) throws -> Answers {
    let directory = try #require(certificates)
    var tls = TLSServerConfiguration(identity: try identity("good"))
    tls.identities = [
      "elsewhere.test": try identity("elsewhere"), "*.elsewhere.test": try identity("elsewhere"),
    ]
    tls.clientCertificates = asking(try PEM(contentsOfFile: directory + "/authority.pem"))
    let server = try WebSocketServer(tls: tls) {
      .text($0.clientCertificate?.subject ?? "anonymous")
    }
    let (python, _, output) = try runPython(server)
    let data = try #require(try output.fileHandleForReading.readToEnd())
    python.waitUntilExit()
    return try JSONDecoder().decode(Answers.self, from: data)
  }

  /// Runs `client.py` with these arguments after the port and the directory.
  private func runPython(
    _ server: WebSocketServer, _ words: String...
  ) throws -> (Process, input: FileHandle, output: Pipe) {
    let python = Process()
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Interop/tls/client.py").standardized.path
    python.executableURL = URL(filePath: "/usr/bin/env")
    python.arguments =
      ["python3", script, "\(server.port)", try #require(certificates)] + words
    let (input, output) = (Pipe(), Pipe())
    python.standardInput = input
    python.standardOutput = output
    try python.run()
    return (python, input.fileHandleForWriting, output)
  }

  @Test func `a TLS server presents the identity of each name, and reads client certificates`()
    throws
  {
    let answers = try answers { .requested(authorities: $0) }
    #expect(
      answers.names == ["localhost", "elsewhere.test", "elsewhere.test", "localhost", "localhost"])
    #expect(answers.client == ["CN=Test Client", "CN=Test Client"])
    #expect(answers.anonymous == ["anonymous", "anonymous"])
    #expect(answers.stranger == ["TLSV1_ALERT_UNKNOWN_CA", "TLSV1_ALERT_UNKNOWN_CA"])
    #expect(answers.resumed == [false, false])
  }

  @Test func `a TLS server refuses a client without a required certificate`() throws {
    let answers = try answers { .required(authorities: $0) }
    #expect(answers.client == ["CN=Test Client", "CN=Test Client"])
    // RFC 5246, 7.4.6, and RFC 8446, 4.4.2.4.
    #expect(
      answers.anonymous == ["SSLV3_ALERT_HANDSHAKE_FAILURE", "TLSV13_ALERT_CERTIFICATE_REQUIRED"])
    #expect(answers.stranger == ["TLSV1_ALERT_UNKNOWN_CA", "TLSV1_ALERT_UNKNOWN_CA"])
  }

  private struct Resumption: Decodable, Equatable {
    let isResumed: Bool
    let answer: String

    init(_ isResumed: Bool, _ answer: String) {
      (self.isResumed, self.answer) = (isResumed, answer)
    }

    init(from decoder: any Decoder) throws {
      var parts = try decoder.unkeyedContainer()
      self.init(try parts.decode(Bool.self), try parts.decode(String.self))
    }
  }

  @Test func `a session from before a reload is not resumed after it`()
    throws
  {
    var tls = TLSServerConfiguration(identity: try identity("good"))
    let server = try WebSocketServer(tls: tls) {
      .text($0.clientCertificate?.subject ?? "anonymous")
    }
    let (python, input, output) = try runPython(server, "resume")
    func resume() throws -> [Resumption] {
      try input.write(contentsOf: Data("\n".utf8))
      var line = Data()
      while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 {
        line.append(byte)
      }
      return try JSONDecoder().decode([Resumption].self, from: line)
    }
    // Without a resumption the rest of this test has no meaning.
    #expect(try resume() == [Resumption(true, "anonymous"), Resumption(true, "anonymous")])
    let directory = try #require(certificates)
    tls.clientCertificates = .required(
      authorities: try PEM(contentsOfFile: directory + "/authority.pem"))
    try server.reload(tls)
    #expect(
      try resume() == [
        Resumption(false, "SSLV3_ALERT_HANDSHAKE_FAILURE"),
        Resumption(false, "TLSV13_ALERT_CERTIFICATE_REQUIRED"),
      ])
    // A resumed session does not receive the identity of a new name either.
    tls.clientCertificates = .notRequested
    tls.identities["localhost"] = try identity("good")
    try server.reload(tls)
    #expect(try resume() == [Resumption(false, "anonymous"), Resumption(false, "anonymous")])
    try input.close()
    python.waitUntilExit()
  }

  /// What `openssl s_client` prints about a connection of this version to this name.
  private func shown(
    _ server: WebSocketServer, _ version: String, name: String, client: String? = nil
  ) throws -> String {
    let directory = try #require(certificates)
    let arguments =
      ["openssl", "s_client", "-connect", "127.0.0.1:\(server.port)", "-\(version)"]
      + ["-servername", name, "-CAfile", directory + "/authority.pem"]
      + (client.map { ["-cert", "\(directory)/\($0).pem", "-key", "\(directory)/\($0).key"] } ?? [])
    return try printed(by: URL(filePath: "/usr/bin/env"), arguments).text
  }

  @Test(arguments: ["tls1_2", "tls1_3"])
  func `openssl s_client receives the identity of each name, and the accepted authorities`(
    version: String
  ) throws {
    var tls = TLSServerConfiguration()
    tls.identities = [
      "localhost": try identity("good"), "*.elsewhere.test": try identity("elsewhere"),
    ]
    tls.clientCertificates = .requested(
      authorities: try PEM(contentsOfFile: try #require(certificates) + "/authority.pem"))
    let server = try WebSocketServer(tls: tls)
    let good = try shown(server, version, name: "LOCALHOST", client: "client")
    #expect(good.contains("subject=CN = localhost") && good.contains("Verify return code: 0 (ok)"))
    #expect(good.contains("Acceptable client certificate CA names\nCN = Test Authority"))
    let elsewhere = try shown(server, version, name: "a.elsewhere.test")
    #expect(elsewhere.contains("subject=CN = elsewhere.test"))
    let unknown = try shown(server, version, name: "unknown.test")
    #expect(unknown.contains("SSL alert number 112"))
  }
}
