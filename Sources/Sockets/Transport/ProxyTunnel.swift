import Reactive
import Synchronization

/// A connection through an HTTP proxy, which is asked to `CONNECT` (RFC 9110, section 9.3.6): a transport
/// over the one to the proxy, open once the proxy has agreed.
final class ProxyTunnel: Transport, TransportHandler, @unchecked Sendable {
  private enum Phase {
    /// With what is still to be sent of the request.
    case asking(HTTPAnswerReader, rest: ArraySlice<UInt8>)
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
  private let isReading = Atomic(true)
  private let isClosing = Atomic(false)

  /// - Parameters:
  ///   - inner: A transport to the proxy that nobody has started.
  ///   - proxy: Host and port of the proxy, for errors.
  ///   - host: The server to be reached, a name for the proxy to look up or an address.
  init(
    over inner: any Transport,
    proxy: String,
    to host: String,
    port: UInt16,
    authorization: String? = nil
  ) {
    loop = inner.loop
    self.inner = inner
    self.proxy = proxy
    let authority = (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    var headers: HTTPHeaders = ["Host": authority]
    if let authorization { headers.add("Proxy-Authorization", authorization) }
    let head = HTTPHead(startLine: "CONNECT \(authority) HTTP/1.1", headers: headers)
    phase = .asking(HTTPAnswerReader(), rest: head.bytes[...])
  }

  // MARK: Transport

  func start(_ handler: any TransportHandler) {
    loop.execute {
      self.handler = handler
      self.inner.start(self)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    isOpen.load(ordering: .acquiring) ? inner.write(bytes) : 0
  }

  func setReading(_ isReading: Bool) {
    self.isReading.store(isReading, ordering: .releasing)
    // The proxy's answer is read in any case.
    if isOpen.load(ordering: .acquiring) { inner.setReading(isReading) }
  }

  var acknowledgement: Acknowledgement? { inner.acknowledgement }
  var peerAddress: NetworkAddress? { inner.peerAddress }

  func closeWriting() {
    if isOpen.load(ordering: .acquiring) { inner.closeWriting() }
  }

  func close() {
    isClosing.store(true, ordering: .releasing)
    isOpen.store(false, ordering: .releasing)
    inner.close()
  }

  // MARK: TransportHandler

  func transportOpened() { ask() }

  private func ask() {
    guard case .asking(let reader, var rest) = phase else { return }
    rest = rest.dropFirst(rest.withUnsafeBytes { inner.write($0) })
    phase = .asking(reader, rest: rest)
  }

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    guard case .asking(var reader, let rest) = phase else {
      handler?.transportReceived(bytes)
      return
    }
    var input = bytes
    do throws(HandshakeError) {
      guard let head = try reader.receive(&input) else {
        phase = .asking(reader, rest: rest)
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

  /// The proxy has agreed; `bytes` came behind its answer.
  private func open(_ bytes: UnsafeRawBufferPointer) {
    phase = .open
    guard !isClosing.load(ordering: .acquiring) else { return }
    isOpen.store(true, ordering: .releasing)
    if !isReading.load(ordering: .acquiring) { inner.setReading(false) }
    handler?.transportOpened()
    if !bytes.isEmpty, !isClosing.load(ordering: .acquiring) { handler?.transportReceived(bytes) }
  }

  func transportWritable() {
    if case .open = phase { handler?.transportWritable() } else { ask() }
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
    // What is wrong with the way to the proxy does not look like a fault of the server.
    case .asking: error = error.map { .proxy(.unreachable(proxy: proxy, $0)) }
    case .open: break
    case .closed(let failure): error = failure
    }
    phase = .closed(nil)
    isOpen.store(false, ordering: .releasing)
    let handler = handler
    self.handler = nil
    handler?.transportClosed(error)
  }
}
