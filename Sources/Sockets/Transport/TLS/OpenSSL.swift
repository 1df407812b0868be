/// TLS by OpenSSL 3, which is loaded when it is first used; the default.
///
/// Nothing is linked, and a program that never opens `wss` runs without it. `libssl.so.3` is on
/// nearly every Linux: it is there wherever FoundationNetworking or curl is. OpenSSL 1.1 is loaded in
/// its absence and is not tested. Without either, and on other platforms, connecting fails with
/// `TLSError.unavailable`.
public struct OpenSSL: TLSProvider {
  /// The provider.
  public init() {}

  /// A session of OpenSSL.
  public func makeSession(
    _ role: TLSRole,
    _ configuration: TLSConfiguration
  ) throws(TLSError) -> any TLSSession {
    #if canImport(CReactiveSystem)
    let context = try OpenSSLContexts.shared.context(configuration, isServer: role == .server)
    return try OpenSSLSession(context, role)
    #else
    throw .unavailable(reason: "OpenSSL is loaded on Linux only; set another tlsProvider")
    #endif
  }

  /// Sessions of OpenSSL that share what was made of the configuration.
  public func prepare(_ configuration: TLSServerConfiguration) throws(TLSError) -> MakeSession {
    #if canImport(CReactiveSystem)
    let context = try OpenSSLContext(OpenSSLLibrary.shared.get(), serving: configuration)
    return { () throws(TLSError) in try OpenSSLSession(context, .server) }
    #else
    throw .unavailable(reason: "OpenSSL is loaded on Linux only; set another tlsProvider")
    #endif
  }
}

#if canImport(CReactiveSystem)
import CReactiveSystem

/// The functions of OpenSSL.
///
/// Written once, before anybody else sees it; OpenSSL itself is thread-safe for all that belongs to one
/// connection or is only read. The library is never unloaded.
final class OpenSSLLibrary: @unchecked Sendable {
  let functions: UnsafePointer<csystem_openssl>
  /// The kind of BIO through which connections take and give bytes.
  let bioMethod: UnsafeMutableRawPointer

  static let shared = Result { () throws(TLSError) in
    try OpenSSLLibrary(["libssl.so.3", "libssl.so.1.1"])
  }

  /// Loads the first of these that there is.
  init(_ names: [String]) throws(TLSError) {
    let functions = UnsafeMutablePointer<csystem_openssl>.allocate(capacity: 1)
    functions.initialize(to: csystem_openssl())
    var missing: [String] = []
    for name in names {
      guard let missingName = csystem_openssl_load(functions, name) else {
        guard let method = Self.makeBIOMethod(functions) else { break }
        (self.functions, bioMethod) = (UnsafePointer(functions), method)
        return
      }
      let function = String(cString: missingName)
      missing.append(function.isEmpty ? "no \(name)" : "no \(function) in \(name)")
    }
    functions.deallocate()
    throw .unavailable(reason: missing.joined(separator: ", ") + "; install OpenSSL 3")
  }

  deinit {
    functions.pointee.BIO_meth_free(bioMethod)
    functions.deallocate()
  }

  private static func makeBIOMethod(
    _ functions: UnsafePointer<csystem_openssl>
  ) -> UnsafeMutableRawPointer? {
    guard let method = functions.pointee.BIO_meth_new(csystem_bio_source_sink, "Sockets") else {
      return nil
    }
    _ = functions.pointee.BIO_meth_set_read(method) { bio, bytes, count in
      OpenSSLLibrary.functions.map { csystem_bio_read($0, bio, bytes, count) } ?? -1
    }
    _ = functions.pointee.BIO_meth_set_write(method) { bio, bytes, count in
      OpenSSLLibrary.functions.map { csystem_bio_write($0, bio, bytes, count) } ?? -1
    }
    _ = functions.pointee.BIO_meth_set_ctrl(method) { _, command, _, _ in
      csystem_bio_ctrl(command)
    }
    return method
  }

  /// What OpenSSL's callbacks, which capture nothing, need: the shared library's functions.
  static var functions: UnsafePointer<csystem_openssl>? { try? shared.get().functions }

  /// OpenSSL's words for the first error in this thread's queue.
  var words: String { csystem_openssl_words(functions).map { String(cString: $0) } ?? "no reason" }

  /// To be called before each call whose error counts: the queue is the thread's, and may hold another
  /// connection's.
  func clearErrors() { functions.pointee.ERR_clear_error() }
}
#endif
