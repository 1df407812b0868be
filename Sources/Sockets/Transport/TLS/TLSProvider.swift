/// A TLS stack: ``OpenSSL`` unless a configuration has another one.
public protocol TLSProvider: Sendable {
  /// One connection's TLS, which has not begun.
  ///
  /// Called for each connection: for a client on a thread on which it may take its time, for a server on
  /// the event loop's, where what takes long was done by the call when the server was made.
  func makeSession(
    _ role: TLSRole,
    _ configuration: TLSConfiguration
  ) throws(TLSError) -> any TLSSession

  /// Makes the sessions of a server.
  typealias MakeSession = @Sendable () throws(TLSError) -> any TLSSession

  /// What makes the sessions of a server, called for each connection on its event loop's thread: whatever takes
  /// long is done before this returns.
  ///
  /// The default implementation knows one identity, and throws `unavailable` for names and certificates of clients.
  func prepare(_ configuration: TLSServerConfiguration) throws(TLSError) -> MakeSession
}

extension TLSProvider {
  /// What makes the sessions of a server with one identity by `makeSession`.
  public func prepare(_ server: TLSServerConfiguration) throws(TLSError) -> MakeSession {
    guard server.identities.isEmpty, server.clientCertificates == .notRequested else {
      throw .unavailable(reason: "\(Self.self) knows no server names and no client certificates")
    }
    var configuration = TLSConfiguration()
    configuration.identity = server.identity
    let tls = configuration
    // So that an identity of no use is known now, and not when the first client comes.
    _ = try makeSession(.server, tls)
    return { () throws(TLSError) in try makeSession(.server, tls) }
  }
}

/// Which side of a connection a TLS session is.
public enum TLSRole: Hashable, Sendable {
  /// The side that connects, to a server whose certificate has to be for `host`: a name, which is sent
  /// as SNI too, or an IP address without brackets.
  case client(host: String)
  /// The side that is connected to, with the identity of the configuration. Clients are not asked who
  /// they are: see ``TLSProvider/prepare(_:)``.
  case server
}

/// TLS of one connection, without I/O: ciphertext in, plaintext out, and the other way round.
///
/// Its calls come one at a time, from any thread. Whatever throws has ended the session; there may be
/// an alert to be drained.
public protocol TLSSession: AnyObject {
  /// Goes on with the handshake, taking what it needs off the front of `input`.
  ///
  /// The first call, with nothing, begins it. ALPN is `http/1.1`.
  ///
  /// - Returns: Whether the handshake is done and the peer is who it should be. If not, all of `input`
  ///   was taken, and more is needed.
  func shakeHands(_ input: inout UnsafeRawBufferPointer) throws(TLSError) -> Bool

  /// Takes ciphertext off the front of `input` and fills `plaintext` as far as it goes.
  func read(
    _ input: inout UnsafeRawBufferPointer,
    into plaintext: UnsafeMutableRawBufferPointer
  ) throws(TLSError) -> TLSInput

  /// Encrypts; returns how many bytes of `plaintext` were taken: 0 when the session has to `read` first,
  /// after which it is called again.
  ///
  /// Not called before the handshake is done, and not after `end`.
  func write(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) -> Int

  /// Says that no more will be written: `close_notify` is the last thing to be drained.
  func end()

  /// Hands what is to be sent to `take`, which returns how much of it was; true when nothing is left.
  func drain(_ take: (UnsafeRawBufferPointer) -> Int) -> Bool

  /// The certificate that a server's client has shown, verified; nil without one, which is the default
  /// implementation.
  ///
  /// Asked for when the handshake is done.
  var clientCertificate: TLSClientCertificate? { get }
}

extension TLSSession {
  /// None.
  public var clientCertificate: TLSClientCertificate? { nil }
}

/// What comes of ciphertext.
public enum TLSInput: Hashable, Sendable {
  /// So many bytes of plaintext, at least one. There may be more.
  case bytes(Int)
  /// All was taken, and there is nothing more to be read without more of it.
  case needsMore
  /// The peer has said that it will send no more.
  case ended
}
