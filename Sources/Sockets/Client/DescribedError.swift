#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An error that `localizedDescription` describes as its own description does.
///
/// Without `errorDescription`, Foundation says only that the operation could not be completed.
protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
  /// The description, which `localizedDescription` shows.
  public var errorDescription: String? { description }
}

extension WebSocketError: DescribedError {}
extension WebSocketURLError: DescribedError {}
extension WebSocketMessageError: DescribedError {}
extension RequestError: DescribedError {}
extension HandshakeError: DescribedError {}
extension RedirectError: DescribedError {}
extension ProtocolError: DescribedError {}
extension TransportError: DescribedError {}
extension TLSError: DescribedError {}
extension ProxyError: DescribedError {}
