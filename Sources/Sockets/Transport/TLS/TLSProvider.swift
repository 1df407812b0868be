/// A TLS implementation: OpenSSL unless a configuration sets another one.
public protocol TLSProvider: Sendable {
  /// Makes the TLS session of one connection, before its handshake.
  ///
  /// It is called once for each connection. A client's call is made on a thread that may block. A
  /// server's calls are made on an event loop's thread, which may not: the call that `prepare`
  /// makes does the slow work.
  func makeSession(
    _ role: TLSRole,
    _ configuration: TLSConfiguration
  ) throws(TLSError) -> any TLSSession

  /// Makes a session for one connection of a server.
  typealias MakeSession = @Sendable () throws(TLSError) -> any TLSSession

  /// Prepares a server's TLS and returns the closure that makes the session of each connection.
  ///
  /// The closure is called on the event loop's thread, so all slow work is done before this
  /// returns.
  ///
  /// The default implementation supports one identity, and throws `unavailable` for identities by
  /// name and for certificates of clients.
  func prepare(_ configuration: TLSServerConfiguration) throws(TLSError) -> MakeSession
}

extension TLSProvider {
  /// Prepares the TLS of a server with one identity by calling `makeSession`.
  public func prepare(_ server: TLSServerConfiguration) throws(TLSError) -> MakeSession {
    guard server.identities.isEmpty, server.clientCertificates == .notRequested else {
      throw .unavailable(
        reason: "\(Self.self) supports neither identities by name nor client certificates")
    }
    var configuration = TLSConfiguration()
    configuration.identity = server.identity
    let tls = configuration
    // This reports an unusable identity now, and not when the first client connects.
    _ = try makeSession(.server, tls)
    return { () throws(TLSError) in try makeSession(.server, tls) }
  }
}

/// The side of a connection that a TLS session is for.
public enum TLSRole: Hashable, Sendable {
  /// The side that connects. The server's certificate must be valid for `host`: a name, which is
  /// also sent as SNI, or an IP address without brackets.
  case client(host: String)
  /// The side that accepts, with the identity of the configuration.
  ///
  /// Clients are not asked for certificates: see ``TLSProvider/prepare(_:)``.
  case server
}

/// The TLS of one connection, without I/O: it turns ciphertext into plaintext and the reverse.
///
/// The calls are made one at a time, from any thread. A call that throws ends the session; an alert
/// may then be left to drain.
public protocol TLSSession: AnyObject {
  /// Continues the handshake, and takes the bytes that it needs off the front of `input`.
  ///
  /// The first call, with empty input, begins the handshake. ALPN is `http/1.1`.
  ///
  /// - Returns: Whether the handshake is complete and the peer is verified. After false, all of
  ///   `input` is used, and more is needed.
  func shakeHands(_ input: inout UnsafeRawBufferPointer) throws(TLSError) -> Bool

  /// Takes ciphertext off the front of `input` and decrypts as much as fits into `plaintext`.
  func read(
    _ input: inout UnsafeRawBufferPointer,
    into plaintext: UnsafeMutableRawBufferPointer
  ) throws(TLSError) -> TLSInput

  /// Encrypts and returns how many bytes of `plaintext` were accepted.
  ///
  /// Zero means that the session has to `read` first; the call is repeated after that. It is not
  /// called before the handshake is complete, nor after `end`.
  func write(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) -> Int

  /// Ends writing: `close_notify` is the last output.
  func end()

  /// Passes the output to `take`, which returns how many bytes it accepted; true when none is left.
  func drain(_ take: (UnsafeRawBufferPointer) -> Int) -> Bool

  /// The verified certificate of a server's client; nil without one.
  ///
  /// It is read after the handshake. The default implementation returns nil.
  var clientCertificate: TLSClientCertificate? { get }
}

extension TLSSession {
  /// Returns nil: the session asks for no certificate.
  public var clientCertificate: TLSClientCertificate? { nil }
}

/// The result of decrypting.
public enum TLSInput: Hashable, Sendable {
  /// The number of plaintext bytes, at least one. There may be more.
  case bytes(Int)
  /// All input is used; more is needed before there is plaintext.
  case needsMore
  /// The peer has sent `close_notify`: it will send no more.
  case ended
}
