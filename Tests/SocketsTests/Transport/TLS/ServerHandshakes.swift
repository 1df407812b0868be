import Foundation

@testable import Sockets

/// The errors of both sides, nil where there is none, and the server's session.
typealias HandshakeOutcome = (client: TLSError?, server: TLSError?, session: any TLSSession)

/// Performs the handshake of a client and a server session in memory.
func shakeHands(
  _ configuration: TLSServerConfiguration,
  host: String = "localhost",
  identity: TLSIdentity? = nil
) throws -> HandshakeOutcome {
  var trusting = TLSConfiguration.trusting
  trusting.identity = identity
  let client = try OpenSSL().makeSession(.client(host: host), trusting)
  return try shakeHands(client, configuration)
}

/// Performs the handshake with this client.
func shakeHands(
  _ client: any TLSSession, _ configuration: TLSServerConfiguration
) throws -> HandshakeOutcome {
  let server = try OpenSSL().prepare(configuration)()
  var outcome: HandshakeOutcome = (nil, nil, server)
  var sent = step(client, [], &outcome.client)
  for _ in 0..<4 {
    sent = step(server, sent, &outcome.server)
    sent = step(client, sent, &outcome.client)
  }
  return outcome
}

/// Feeds a session these bytes, and returns its output.
private func step(_ session: any TLSSession, _ bytes: [UInt8], _ failure: inout TLSError?)
  -> [UInt8]
{
  let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_024, alignment: 1)
  defer { plaintext.deallocate() }
  bytes.withUnsafeBytes { bytes in
    var input = bytes
    guard failure == nil else { return }
    do throws(TLSError) {
      if try session.shakeHands(&input) { _ = try session.read(&input, into: plaintext) }
    } catch {
      failure = error
    }
  }
  var sent: [UInt8] = []
  _ = session.drain { bytes in
    sent += bytes
    return bytes.count
  }
  return sent
}

extension TLSServerConfiguration {
  /// A server with named identities and without a default one.
  static var named: TLSServerConfiguration {
    var configuration = TLSServerConfiguration()
    configuration.identities = [
      "localhost": Certificates.good, "Elsewhere.test.": Certificates.elsewhere,
      "*.elsewhere.TEST": Certificates.elsewhere,
    ]
    return configuration
  }
}
