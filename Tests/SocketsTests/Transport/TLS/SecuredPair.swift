import Reactive
import ReactiveTesting

@testable import Sockets

extension TLSConfiguration {
  /// Trusts the tests' authority, and nobody else.
  static var trusting: TLSConfiguration {
    var configuration = TLSConfiguration()
    configuration.authorities = .only(Certificates.authority)
    return configuration
  }
}

/// A client and a server over a pair in memory, both started, and the client open or closed;
/// `maximumDelivery` splits what passes between them.
func securedPair(
  _ loop: EventLoop,
  _ identity: TLSIdentity = Certificates.good,
  host: String = "localhost",
  trusting configuration: TLSConfiguration = .trusting,
  capacity: Int = 65_536,
  maximumDelivery: Int = .max
) async throws -> (client: Recorder, server: Recorder) {
  let (near, far) = MemoryTransport.pair(
    loop: loop,
    capacity: capacity,
    maximumDelivery: maximumDelivery
  )
  return try await secured(near, far, identity, host: host, trusting: configuration)
}

/// The same over transports that the test holds; both ends are open.
func securedPair(
  _ near: MemoryTransport,
  _ far: MemoryTransport
) async throws -> (client: Recorder, server: Recorder) {
  let pair = try await secured(near, far, Certificates.good, host: "localhost", trusting: .trusting)
  await pair.server.log.wait { $0.opened == 1 }
  return pair
}

private func secured(
  _ near: MemoryTransport,
  _ far: MemoryTransport,
  _ identity: TLSIdentity,
  host: String,
  trusting configuration: TLSConfiguration
) async throws -> (client: Recorder, server: Recorder) {
  var served = TLSConfiguration()
  served.identity = identity
  let provider = OpenSSL()
  let client = try provider.makeSession(.client(host: host), configuration)
  let pair = (
    client: Recorder(TLSTransport(over: near, client)),
    server: Recorder(TLSTransport(over: far, try provider.makeSession(.server, served)))
  )
  pair.server.transport.start(pair.server)
  await pair.client.start()
  return pair
}
