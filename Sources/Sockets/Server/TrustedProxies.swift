/// The proxies in front of a server whose word about a client's address counts.
///
/// ```swift
/// admission.proxies = TrustedProxies(["127.0.0.1", "10.0.0.0/8"], header: .xForwardedFor)
/// ```
///
/// A proxy adds the address that it was connected from behind those that the header has already, which may
/// be anybody's invention. So the header is read from its end: the first address that is not a trusted proxy's
/// is the client's. A trusted proxy that hides the address (`unknown`) stands for its client.
///
/// `Forwarded` is read as RFC 7239 has it, with its quoted strings: a proxy has to write what its client chooses,
/// such as `host`, in quotes. A request in which the part of it that counts is malformed is refused with 400: nobody
/// knows who sent it, and limits for addresses would not apply to it.
public struct TrustedProxies: Hashable, Sendable {
  /// Where a proxy writes the address.
  public enum Header: Hashable, Sendable {
    /// `X-Forwarded-For: 203.0.113.9, 10.0.0.3`.
    case xForwardedFor
    /// `Forwarded: for=203.0.113.9;proto=https, for="[2001:db8::1]:4711"` (RFC 7239).
    case forwarded
  }

  /// Where the proxies connect from.
  public var networks: [NetworkRange]
  /// The header that the proxies write; what a client sends in another one is ignored.
  public var header: Header

  /// The proxies at these addresses, which write this header: `X-Forwarded-For`, as most do.
  public init(_ networks: [NetworkRange], header: Header = .xForwardedFor) {
    (self.networks, self.header) = (networks, header)
  }

  func trusts(_ address: NetworkAddress) -> Bool {
    networks.contains { $0.contains(address) }
  }

  /// Where the request came from first, as far as it can be trusted; nil when a trusted proxy says it in
  /// a way that cannot be read.
  func client(of peer: NetworkAddress, _ headers: HTTPHeaders) -> NetworkAddress? {
    var client = peer
    for value in headers.values(of: header.name).reversed() where trusts(client) {
      var list = ForwardedList(value, header)
      // What a stranger says of where it comes from is of no interest, and is not read.
      while trusts(client), let element = list.popLast() {
        switch element {
        case .address(let next): client = next
        case .hidden: return client
        case .malformed: return nil
        }
      }
    }
    return client
  }
}

extension TrustedProxies.Header {
  fileprivate var name: String {
    switch self {
    case .xForwardedFor: "X-Forwarded-For"
    case .forwarded: "Forwarded"
    }
  }
}

/// Who is at the other end of a server's connection.
struct Visitor: Hashable, Sendable {
  /// Counted by the server, from 1.
  let number: Int
  /// Where the connection comes from; nil where there is no network.
  let peer: NetworkAddress?
  /// Where a trusted proxy says that the client is; the peer without one.
  var client: NetworkAddress?

  init(_ number: Int, _ peer: NetworkAddress?) { self.init(number, peer, client: peer) }

  init(_ number: Int, _ peer: NetworkAddress?, client: NetworkAddress?) {
    (self.number, self.peer, self.client) = (number, peer, client)
  }
}

extension Visitor: CustomStringConvertible {
  /// What the log calls the connection.
  var description: String {
    guard let client else { return "connection \(number)" }
    let proxy = peer == client ? "" : peer.map { " by \($0)" } ?? ""
    return "connection \(number) from \(client)\(proxy)"
  }
}

extension Visitor {
  /// The form in which a request keeps it: number, peer and client.
  var compact: String {
    let addresses = peer == client ? [peer] : [peer, client]
    return ([String(number)] + addresses.map { $0?.description ?? "-" }).joined(separator: " ")
  }

  init?(compact: String) {
    let parts = compact.split(separator: " ")
    guard let number = parts.first.flatMap({ Int($0) }) else { return nil }
    let addresses = parts.dropFirst().map { NetworkAddress(forwarded: $0) }
    self.init(number, addresses.first ?? nil)
    if addresses.count > 1 { client = addresses[1] }
  }
}
