/// A connection that another library has accepted, and whose bytes it moves for a ``WebSocketServer``.
///
/// The library passes on what it reads by ``receive(_:)``, and performs the calls of its ``Channel``:
///
/// ```swift
/// let channel = AdoptedConnection.Channel(
///   write: { bytes in http.write(bytes) },
///   setReading: { isReading in http.setReading(isReading) },
///   closeWriting: { http.closeOutput() },
///   close: { http.close() })
/// guard let connection = server.adopt(channel, from: peer) else { return http.close() }
/// http.onRead = { connection.receive($0) }
/// http.onWritten = { connection.noteWritten($0.count) }
/// http.onClose = { connection.noteClosed() }
/// ```
///
/// Its methods may be called on any thread, those for received bytes by one thread at a time. Releasing
/// the object without ``noteClosed(_:)`` ends the connection as that does.
public final class AdoptedConnection: Sendable {
  /// The calls by which a server uses the connection.
  ///
  /// They are made on any thread, never while a lock is held, and must not block. `write` and
  /// `closeWriting` are called in order, and `close` at most once. A call that another thread has begun
  /// may arrive after `close`, and after ``AdoptedConnection/noteClosed(_:)``: ignore it.
  public struct Channel: Sendable {
    let write: @Sendable ([UInt8]) -> Void
    let setReading: @Sendable (Bool) -> Void
    let closeWriting: @Sendable () -> Void
    let close: @Sendable () -> Void

    /// A channel of these calls.
    ///
    /// - Parameters:
    ///   - write: sends bytes after those of earlier calls. Report them by
    ///     ``AdoptedConnection/noteWritten(_:)`` when the system has taken them: at most 256 KiB are
    ///     not reported at any time.
    ///   - setReading: stops and resumes reading from the peer. Bytes that were read before it stops are
    ///     still passed on. A connection begins with reading.
    ///   - closeWriting: ends the direction to the peer, behind all written bytes. The connection is
    ///     closed when both directions have ended and everything is reported as written, at the latest
    ///     after the configuration's `closeTimeout`.
    ///   - close: closes both directions at once, and drops unsent bytes
    public init(
      write: @escaping @Sendable ([UInt8]) -> Void,
      setReading: @escaping @Sendable (Bool) -> Void,
      closeWriting: @escaping @Sendable () -> Void,
      close: @escaping @Sendable () -> Void
    ) {
      (self.write, self.setReading) = (write, setReading)
      (self.closeWriting, self.close) = (closeWriting, close)
    }
  }

  private let transport: AdoptedTransport

  init(_ transport: AdoptedTransport) { self.transport = transport }

  deinit { transport.noteClosed(nil) }

  /// Passes on bytes from the peer, beginning with the request for a WebSocket.
  ///
  /// Bytes after the end of the connection are ignored.
  public func receive(_ bytes: [UInt8]) { transport.receive(bytes) }

  /// Reports the end of the bytes from the peer, which may still receive bytes (TCP's FIN).
  public func receiveEnd() { transport.receiveEnd() }

  /// Reports that the system has taken bytes of `write`, which makes room for as many.
  ///
  /// - Parameter count: number of bytes since the last call
  public func noteWritten(_ count: Int) { transport.noteWritten(count) }

  /// Reports that both directions have ended, with the error that broke the connection, if any.
  ///
  /// Bytes that were received before are still delivered.
  public func noteClosed(_ error: TransportError? = nil) { transport.noteClosed(error) }
}

extension WebSocketServer {
  /// A server that does not listen, and serves the connections of `adopt(_:from:)` only.
  ///
  /// Its ``port`` is 0 and its ``url`` is empty.
  ///
  /// - Parameters:
  ///   - configuration: subprotocols, timeouts and limits of each connection
  ///   - admission: decides which clients may connect: all by default
  ///   - loops: number of event loops that share the connections: one, which the process's clients
  ///     use too
  ///   - backplane: joins the topics of this server with those of others: none
  /// - Throws: `TransportError` when the system has no resources for an event loop.
  public static func withoutListener(
    configuration: WebSocketConfiguration = .init(),
    admission: WebSocketAdmission = .init(),
    loops: EventLoopCount = 1,
    backplane: (any Backplane)? = nil
  ) throws(TransportError) -> WebSocketServer {
    try WebSocketServer(
      url: { _ in "" }, tls: nil, configuration: configuration, admission: admission, loops: loops,
      backplane: backplane, onRequest: nil
    ) { _ in nil }
  }

  /// Serves a connection that another library has accepted, as one that this server has accepted.
  ///
  /// Its first bytes are the request for a WebSocket; the server answers it, decides by its
  /// ``WebSocketAdmission``, and writes a refusal too. TLS is that library's: the bytes are not
  /// encrypted, and there is no client certificate. When the WebSocket has ended, the channel's `close` is
  /// called, unless the library has reported the end.
  ///
  /// - Parameters:
  ///   - channel: performs the server's calls
  ///   - peer: address of the peer, for the log, limits and `peerAddress`; nil for none
  /// - Returns: The connection, which receives the peer's bytes. Nil when the server is closed, or
  ///   refuses a thousand clients already: then close the connection.
  public func adopt(
    _ channel: AdoptedConnection.Channel, from peer: NetworkAddress?
  ) -> AdoptedConnection? {
    guard let slot = sockets.reserveSlot(for: peer) else { return nil }
    let transport = AdoptedTransport(channel, from: peer, loop: slot.loop)
    slot.loop.execute { [sockets] in sockets.accept(transport, at: slot) }
    return AdoptedConnection(transport)
  }
}
