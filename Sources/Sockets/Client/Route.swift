#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The way to the server of a URL.
struct Route: Sendable {
  let url: WebSocketURL
  let configuration: WebSocketConfiguration

  init(_ text: String, _ configuration: WebSocketConfiguration) throws(WebSocketError) {
    do throws(WebSocketURLError) {
      url = try WebSocketURL(text)
    } catch {
      throw .invalidURL(text, error)
    }
    self.configuration = configuration
  }

  /// What leads there, not connected yet, and the handshake to make on it.
  func dial() throws(WebSocketError) -> (any Transport, Opening) {
    (try transport(), try opening())
  }

  private func transport() throws(WebSocketError) -> any Transport {
    let tcp = TCPTransport(
      host: url.host,
      port: url.port,
      timeout: configuration.handshakeTimeout
    )
    guard url.isSecure else { return tcp }
    do throws(TLSError) {
      let role = TLSRole.client(host: url.host)
      let session = try configuration.tlsProvider.makeSession(role, configuration.tls)
      return TLSTransport(over: tcp, session)
    } catch {
      throw .transport(.tls(error))
    }
  }

  private func opening() throws(WebSocketError) -> Opening {
    do throws(HandshakeError) {
      return .client(
        try ClientHandshake(
          url,
          subprotocols: configuration.subprotocols,
          headers: configuration.headers,
          random: systemRandomBytes
        )
      )
    } catch {
      throw .handshake(error)
    }
  }
}

/// The system's generator of bytes that nobody can foresee.
let systemRandomBytes: RandomBytes = { memory in
  var rest = memory[...]
  while !rest.isEmpty {
    // 256 is what one call gives at most; it then neither fails nor gives fewer.
    let part = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(256))
    guard let start = part.baseAddress, getentropy(start, part.count) == 0 else {
      preconditionFailure("The system has no random bytes: errno \(errno)")
    }
    rest = rest.dropFirst(part.count)
  }
}
