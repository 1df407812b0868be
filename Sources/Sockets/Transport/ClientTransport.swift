/// The transport of a client that is no WebSocket, and of WebSockets without a proxy.
package enum ClientTransport {
  /// Makes a transport to a host, which `start` connects.
  ///
  /// On a simulated host, the transport is part of the simulation.
  ///
  /// - Parameters:
  ///   - tls: authorities, pins and identity; nil for no TLS
  ///   - provider: implementation of TLS
  ///   - scheduler: clock of the race between addresses; that of the loop by default
  package static func make(
    to host: String, port: UInt16, tls: TLSConfiguration?, by provider: any TLSProvider,
    scheduler: (any SchedulerType)? = nil
  ) throws(TransportError) -> any Transport {
    let simulated = SocketHost.current
    let bytes =
      simulated?.transport(to: host, port: port)
      ?? TCPTransport(host: host, port: port, scheduler: scheduler)
    return try tls.map { tls throws(TransportError) in
      try secure(bytes, to: host, tls, by: provider)
    } ?? bytes
  }

  /// TLS over `bytes`, by the simulated host whose code runs here, or by `provider`.
  static func secure(
    _ bytes: any Transport, to host: String, _ tls: TLSConfiguration, by provider: any TLSProvider
  ) throws(TransportError) -> any Transport {
    let role = TLSRole.client(host: host)
    guard let simulated = SocketHost.current else {
      return TLSTransport(over: bytes) { () throws(TLSError) in
        try provider.makeSession(role, tls)
      }
    }
    do throws(TLSError) {
      return TLSTransport(over: bytes, try simulated.tls.makeSession(role, tls))
    } catch {
      throw .tls(error)
    }
  }
}
