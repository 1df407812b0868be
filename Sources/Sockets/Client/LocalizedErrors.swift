#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// What `localizedDescription` shows is what the error says; without this Foundation shows that the operation
// could not be completed.

extension WebSocketError: LocalizedError {
  /// What it says of itself.
  public var errorDescription: String? { description }
}

extension WebSocketURLError: LocalizedError {
  /// What it says of itself.
  public var errorDescription: String? { description }
}

extension WebSocketMessageError: LocalizedError {
  /// What it says of itself.
  public var errorDescription: String? { description }
}

extension HandshakeError: LocalizedError {
  /// What it says of itself.
  public var errorDescription: String? { description }
}

extension RedirectError: LocalizedError {
  /// What it says of itself.
  public var errorDescription: String? { description }
}

extension ProtocolError: LocalizedError {
  /// What it says of itself.
  public var errorDescription: String? { description }
}

extension TransportError: LocalizedError {
  /// What it says of itself.
  public var errorDescription: String? { description }
}

extension TLSError: LocalizedError {
  /// What it says of itself.
  public var errorDescription: String? { description }
}

extension ProxyError: LocalizedError {
  /// What it says of itself.
  public var errorDescription: String? { description }
}

extension CableError: LocalizedError {
  /// What it says of itself.
  public var errorDescription: String? { description }
}
