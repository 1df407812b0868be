#if canImport(CReactiveSystem)
import CReactiveSystem

/// A cache of contexts by configuration: reading a system's authorities takes longer than a
/// handshake.
final class OpenSSLContexts: Sendable {
  static let shared = OpenSSLContexts()

  private struct Key: Equatable {
    let configuration: TLSConfiguration
    let isServer: Bool
  }

  /// How many contexts are kept, the newest ones; a connection retains its own.
  private static let limit = 16
  private let contexts = Locked<[(key: Key, context: OpenSSLContext)]>([])

  /// Returns the context of an equal configuration, or makes one.
  func context(
    _ configuration: TLSConfiguration,
    isServer: Bool
  ) throws(TLSError) -> OpenSSLContext {
    let key = Key(configuration: configuration, isServer: isServer)
    if let known = contexts.withLock({ $0.first { $0.key == key } }) { return known.context }
    // Made without the lock. If two threads make equal contexts, both are kept until newer ones
    // replace them, and the first one is used.
    let library = try OpenSSLLibrary.shared.get()
    let context = try OpenSSLContext(library, configuration, isServer: isServer)
    let dropped = contexts.withLock { contexts in
      contexts.append((key, context))
      return contexts.count > Self.limit ? contexts.removeFirst() : nil
    }
    withExtendedLifetime(dropped) {}
    return context
  }
}

/// OpenSSL's form of a configuration: `SSL_CTX`.
///
/// It is changed in its initializer only. OpenSSL allows any number of threads to make connections
/// with it.
final class OpenSSLContext: @unchecked Sendable {
  let library: OpenSSLLibrary
  let pins: Set<PublicKeyPin>
  /// Owned: freed with this object, which every session retains.
  let pointer: UnsafeMutableRawPointer
  /// The contexts of a server's names; nil without identities by name.
  private let names: ServerNames<OpenSSLContext>?
  private let hasIdentity: Bool

  private var functions: UnsafePointer<csystem_openssl> { library.functions }

  private init(
    _ library: OpenSSLLibrary,
    isServer: Bool,
    _ identity: TLSIdentity?,
    pins: Set<PublicKeyPin> = [],
    names: ServerNames<OpenSSLContext>? = nil
  ) throws(TLSError) {
    library.clearErrors()
    guard let pointer = csystem_context_new(library.functions, isServer ? 1 : 0) else {
      throw .failed(reason: library.words)
    }
    self.library = library
    self.pointer = pointer
    (self.pins, self.names) = (pins, names)
    hasIdentity = identity != nil
    if let identity { try show(identity) }
    if isServer, !hasIdentity, names == nil {
      throw .invalidConfiguration("a server needs an identity")
    }
  }

  convenience init(
    _ library: OpenSSLLibrary,
    _ configuration: TLSConfiguration,
    isServer: Bool
  ) throws(TLSError) {
    try self.init(library, isServer: isServer, configuration.identity, pins: configuration.pins)
    if isServer { return }
    try trust(configuration.authorities)
    prepareClient()
  }

  deinit { functions.pointee.SSL_CTX_free(pointer) }

  // MARK: Servers

  /// Makes the context with which each connection of a server begins.
  ///
  /// - Throws: The error in an identity, the names or the authorities.
  convenience init(
    _ library: OpenSSLLibrary, serving configuration: TLSServerConfiguration
  ) throws(TLSError) {
    var contexts: [String: OpenSSLContext] = [:]
    // Sorted, so that several invalid identities always report the same one.
    for (name, identity) in configuration.identities.sorted(by: { $0.key < $1.key }) {
      let context = try Self.context(library, of: name, identity)
      try context.ask(configuration.clientCertificates)
      contexts[name] = context
    }
    let names = contexts.isEmpty ? nil : try ServerNames(contexts)
    try self.init(library, isServer: true, configuration.identity, names: names)
    try ask(configuration.clientCertificates)
    if names != nil {
      csystem_context_forbid_resumption(library.functions, pointer)
      chooseByName()
    }
  }

  /// Makes the context of one server name.
  ///
  /// - Throws: The error in the identity, with the name.
  private static func context(
    _ library: OpenSSLLibrary, of name: String, _ identity: TLSIdentity
  ) throws(TLSError) -> OpenSSLContext {
    do throws(TLSError) {
      return try OpenSSLContext(library, isServer: true, identity)
    } catch {
      guard case .invalidConfiguration(let problem) = error else { throw error }
      throw .invalidConfiguration("identity of \(name.debugDescription): \(problem)")
    }
  }

  /// The most bytes of a client's certificates and their issuers': 8 KiB, which take 4 ms.
  private static let clientCertificatesLimit = 8 << 10

  /// Asks clients for certificates, and forbids resumption: a resumed session would not be asked.
  private func ask(_ certificates: TLSServerConfiguration.ClientCertificates) throws(TLSError) {
    guard let authorities = certificates.authorities else { return }
    csystem_context_forbid_resumption(library.functions, pointer)
    csystem_context_limit_certificates(library.functions, pointer, Self.clientCertificatesLimit)
    allowPartialChains()
    try add(authorities, csystem_pem_client_authorities, "authorities")
    if case .required = certificates {
      verify(csystem_verify_required)
    } else {
      verify(csystem_verify_peer)
    }
  }

  /// Gives each connection the context of the name that its client requests.
  private func chooseByName() {
    // Every session retains its first context, so it exists when OpenSSL calls this.
    let argument = Unmanaged.passUnretained(self).toOpaque()
    csystem_context_choose(
      functions, pointer,
      { tls, alert, argument in
        guard let tls, let argument, let functions = OpenSSLLibrary.functions else {
          return csystem_server_name_refused
        }
        let first = Unmanaged<OpenSSLContext>.fromOpaque(argument).takeUnretainedValue()
        // 0 is the type of host names, the only one defined.
        let name = functions.pointee.SSL_get_servername(tls, 0).map { String(cString: $0) }
        if let context = name.flatMap({ first.names?[$0] }) {
          _ = functions.pointee.SSL_set_SSL_CTX(tls, context.pointer)
        } else if !first.hasIdentity {
          alert?.pointee = csystem_alert_unrecognized_name
          return csystem_server_name_refused
        }
        return csystem_server_name_known
      }, argument)
  }

  // MARK: Trust

  private func trust(_ authorities: TLSConfiguration.Authorities) throws(TLSError) {
    allowPartialChains()
    switch authorities {
    case .system: try trustSystem()
    case .systemAnd(let certificates):
      try trustSystem()
      try add(certificates, csystem_pem_authorities, "authorities")
    case .only(let certificates): try add(certificates, csystem_pem_authorities, "authorities")
    }
  }

  private func trustSystem() throws(TLSError) {
    library.clearErrors()
    let system = SystemAuthorities.find(
      file: text(functions.pointee.X509_get_default_cert_file()),
      directory: text(functions.pointee.X509_get_default_cert_dir())
    )
    let result: Int32
    switch system {
    case .known: result = functions.pointee.SSL_CTX_set_default_verify_paths(pointer)
    case .found(let file, let directory):
      result = functions.pointee.SSL_CTX_load_verify_locations(pointer, file, directory)
    case .missing(let searched): throw .noAuthorities(searched: searched)
    }
    guard result == 1 else { throw .failed(reason: library.words) }
  }

  private func text(_ characters: UnsafePointer<CChar>?) -> String {
    characters.map { String(cString: $0) } ?? ""
  }

  /// Makes every trusted certificate an end of the chain, also one that is not self-signed.
  private func allowPartialChains() {
    let store = functions.pointee.SSL_CTX_get_cert_store(pointer)
    _ = functions.pointee.X509_STORE_set_flags(store, csystem_partial_chain)
  }

  /// Verifies the peer, and records the first error for the message.
  private func verify(_ mode: Int32) {
    functions.pointee.SSL_CTX_set_verify(pointer, mode) { isGood, store in
      OpenSSLLibrary.functions.map { csystem_tls_verify($0, isGood, store) } ?? 0
    }
  }

  private func prepareClient() {
    verify(csystem_verify_peer)
    functions.pointee.SSL_CTX_set_client_cert_cb(pointer) { ssl, _, _ in
      OpenSSLLibrary.functions.map { csystem_tls_certificate_asked($0, ssl) } ?? 0
    }
    // RFC 7301: each name has its length in front. HTTP/2 uses another handshake for WebSockets.
    let protocols = [UInt8("http/1.1".utf8.count)] + Array("http/1.1".utf8)
    _ = functions.pointee.SSL_CTX_set_alpn_protos(pointer, protocols, UInt32(protocols.count))
  }

  // MARK: Identity

  private func show(_ identity: TLSIdentity) throws(TLSError) {
    try add(identity.certificateChain, csystem_pem_certificate_chain, "the certificate chain")
    try add(identity.privateKey, csystem_pem_private_key, "the private key")
    library.clearErrors()
    guard functions.pointee.SSL_CTX_check_private_key(pointer) == 1 else {
      throw .invalidConfiguration(
        "the certificate and the private key do not match: \(library.words)")
    }
  }

  private func add(_ pem: PEM, _ kind: csystem_pem, _ what: String) throws(TLSError) {
    var text = pem.text
    let count = text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { bytes in
        csystem_context_add(library.functions, pointer, kind, bytes.baseAddress, bytes.count)
      }
    }
    if count < 0 { throw .invalidConfiguration("\(what) cannot be used: \(library.words)") }
    if count == 0 { throw .invalidConfiguration("\(what): the PEM text has no such entry") }
  }
}
#endif
