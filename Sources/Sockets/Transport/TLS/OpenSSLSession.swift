#if canImport(CReactiveSystem)
import CReactiveSystem

/// The TLS of one connection: an OpenSSL `SSL` between two buffers instead of a socket.
final class OpenSSLSession: TLSSession {
  private let context: OpenSSLContext
  private let role: TLSRole
  /// Owned: freed with this object, and used only inside its calls, which are made one at a time.
  private let tls: UnsafeMutablePointer<csystem_tls>
  /// An error that occurred after bytes which must be delivered first; the next `read` throws it.
  private var failure: TLSError?

  /// The size of a buffer for one call of OpenSSL, which counts in 32 bits: at most 1 MiB.
  private static func size(_ count: Int) -> Int32 { Int32(min(count, 1 << 20)) }

  init(_ context: OpenSSLContext, _ role: TLSRole) throws(TLSError) {
    let library = context.library
    library.clearErrors()
    let isServer: Int32 = role == .server ? 1 : 0
    let (functions, method) = (library.functions, library.bioMethod)
    guard let tls = csystem_tls_new(functions, context.pointer, method, isServer) else {
      throw .failed(reason: library.words)
    }
    self.context = context
    self.role = role
    self.tls = tls
    if case .client(let host) = role { try expect(host) }
  }

  deinit { csystem_tls_free(tls) }

  private func expect(_ host: String) throws(TLSError) {
    // The zone names an interface of this machine, and certificates have no dot of absolute names.
    var name = String(host.prefix { $0 != "%" })
    if name.hasSuffix(".") { name.removeLast() }
    let isAddress = NetworkAddress(name) != nil
    guard !name.isEmpty, csystem_tls_expect(tls, name, isAddress ? 1 : 0) == 1 else {
      throw .invalidConfiguration("a certificate cannot contain the name \(host)")
    }
  }

  private var functions: UnsafePointer<csystem_openssl> { context.library.functions }

  // MARK: TLSSession

  func shakeHands(_ input: inout UnsafeRawBufferPointer) throws(TLSError) -> Bool {
    let (result, error) = call(&input) { functions.pointee.SSL_do_handshake($0) }
    if result != 1 {
      guard error == csystem_error_wants_read else {
        let reason = reason(isInHandshake: true)
        if reason == .notTLS, role == .server { refusePlaintext() }
        throw reason
      }
      return false
    }
    try checkPins()
    return true
  }

  /// Answers a client that does not speak TLS with the alert `unexpected_message` (RFC 8446, 6.2).
  ///
  /// It shows the client that TLS is expected. OpenSSL itself sends nothing.
  private func refusePlaintext() {
    let alert: [UInt8] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x0A]
    guard let room = csystem_tls_room(tls, alert.count) else { return }
    room.update(from: alert, count: alert.count)
    tls.pointee.output_count += alert.count
  }

  func read(
    _ input: inout UnsafeRawBufferPointer,
    into plaintext: UnsafeMutableRawBufferPointer
  ) throws(TLSError) -> TLSInput {
    if let failure { throw failure }
    var count = 0
    // OpenSSL returns one record per call.
    while count < plaintext.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: plaintext[count...])
      let (result, error) = call(&input) {
        functions.pointee.SSL_read($0, rest.baseAddress, Self.size(rest.count))
      }
      if result > 0 {
        count += Int(result)
      } else if error == csystem_error_wants_read || count > 0 {
        if error != csystem_error_wants_read && error != csystem_error_zero_return {
          failure = reason()
        }
        break
      } else if error == csystem_error_zero_return {
        return .ended
      } else {
        throw reason()
      }
    }
    return count > 0 ? .bytes(count) : .needsMore
  }

  func write(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) -> Int {
    guard !plaintext.isEmpty else { return 0 }
    var nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    let (result, error) = call(&nothing) {
      functions.pointee.SSL_write($0, plaintext.baseAddress, Self.size(plaintext.count))
    }
    if result > 0 { return Int(result) }
    guard error == csystem_error_wants_read else { throw reason() }
    return 0
  }

  func end() {
    var nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    _ = call(&nothing) { functions.pointee.SSL_shutdown($0) }
  }

  func drain(_ take: (UnsafeRawBufferPointer) -> Int) -> Bool {
    while tls.pointee.output_count > 0 {
      let start = tls.pointee.output + tls.pointee.output_start
      let taken = take(UnsafeRawBufferPointer(start: start, count: tls.pointee.output_count))
      guard taken > 0 else { return false }
      csystem_tls_sent(tls, taken)
    }
    return true
  }

  /// Calls OpenSSL, which may take bytes of `input` and must not keep a pointer to them.
  private func call(
    _ input: inout UnsafeRawBufferPointer,
    _ body: (UnsafeMutableRawPointer?) -> Int32
  ) -> (result: Int32, error: Int32) {
    tls.pointee.input = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    tls.pointee.input_count = input.count
    context.library.clearErrors()
    let result = body(tls.pointee.ssl)
    let error = result > 0 ? 0 : functions.pointee.SSL_get_error(tls.pointee.ssl, result)
    let taken = input.count - tls.pointee.input_count
    input = UnsafeRawBufferPointer(rebasing: input[taken...])
    tls.pointee.input = nil
    tls.pointee.input_count = 0
    return (result, error)
  }

  var clientCertificate: TLSClientCertificate? {
    guard role == .server else { return nil }
    var certificate = csystem_certificate()
    guard csystem_tls_certificate(tls, &certificate) == 1 else { return nil }
    defer { csystem_certificate_free(&certificate) }
    return TLSClientCertificate(certificate)
  }

  // MARK: Verifying and errors

  private func checkPins() throws(TLSError) {
    if context.pins.isEmpty { return }
    var first: PublicKeyPin?
    for index in 0... {
      var digest = [UInt8](repeating: 0, count: 32)
      guard csystem_tls_pin(tls, Int32(index), &digest) == 1 else { break }
      let pin = PublicKeyPin(digest: digest)
      if context.pins.contains(pin) { return }
      first = first ?? pin
    }
    // The handshake is complete, so no alert is defined for this.
    end()
    throw first.map { .keyNotPinned($0) } ?? .untrusted(reason: "no public key")
  }

  /// The error of the last failed call.
  private func reason(isInHandshake: Bool = false) -> TLSError {
    if tls.pointee.verify_error != 0 { return verificationError }
    return .failure(
      Int(csystem_openssl_reason(functions)),
      words: context.library.words,
      isInHandshake: isInHandshake,
      lacksCertificate: tls.pointee.certificate_asked == 1
    )
  }

  private var verificationError: TLSError {
    let code = Int(tls.pointee.verify_error)
    let words = functions.pointee.X509_verify_cert_error_string(code).map { String(cString: $0) }
    let issuer = withUnsafeBytes(of: tls.pointee.verify_issuer) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    var host = ""
    if case .client(let expected) = role { host = expected }
    return .unverified(
      code,
      depth: Int(tls.pointee.verify_depth),
      issuer: issuer,
      host: host,
      words: words ?? "error \(code)"
    )
  }
}
#endif
