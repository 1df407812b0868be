import Foundation
import Sockets
import TestSupport
import Testing

/// The directory with the certificates.
private let certificates = ProcessInfo.processInfo.environment["INTEROP_TLS_CERTIFICATES"]

/// A server of this package, asked by Python's ssl module.
@Suite(
  "TLS of a server, asked by Python", .workerPool,
  .enabled(if: certificates != nil, "Tests/Interop/tls/run.sh has the certificates")
)
struct TLSServerTests {
  private struct Answers: Decodable {
    let names: [String]
    let client: String
    let nobody: String
    let stranger: String
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
    let server = try WebSocketServer(tls: tls) { .text($0.clientCertificate?.subject ?? "nobody") }
    let python = Process()
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Interop/tls/client.py").standardized.path
    python.executableURL = URL(filePath: "/usr/bin/env")
    python.arguments = ["python3", script, "\(server.port)", directory]
    let output = Pipe()
    python.standardOutput = output
    try python.run()
    let data = try #require(try output.fileHandleForReading.readToEnd())
    python.waitUntilExit()
    return try JSONDecoder().decode(Answers.self, from: data)
  }

  @Test func `shows the identity of each name, and knows who shows a certificate`() throws {
    let answers = try answers { .requested(authorities: $0) }
    #expect(
      answers.names == ["localhost", "elsewhere.test", "elsewhere.test", "localhost", "localhost"])
    #expect(answers.client == "CN=Test Client")
    #expect(answers.nobody == "nobody")
    #expect(answers.stranger == "TLSV1_ALERT_UNKNOWN_CA")
    #expect(answers.resumed == [false, false])
  }

  @Test func `refuses who shows none where one is required`() throws {
    let answers = try answers { .required(authorities: $0) }
    #expect(answers.client == "CN=Test Client")
    #expect(answers.nobody == "TLSV13_ALERT_CERTIFICATE_REQUIRED")
    #expect(answers.stranger == "TLSV1_ALERT_UNKNOWN_CA")
  }
}
