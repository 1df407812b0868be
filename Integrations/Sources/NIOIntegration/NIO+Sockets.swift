import NIOCore
import Sockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension NetworkAddress {
  /// The address of a socket; nil for one that is not of IPv4 or IPv6, such as a path.
  init?(_ address: SocketAddress) {
    guard let host = address.ipAddress else { return nil }
    self.init(host, port: address.port.flatMap(UInt16.init(exactly:)))
  }
}

extension TransportError {
  /// The error of a channel: a reset, a system's error, or the text of another handler's error.
  init(_ error: any Error) {
    switch error {
    case let error as IOError where error.errnoCode == ECONNRESET || error.errnoCode == EPIPE:
      self = .reset
    case let error as IOError: self = .system(errno: error.errnoCode, operation: "channel")
    // Writing after the peer has closed.
    case is ChannelError: self = .reset
    default: self = .channel(reason: "\(error)")
    }
  }
}
