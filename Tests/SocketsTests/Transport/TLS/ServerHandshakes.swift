import Foundation

@testable import Sockets

/// The errors of both sides, nil where there is none, and the server's session.
typealias HandshakeOutcome = (client: TLSError?, server: TLSError?, session: any TLSSession)

/// Makes the handshake between a client and a session of this server, in memory.
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

/// The same with this client.
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

/// Gives a session these bytes, and returns what it sends.
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
  /// A server with names and without an identity for others.
  static var named: TLSServerConfiguration {
    var configuration = TLSServerConfiguration()
    configuration.identities = [
      "localhost": Certificates.good, "Elsewhere.test.": Certificates.elsewhere,
      "*.elsewhere.TEST": Certificates.elsewhere,
    ]
    return configuration
  }
}
