#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What leads to the server of a URL: TCP, not connected yet, and the handshake to make on it.
func dialTCP(
  _ text: String,
  _ configuration: WebSocketConfiguration
) throws(WebSocketError) -> (any Transport, Opening) {
  let url: WebSocketURL
  do throws(WebSocketURLError) {
    url = try WebSocketURL(text)
  } catch {
    throw .invalidURL(text, error)
  }
  if url.isSecure { throw .tlsUnavailable(url: text) }
  do throws(HandshakeError) {
    let handshake = try ClientHandshake(
      url,
      subprotocols: configuration.subprotocols,
      compression: configuration.compression,
      headers: configuration.headers,
      random: systemRandomBytes
    )
    let timeout = configuration.handshakeTimeout
    return (TCPTransport(host: url.host, port: url.port, timeout: timeout), .client(handshake))
  } catch {
    throw .handshake(error)
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
