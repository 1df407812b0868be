import Reactive
import ReactiveTesting

@testable import Sockets

extension TLSConfiguration {
  /// Trusts only the tests' authority.
  static var trusting: TLSConfiguration {
    var configuration = TLSConfiguration()
    configuration.authorities = .only(Certificates.authority)
    return configuration
  }
}

/// A started client and server over a memory pair, with the client open or closed;
/// `maximumDelivery` splits the bytes between them.
func securedPair(
  _ loop: EventLoop,
  _ identity: TLSIdentity = Certificates.good,
  host: String = "localhost",
  trusting configuration: TLSConfiguration = .trusting,
  capacity: Int = 65_536,
  maximumDelivery: Int = .max
) async throws -> (client: TransportRecorder, server: TransportRecorder) {
  let (near, far) = MemoryTransport.pair(
    loop: loop,
    capacity: capacity,
    maximumDelivery: maximumDelivery
  )
  return try await secured(near, far, identity, host: host, trusting: configuration)
}

/// An open client and server over the given transports.
func securedPair(
  _ near: MemoryTransport,
  _ far: MemoryTransport
) async throws -> (client: TransportRecorder, server: TransportRecorder) {
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
) async throws -> (client: TransportRecorder, server: TransportRecorder) {
  var served = TLSConfiguration()
  served.identity = identity
  let provider = OpenSSL()
  let client = try provider.makeSession(.client(host: host), configuration)
  let pair = (
    client: TransportRecorder(TLSTransport(over: near, client)),
    server: TransportRecorder(TLSTransport(over: far, try provider.makeSession(.server, served)))
  )
  pair.server.transport.start(pair.server)
  await pair.client.start()
  return pair
}
