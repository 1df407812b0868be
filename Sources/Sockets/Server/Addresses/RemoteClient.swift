/// The client of a server's connection.
struct RemoteClient: Hashable, Sendable {
  /// The number of the connection, counted by the server from 1.
  let number: Int
  /// The address of the connection; nil where there is no network.
  let peerAddress: NetworkAddress?
  /// The client's address according to the trusted proxies; the peer's without a proxy.
  var address: NetworkAddress?
}

extension RemoteClient: CustomStringConvertible {
  /// The name of the connection in the log.
  var description: String {
    guard let address else { return "connection \(number)" }
    let proxy = peerAddress == address ? "" : peerAddress.map { " by \($0)" } ?? ""
    return "connection \(number) from \(address)\(proxy)"
  }
}

// MARK: - The form that a request stores

extension RemoteClient {
  /// The bytes of the longest form.
  static let longestForm = 8 + 2 * 19

  /// Appends the number, the address of the peer, and the client's if it differs.
  func append(to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number) { bytes += $0 }
    Self.append(peerAddress, to: &bytes)
    if address != peerAddress { Self.append(address, to: &bytes) }
  }

  /// Reads what `append` has written; nil for no bytes.
  init?(form: ArraySlice<UInt8>) {
    guard !form.isEmpty else { return nil }
    var rest = form
    number = Int(truncatingIfNeeded: rest.takeNumber(8))
    peerAddress = Self.takeAddress(&rest)
    address = rest.isEmpty ? peerAddress : Self.takeAddress(&rest)
  }

  /// An address begins with its number of bytes, and with 1 more if it has a port; 0 without one.
  private static func append(_ address: NetworkAddress?, to bytes: inout [UInt8]) {
    guard let address else { return bytes.append(0) }
    let length = address.isIPv4 ? 4 : 16
    bytes.append(UInt8(length + (address.port == nil ? 0 : 1)))
    withUnsafeBytes(of: address.bits.littleEndian) { bytes += $0.prefix(length) }
    if let port = address.port { withUnsafeBytes(of: port.littleEndian) { bytes += $0 } }
  }

  private static func takeAddress(_ rest: inout ArraySlice<UInt8>) -> NetworkAddress? {
    let kind = Int(rest.takeNumber(1))
    if kind == 0 { return nil }
    let bits = rest.takeNumber(kind & ~1)
    let port = kind & 1 == 1 ? UInt16(rest.takeNumber(2)) : nil
    return NetworkAddress(bits: kind & 4 == 4 ? 0xFFFF << 32 | bits : bits, port: port)
  }
}

extension ArraySlice<UInt8> {
  /// Takes the first `count` bytes, the lowest one first.
  fileprivate mutating func takeNumber(_ count: Int) -> UInt128 {
    let number = prefix(count).reversed().reduce(0) { $0 << 8 | UInt128($1) }
    self = dropFirst(count)
    return number
  }
}
