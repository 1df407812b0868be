import Reactive
import TestSupport

@testable import Sockets

/// An HTTP proxy that connects to any server, or refuses all requests.
final class RelayingProxy: Sendable {
  private let listener: TCPListener
  /// The received requests.
  let requests = Watched<[String]>([])

  init(refusingWith refusal: String? = nil) throws {
    listener = try TCPListener()
    listener.startTransports { [requests] transport in
      transport.start(Relay(transport, requests, refusal))
    }
  }

  deinit { listener.close() }

  var port: UInt16 { listener.port }
  var url: String { "http://127.0.0.1:\(port)" }
}

/// One end of a relayed connection, on the loop's thread; each retains the other until it closes.
private final class Relay: TransportHandler, @unchecked Sendable {
  private let transport: any Transport
  private let requests: Watched<[String]>?
  private let refusal: String?
  private var head: [UInt8] = []
  private var other: Relay?
  private var unsent: [UInt8] = []

  init(_ transport: any Transport, _ requests: Watched<[String]>? = nil, _ refusal: String? = nil) {
    self.transport = transport
    self.requests = requests
    self.refusal = refusal
  }

  private func send(_ bytes: [UInt8]) {
    unsent += bytes
    unsent.removeFirst(unsent.withUnsafeBytes { transport.write($0) })
  }

  private func connect(_ request: String) {
    requests?.update { $0.append(request) }
    let target = request.split(separator: " ").dropFirst().first ?? ""
    guard refusal == nil, let colon = target.lastIndex(of: ":"),
      let port = UInt16(target[colon...].dropFirst())
    else {
      send(Array((refusal ?? "HTTP/1.1 400 \r\n\r\n").utf8))
      return
    }
    let host = target[..<colon].filter { $0 != "[" && $0 != "]" }
    let server = Relay(TCPTransport(host: host, port: port))
    server.other = self
    other = server
    server.transport.start(server)
  }

  func transportOpened() {
    // The server is connected: the client can continue.
    if requests == nil { other?.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)) }
  }

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    if let other { return other.send(Array(bytes)) }
    head += bytes
    let text = String(decoding: head, as: UTF8.self)
    if text.hasSuffix("\r\n\r\n") { connect(text) }
  }

  func transportWritable() { send([]) }

  func transportEnded() {
    if let other { other.transport.closeWriting() } else { transport.close() }
  }

  func transportClosed(_ error: TransportError?) {
    other?.transport.close()
    other = nil
  }
}
