import TestSupport
import Testing

@testable import Sockets

@Suite("OpenSSL, loaded at run time", .workerPool) struct OpenSSLTests {
  @Test func `a machine without OpenSSL reports the reason and a remedy`() {
    let error = #expect(throws: TLSError.self) {
      try OpenSSLLibrary(["libssl.so.no", "libssl.so.none"])
    }
    #expect(
      error?.description == "TLS is not available: no libssl.so.no, no libssl.so.none;"
        + " install OpenSSL 3"
    )
  }

  @Test func `a library that lacks a function is refused`() {
    let error = #expect(throws: TLSError.self) { try OpenSSLLibrary(["libc.so.6"]) }
    #expect(error?.description.contains("no TLS_client_method in libc.so.6") == true)
  }

  @Test func `the first existing library is loaded`() throws {
    _ = try OpenSSLLibrary(["libssl.so.no", "libssl.so.3"])
  }

  // MARK: Contexts

  @Test func `equal configurations share a TLS context`() throws {
    let contexts = OpenSSLContexts()
    var configuration = TLSConfiguration()
    configuration.authorities = .only(Certificates.authority)
    configuration.identity = Certificates.client
    let first = try contexts.context(configuration, isServer: false)
    #expect(try contexts.context(configuration, isServer: false) === first)
    #expect(try contexts.context(configuration, isServer: true) !== first)
    configuration.identity = nil
    #expect(try contexts.context(configuration, isServer: false) !== first)
  }

  @Test func `ever new TLS configurations do not grow the memory`() throws {
    let contexts = OpenSSLContexts()
    weak var first: OpenSSLContext?
    for number in 0..<20 {
      var configuration = TLSConfiguration()
      configuration.authorities = .only(PEM("\(number)\n" + Certificates.authority.text))
      let context = try contexts.context(configuration, isServer: false)
      if number == 0 { first = context }
    }
    #expect(first == nil)
  }

  // MARK: Invalid configurations

  private func error(_ configure: (inout TLSConfiguration) -> Void) -> TLSError? {
    var configuration = TLSConfiguration()
    configuration.authorities = .only(Certificates.authority)
    configure(&configuration)
    do throws(TLSError) {
      _ = try OpenSSL().makeSession(.client(host: "localhost"), configuration)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a PEM without the required content is an error`() {
    let lacking = TLSError.invalidConfiguration("authorities: the PEM text has no such entry")
    for text in ["", "hello", Certificates.good.privateKey.text] {
      #expect(error { $0.authorities = .only(PEM(text)) } == lacking)
    }
    #expect(
      error { $0.identity = TLSIdentity(certificateChain: PEM(""), privateKey: PEM("")) }
        == .invalidConfiguration("the certificate chain: the PEM text has no such entry")
    )
    let chain = Certificates.good.certificateChain
    // The text of OpenSSL differs between versions.
    #expect(error { $0.identity = TLSIdentity(certificateChain: chain, privateKey: chain) } != nil)
  }

  @Test func `a broken certificate behind a valid one is an error`() {
    var lines = Certificates.good.certificateChain.text.split(separator: "\n")
    lines[3] = "AAAA"
    let text = Certificates.authority.text + "\n" + lines.joined(separator: "\n")
    guard case .invalidConfiguration(let problem) = error({ $0.authorities = .only(PEM(text)) })
    else {
      Issue.record("taken")
      return
    }
    #expect(problem.hasPrefix("authorities cannot be used: "))
  }

  @Test func `a key of another certificate is an error`() {
    let identity = TLSIdentity(
      certificateChain: Certificates.good.certificateChain,
      privateKey: Certificates.client.privateKey
    )
    guard case .invalidConfiguration(let problem) = error({ $0.identity = identity }) else {
      Issue.record("taken")
      return
    }
    #expect(problem.contains("key values mismatch"))
  }

  @Test func `a key with a passphrase is an error without a prompt on the terminal`() {
    let key = """
      -----BEGIN ENCRYPTED PRIVATE KEY-----
      MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhjZGVmZ2hpagICCAAw
      DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEAABAgMEBQYHCAkKCwwNDg8EgZAA
      -----END ENCRYPTED PRIVATE KEY-----
      """
    let identity = TLSIdentity(
      certificateChain: Certificates.good.certificateChain,
      privateKey: PEM(key)
    )
    guard case .invalidConfiguration = error({ $0.identity = identity }) else {
      Issue.record("taken")
      return
    }
  }

  @Test func `a server without an identity is an error`() {
    #expect(throws: TLSError.invalidConfiguration("a server needs an identity")) {
      try OpenSSL().makeSession(.server, TLSConfiguration())
    }
  }
}
