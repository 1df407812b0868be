/// TLS by OpenSSL 3, the default provider.
///
/// The library is loaded on first use and not linked, so a program that opens no `wss` runs without
/// it. Nearly every Linux has `libssl.so.3`, and every one with FoundationNetworking or curl.
/// OpenSSL 1.1 is loaded instead if it is missing, which is not tested. Without either, and on
/// other platforms, connecting fails with `TLSError.unavailable`.
struct OpenSSL: TLSProvider {
  #if canImport(CReactiveSystem)
  /// Makes an OpenSSL session.
  func makeSession(
    _ role: TLSRole,
    _ configuration: TLSConfiguration
  ) throws(TLSError) -> any TLSSession {
    let context = try OpenSSLContexts.shared.context(configuration, isServer: role == .server)
    return try OpenSSLSession(context, role)
  }

  /// Prepares OpenSSL sessions that share one context per identity.
  func prepare(_ configuration: TLSServerConfiguration) throws(TLSError) -> MakeSession {
    let context = try OpenSSLContext(OpenSSLLibrary.shared.get(), serving: configuration)
    return { () throws(TLSError) in try OpenSSLSession(context, .server) }
  }
  #else
  func makeSession(_: TLSRole, _: TLSConfiguration) throws(TLSError) -> any TLSSession {
    throw .unavailable(reason: "OpenSSL is loaded on Linux only; set another tlsProvider")
  }
  #endif
}

#if canImport(CReactiveSystem)
import CReactiveSystem

/// The loaded functions of OpenSSL.
///
/// They are written once, before another thread sees them, and never unloaded. OpenSSL is
/// thread-safe for objects that belong to one connection or are only read.
final class OpenSSLLibrary: @unchecked Sendable {
  let functions: UnsafePointer<csystem_openssl>
  /// The kind of BIO through which connections read and write bytes.
  let bioMethod: UnsafeMutableRawPointer

  static let shared = Result { () throws(TLSError) in
    try OpenSSLLibrary(["libssl.so.3", "libssl.so.1.1"])
  }

  /// Loads the first of these libraries that exists.
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

  /// The shared library's functions, for OpenSSL's callbacks, which capture nothing.
  static var functions: UnsafePointer<csystem_openssl>? { try? shared.get().functions }

  /// OpenSSL's text for the first error in this thread's queue.
  var words: String { csystem_openssl_words(functions).map { String(cString: $0) } ?? "no reason" }

  /// Clears this thread's errors; call it before each call whose error is read.
  ///
  /// The queue may hold an error of another connection on the same thread.
  func clearErrors() { functions.pointee.ERR_clear_error() }
}
#endif
