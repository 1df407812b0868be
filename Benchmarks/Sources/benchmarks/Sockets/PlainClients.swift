import Foundation

/// Clients of an echo server in this process that cost next to nothing: blocking system calls, and bytes
/// that are always the same.
@MainActor
final class PlainClients {
  private let server = EchoServer()
  private let port: UInt16
  private let request: [UInt8]
  private var sockets: [BlockingSocket] = []
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private let burst: [UInt8]
  private let answerCount: Int

  /// What a browser would send, without its cookies.
  private static let headers = """
    Connection: Upgrade
    Pragma: no-cache
    Cache-Control: no-cache
    User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36
    Upgrade: websocket
    Origin: http://localhost:8080
    Sec-WebSocket-Version: 13
    Accept-Encoding: gzip, deflate, br
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
    """

  /// Reserves the capacity, so that the list is not part of the measured memory.
  ///
  /// - Parameters:
  ///   - count: number of connections.
  ///   - window: number of texts in one write.
  ///   - bytes: length of a text, below 65,536.
  init(_ count: Int, window: Int = 1, bytes: Int = 64) {
    let text = [UInt8](repeating: 0x61, count: bytes)
    let length = bytes < 126 ? [UInt8(bytes)] : [126, UInt8(bytes >> 8), UInt8(bytes & 0xFF)]
    // The mask key 0 leaves the text as it is.
    let frame = [0x81, 0x80 | length[0]] + length.dropFirst() + [0, 0, 0, 0] + text
    burst = Array(repeatElement(frame, count: window).joined())
    answerCount = (1 + length.count + bytes) * window
    port = server.port
    let lines = ["GET / HTTP/1.1", "Host: 127.0.0.1:\(port)", Self.headers, "", ""]
    request = Array(lines.joined(separator: "\n").replacing("\n", with: "\r\n").utf8)
    sockets.reserveCapacity(count)
  }

  /// Opens a connection that stays open, and waits for one echo on it.
  func open() {
    let socket = BlockingSocket.connected(to: port)
    sockets.append(socket)
    request.withUnsafeBytes { socket.write($0) }
    // The answer ends with an empty line: four bytes that no line of it has.
    var count = 0
    while count < 4 || buffer[count - 4..<count] != [0x0D, 0x0A, 0x0D, 0x0A] {
      count += read(socket, from: count)
    }
    require(buffer.starts(with: "HTTP/1.1 101 ".utf8), "No WebSocket.")
    exchange(over: socket)
    require(buffer[answerCount - 1] == 0x61, "Not what was sent.")
  }

  /// Sends all texts in one write over the last connection, and waits for their echoes.
  func exchange() { exchange(over: sockets[sockets.count - 1]) }

  private func exchange(over socket: BlockingSocket) {
    burst.withUnsafeBytes { socket.write($0) }
    var count = 0
    while count < answerCount { count += read(socket, from: count) }
  }

  private func read(_ socket: BlockingSocket, from start: Int) -> Int {
    let count = buffer.withUnsafeMutableBytes { socket.read(into: .init(rebasing: $0[start...])) }
    require(count > 0, "The server has ended the connection.")
    return count
  }

  /// Ends the connections; the server notices it later.
  func close() {
    for socket in sockets { socket.close() }
    sockets.removeAll(keepingCapacity: true)
  }
}
