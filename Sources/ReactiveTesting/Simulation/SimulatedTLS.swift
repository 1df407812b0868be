import Sockets

/// The TLS of a simulated machine: its certificate names the machine, and every machine trusts it.
///
/// The handshake, its alerts and the end follow TLS 1.3 in their order, so that a cut connection fails where a real
/// one does. Nothing is encrypted. Keys, authorities and pins of a configuration are not looked at.
struct SimulatedTLS: TLSProvider {
  /// The name of the machine.
  let name: String

  func makeSession(_ role: TLSRole, _ configuration: TLSConfiguration) -> any TLSSession {
    switch role {
    case .client(let host):
      SimulatedTLSSession(
        .client(of: host, as: configuration.identity == nil ? nil : name))
    case .server: SimulatedTLSSession(.server { [name] _ in name })
    }
  }

  func prepare(_ configuration: TLSServerConfiguration) throws(TLSError) -> MakeSession {
    let names = try ServerNames(configuration.identities)
    let hasDefault = configuration.identity != nil
    let certificate: @Sendable (String) -> String? = { [name] requested in
      names[requested] != nil ? requested : hasDefault ? name : nil
    }
    let asked: SimulatedTLSSession.Asking =
      switch configuration.clientCertificates {
      case .notRequested: .never
      case .requested: .requested
      case .required: .required
      }
    return { SimulatedTLSSession(.server(asking: asked, certificate)) }
  }
}

/// The TLS of one simulated connection: records without encryption (RFC 8446, section 5.1).
///
/// Used under the lock of its transport, on the thread of the simulation.
final class SimulatedTLSSession: TLSSession {
  /// Whether a server asks for the certificate of its client.
  enum Asking: UInt8 { case never, requested, required }

  enum Role {
    /// Connects to `host`; `name` is in its certificate, nil without one.
    case client(of: String, as: String?)
    /// Accepts; the closure returns the name in the certificate for a requested name, nil without one.
    case server(asking: Asking = .never, (String) -> String?)
  }

  private enum Phase {
    case starting
    /// A client waits for the certificate, a server for the requested name.
    case waitingForPeer
    /// A server waits for the certificate of its client, which may be empty.
    case waitingForClient
    case open
  }

  /// RFC 8446, sections 4 and 5.1.
  private enum Kind: UInt8 {
    case alert = 21
    case handshake, data
  }

  /// RFC 8446, section 6.
  private enum Alert: UInt8 {
    case closeNotify = 0
    case unexpectedMessage = 10
    case badCertificate = 42
    case unrecognizedName = 112
    case certificateRequired = 116

    var name: String {
      switch self {
      case .closeNotify: "close_notify"
      case .unexpectedMessage: "unexpected_message"
      case .badCertificate: "bad_certificate"
      case .unrecognizedName: "unrecognized_name"
      case .certificateRequired: "certificate_required"
      }
    }
  }

  private let role: Role
  private var phase = Phase.starting
  /// What has arrived and is not used.
  private var input: [UInt8] = []
  /// The rest of a record of data that did not fit.
  private var data: ArraySlice<UInt8> = []
  private var output: [UInt8] = []
  private(set) var clientCertificate: TLSClientCertificate?

  /// The most bytes of a record (RFC 8446, section 5.1).
  private static let longestRecord = 16_384

  init(_ role: Role) { self.role = role }

  // MARK: The handshake

  func shakeHands(_ input: inout UnsafeRawBufferPointer) throws(TLSError) -> Bool {
    if phase == .starting {
      phase = .waitingForPeer
      if case .client(let host, _) = role { put(.handshake, Array(host.utf8)) }
    }
    take(&input)
    while phase != .open, let (kind, bytes) = try nextRecord() {
      switch kind {
      case .handshake: try receiveHandshake(bytes)
      case .alert: throw error(of: bytes)
      case .data: throw refuse(.unexpectedMessage, .failed(reason: "data before the handshake"))
      }
    }
    return phase == .open
  }

  private func receiveHandshake(_ bytes: ArraySlice<UInt8>) throws(TLSError) {
    switch role {
    case .client(let host, let own):
      // The first byte says whether the server asks for a certificate.
      guard String(decoding: bytes.dropFirst(), as: UTF8.self) == Self.withoutDot(host) else {
        throw refuse(.badCertificate, .wrongHost(host))
      }
      let isAsked = bytes.first != Asking.never.rawValue
      put(.handshake, [UInt8](((isAsked ? own : nil) ?? "").utf8))
      phase = .open
    case .server(let asking, let certificate):
      let text = String(decoding: bytes, as: UTF8.self)
      if phase == .waitingForClient { return try receiveClient(text, asking) }
      phase = .waitingForClient
      guard let name = certificate(text) else {
        throw refuse(.unrecognizedName, .failed(reason: "no identity for the name \(text)"))
      }
      put(.handshake, [asking.rawValue] + Self.withoutDot(name).utf8)
    }
  }

  private func receiveClient(_ client: String, _ asking: Asking) throws(TLSError) {
    if !client.isEmpty {
      clientCertificate = Self.certificate(of: client)
    } else if asking == .required {
      throw refuse(.certificateRequired, .noClientCertificate)
    }
    phase = .open
  }

  /// The certificate of a machine; its fingerprint is another one for each name.
  private static func certificate(of name: String) -> TLSClientCertificate {
    let bytes = Array(name.utf8)
    let digest = (0..<32).map { index in
      bytes.reduce(UInt8(index)) { ($0 &* 31) ^ $1 &+ UInt8(index) }
    }
    return TLSClientCertificate(
      subject: "CN=\(name)", commonName: name, dnsNames: [name], fingerprint: digest.hexadecimal)
  }

  private static func withoutDot(_ name: String) -> String {
    name.hasSuffix(".") ? String(name.dropLast()) : name
  }

  // MARK: Records

  private func take(_ new: inout UnsafeRawBufferPointer) {
    input += new
    new = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// The next record that has arrived whole.
  private func nextRecord() throws(TLSError) -> (Kind, ArraySlice<UInt8>)? {
    guard let first = input.first else { return nil }
    guard let kind = Kind(rawValue: first), input.count == 1 || input[1] == 3 else {
      throw refuse(.unexpectedMessage, .notTLS)
    }
    guard input.count >= 5 else { return nil }
    let end = 5 + Int(input[3]) << 8 + Int(input[4])
    guard input.count >= end else { return nil }
    let bytes = input[5..<end]
    input.removeFirst(end)
    return (kind, bytes)
  }

  private func put(_ kind: Kind, _ bytes: some Collection<UInt8>) {
    let count = UInt16(bytes.count)
    output += [kind.rawValue, 3, 3, UInt8(count >> 8), UInt8(truncatingIfNeeded: count)]
    output += bytes
  }

  /// Sends an alert; returns the error of this side.
  private func refuse(_ alert: Alert, _ error: TLSError) -> TLSError {
    put(.alert, [2, alert.rawValue])
    return error
  }

  private func error(of alert: ArraySlice<UInt8>) -> TLSError {
    guard let code = alert.last, let known = Alert(rawValue: code) else {
      return .refused(alert: alert.last ?? 0, reason: "unknown")
    }
    switch (known, role) {
    case (.closeNotify, _): return .handshakeInterrupted
    case (.certificateRequired, .client(_, nil)): return .clientCertificateRequired
    default: return .refused(alert: code, reason: known.name)
    }
  }

  // MARK: After the handshake

  func read(
    _ input: inout UnsafeRawBufferPointer, into plaintext: UnsafeMutableRawBufferPointer
  ) throws(TLSError) -> TLSInput {
    take(&input)
    while data.isEmpty {
      guard let (kind, bytes) = try nextRecord() else { return .needsMore }
      switch kind {
      case .data: data = bytes
      case .alert where bytes.last == Alert.closeNotify.rawValue: return .ended
      case .alert: throw error(of: bytes)
      case .handshake: throw refuse(.unexpectedMessage, .failed(reason: "a second handshake"))
      }
    }
    let count = min(data.count, plaintext.count)
    plaintext.copyBytes(from: data.prefix(count))
    data = data.dropFirst(count)
    return .bytes(count)
  }

  func write(_ plaintext: UnsafeRawBufferPointer) -> Int {
    var rest = plaintext[...]
    while !rest.isEmpty {
      put(.data, rest.prefix(Self.longestRecord))
      rest = rest.dropFirst(Self.longestRecord)
    }
    return plaintext.count
  }

  func end() { put(.alert, [1, Alert.closeNotify.rawValue]) }

  func drain(_ take: (UnsafeRawBufferPointer) -> Int) -> Bool { output.drain(take) }
}

extension [UInt8] {
  /// Removes the bytes that `take` accepts, as `TLSSession.drain` does; returns whether none is left.
  package mutating func drain(_ take: (UnsafeRawBufferPointer) -> Int) -> Bool {
    while !isEmpty {
      let taken = withUnsafeBytes { take($0) }
      guard taken > 0 else { return false }
      removeFirst(taken)
    }
    return true
  }
}
