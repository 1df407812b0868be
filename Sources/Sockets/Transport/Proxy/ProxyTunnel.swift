import Synchronization

/// A connection through an HTTP proxy by `CONNECT` (RFC 9110, section 9.3.6).
///
/// It is a transport over the transport to the proxy, and opens when the proxy has agreed.
final class ProxyTunnel: Transport, TransportHandler, @unchecked Sendable {
  private enum Phase {
    /// The request is being sent; `rest` is its unwritten part.
    case requesting(HTTPAnswerReader, rest: ArraySlice<UInt8>)
    case open
    case closed(TransportError?)
  }

  let loop: EventLoop
  private let inner: any Transport
  /// Host and port of the proxy.
  private let proxy: String

  // Touched on the loop's thread only.
  private var phase: Phase
  private var handler: (any TransportHandler)?

  private let isOpen = Atomic(false)
  private let gate = DeliveryGate()

  /// - Parameters:
  ///   - inner: transport to the proxy, not started
  ///   - host: server to reach: a name, which the proxy looks up, or an address
  init(over inner: any Transport, through proxy: Proxy, to host: String, port: UInt16) {
    loop = inner.loop
    self.inner = inner
    self.proxy = proxy.name
    let authority = (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    var headers: HTTPHeaders = ["Host": authority]
    if let authorization = proxy.authorization { headers.add("Proxy-Authorization", authorization) }
    let request = HTTPHead.bytes("CONNECT \(authority) HTTP/1.1", headers)
    phase = .requesting(HTTPAnswerReader(), rest: request[...])
  }

  // MARK: Transport

  func start(_ handler: any TransportHandler) {
    loop.execute {
      self.handler = handler
      self.inner.start(self)
    }
  }

  func replaceHandler(with handler: any TransportHandler) {
    if self.handler != nil { self.handler = handler }
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    isOpen.load(ordering: .acquiring) ? inner.write(bytes) : 0
  }

  func setReading(_ isReading: Bool) {
    gate.setReading(isReading)
    // The proxy's answer must be read even while reading is paused.
    if isOpen.load(ordering: .acquiring) { inner.setReading(isReading) }
  }

  var acknowledgement: Acknowledgement? { inner.acknowledgement }
  var peerAddress: NetworkAddress? { inner.peerAddress }

  func closeWriting() {
    if isOpen.load(ordering: .acquiring) { inner.closeWriting() }
  }

  func close() {
    gate.beginClosing()
    isOpen.store(false, ordering: .releasing)
    inner.close()
  }

  // MARK: TransportHandler

  func transportOpened() { writeRequest() }

  private func writeRequest() {
    guard case .requesting(let reader, var rest) = phase else { return }
    rest = rest.dropFirst(rest.withUnsafeBytes { inner.write($0) })
    phase = .requesting(reader, rest: rest)
  }

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    guard case .requesting(var reader, let rest) = phase else {
      handler?.transportReceived(bytes)
      return
    }
    var input = bytes
    do throws(HandshakeError) {
      guard let head = try reader.receive(&input) else {
        phase = .requesting(reader, rest: rest)
        return
      }
      let (status, reason) = try head.status()
      guard (200..<300).contains(status) else {
        return fail(.refused(proxy: proxy, status: status, reason: reason))
      }
    } catch {
      return fail(.notAProxy)
    }
    open(input)
  }

  /// Opens the tunnel after the proxy's answer; `bytes` followed that answer.
  private func open(_ bytes: UnsafeRawBufferPointer) {
    phase = .open
    guard !gate.isClosing else { return }
    isOpen.store(true, ordering: .releasing)
    if !gate.isReading { inner.setReading(false) }
    handler?.transportOpened()
    if !bytes.isEmpty, !gate.isClosing { handler?.transportReceived(bytes) }
  }

  func transportWritable() {
    if case .open = phase { handler?.transportWritable() } else { writeRequest() }
  }

  func transportEnded() {
    if case .open = phase { handler?.transportEnded() } else { fail(.connectionClosed) }
  }

  func transportEndArrived() { if case .open = phase { handler?.transportEndArrived() } }

  func transportFailed(_ error: TransportError) {
    if case .open = phase { handler?.transportFailed(error) }
  }

  private func fail(_ error: ProxyError) {
    phase = .closed(.proxy(error))
    inner.close()
  }

  func transportClosed(_ error: TransportError?) {
    var error = error
    switch phase {
    // An error on the way to the proxy must not look like an error of the server.
    case .requesting: error = error.map { .proxy(.unreachable(proxy: proxy, $0)) }
    case .open: break
    case .closed(let failure): error = failure
    }
    phase = .closed(nil)
    isOpen.store(false, ordering: .releasing)
    handler.take()?.transportClosed(error)
  }
}
