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

extension RemoteClient {
  /// The form that a request stores: number, address of the peer, and the client's if it differs.
  var compact: String {
    let addresses = peerAddress == address ? [peerAddress] : [peerAddress, address]
    return ([String(number)] + addresses.map { $0?.description ?? "-" }).joined(separator: " ")
  }

  init?(compact: String) {
    let parts = compact.split(separator: " ")
    guard let number = parts.first.flatMap({ Int($0) }) else { return nil }
    let addresses = parts.dropFirst().map { NetworkAddress(forwarded: $0) }
    self.init(
      number: number, peerAddress: addresses.first ?? nil, address: addresses.last ?? nil)
  }
}
