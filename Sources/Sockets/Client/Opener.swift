import Foundation

/// How the other side is met: what differs between a client and a server's connection.
protocol Opener: Sendable {
  /// Where everything is told.
  var loop: EventLoop { get }
  /// Which side this is.
  var role: Connection.Role { get }

  /// A transport that is not started yet, and the handshake to make on it.
  func open(
    _ configuration: WebSocketConfiguration
  ) throws(WebSocketError) -> (any Transport, Opening)

  /// Takes bytes of the handshake off the front of `input`.
  func receive(
    _ input: inout UnsafeRawBufferPointer,
    _ opening: Opening,
    _ configuration: WebSocketConfiguration
  ) throws(OpeningFailure) -> Agreement?

  /// The WebSocket is connected; called on the loop.
  func opened()
  /// The WebSocket has ended; called on the loop.
  func closed()
}

extension Opener {
  func opened() {}
  func closed() {}
}

/// A handshake under way.
enum Opening {
  case client(ClientHandshake)
  case server(ServerHandshake)
}

/// What came of some bytes of a handshake.
enum Agreement {
  /// More are needed.
  case unfinished(Opening)
  /// It is done; a server has this to answer.
  case open(subprotocol: String?, answer: [UInt8])
}

/// A handshake that failed; a server has this to answer.
struct OpeningFailure: Error {
  let error: WebSocketError
  var answer: [UInt8] = []
}

/// Connects to a URL.
struct ClientOpener: Opener {
  let url: String
  let loop: EventLoop
  var role: Connection.Role { .client(MaskKeys(systemRandomBytes)) }

  func open(
    _ configuration: WebSocketConfiguration
  ) throws(WebSocketError) -> (any Transport, Opening) {
    let target: WebSocketURL
    do throws(WebSocketURLError) {
      target = try WebSocketURL(url)
    } catch {
      throw .invalidURL(url, error)
    }
    if target.isSecure { throw .tlsUnavailable(url: url) }
    do throws(HandshakeError) {
      let handshake = try ClientHandshake(
        target,
        subprotocols: configuration.subprotocols,
        headers: configuration.headers,
        random: systemRandomBytes
      )
      let transport = TCPTransport(
        host: target.host,
        port: target.port,
        timeout: configuration.handshakeTimeout,
        loop: loop
      )
      return (transport, .client(handshake))
    } catch {
      throw .handshake(error)
    }
  }

  func receive(
    _ input: inout UnsafeRawBufferPointer,
    _ opening: Opening,
    _ configuration: WebSocketConfiguration
  ) throws(OpeningFailure) -> Agreement? {
    guard case .client(var handshake) = opening else { return nil }
    do throws(HandshakeError) {
      guard let answer = try handshake.receive(&input) else {
        return .unfinished(.client(handshake))
      }
      return .open(subprotocol: answer.subprotocol, answer: [])
    } catch {
      throw OpeningFailure(error: .handshake(error))
    }
  }
}

/// The system's generator of unforeseeable bytes.
let systemRandomBytes: RandomBytes = { memory in
  var generator = SystemRandomNumberGenerator()
  // One call for eight bytes; there are a few dozen a connection.
  for index in stride(from: 0, to: memory.count, by: 8) {
    withUnsafeBytes(of: generator.next()) { bytes in
      let count = min(8, memory.count - index)
      UnsafeMutableRawBufferPointer(rebasing: memory[index..<(index + count)])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }
  }
}
