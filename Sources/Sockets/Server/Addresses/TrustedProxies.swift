/// The proxies in front of a server whose headers state a client's address reliably.
///
/// ```swift
/// admission.proxies = TrustedProxies(["127.0.0.1", "10.0.0.0/8"], header: .xForwardedFor)
/// ```
///
/// A proxy appends the address of its client to the header. The client may have invented the
/// addresses before it. So the header is read from its end: the first address that is not a trusted
/// proxy's is the client's. If a trusted proxy hides the address (`unknown`), the address of that
/// proxy counts as the client's.
///
/// `Forwarded` is parsed as RFC 7239 defines it, with quoted strings: a proxy has to quote what its
/// client chooses, such as `host`. A request whose header is malformed in the part that counts is
/// refused with 400: its sender is unknown, so the limits for addresses could not apply.
public struct TrustedProxies: Hashable, Sendable {
  /// The header in which a proxy writes the address.
  public enum Header: Hashable, Sendable {
    /// `X-Forwarded-For: 203.0.113.9, 10.0.0.3`.
    case xForwardedFor
    /// `Forwarded: for=203.0.113.9;proto=https, for="[2001:db8::1]:4711"` (RFC 7239).
    case forwarded

    fileprivate var name: String {
      switch self {
      case .xForwardedFor: "X-Forwarded-For"
      case .forwarded: "Forwarded"
      }
    }
  }

  /// The networks that the proxies connect from.
  public var networks: [NetworkRange]
  /// The header that the proxies write; the other header is ignored.
  public var header: Header

  /// Trusts the proxies in these networks.
  ///
  /// - Parameters:
  ///   - networks: addresses and networks of the proxies
  ///   - header: header that they write; `X-Forwarded-For`, as most do
  public init(_ networks: [NetworkRange], header: Header = .xForwardedFor) {
    (self.networks, self.header) = (networks, header)
  }

  func trusts(_ address: NetworkAddress) -> Bool {
    networks.contains { $0.contains(address) }
  }

  /// The client's address, as far as it can be trusted; nil when a proxy's header is malformed.
  func client(of peer: NetworkAddress, _ headers: HTTPHeaders) -> NetworkAddress? {
    var client = peer
    for value in headers.values(of: header.name).reversed() where trusts(client) {
      var list = ForwardedList(value, header)
      // Elements that an untrusted address wrote are not read.
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
