#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why a connection of a ``ReconnectingWebSocket`` ended or failed.
public struct WebSocketOutage: Sendable {
  /// The ``WebSocketError`` of the connection, or the error that the connect closure or the resume
  /// hook threw; nil when the peer closed.
  public let error: (any Error)?
  /// The code in the peer's close frame; `.abnormal` when there was none.
  public let code: CloseCode
  /// The reason in the peer's close frame.
  public let reason: String

  /// Creates an outage, as to test which ones are transient.
  public init(error: (any Error)?, code: CloseCode = .abnormal, reason: String = "") {
    (self.error, self.code, self.reason) = (error, code, reason)
  }

  /// Whether another attempt may succeed.
  ///
  /// | transient | final |
  /// | --- | --- |
  /// | the network, names that are not found, timeouts, lost connections | wrong URLs, redirects |
  /// | refusals with 408, 425, 429 and 5xx | other refusals, answers that are no handshake |
  /// | interrupted TLS | certificates, TLS that is not installed or not spoken |
  /// | a proxy's 408, 425, 429 and 5xx, or a lost proxy | a proxy's other refusals, a wrong proxy |
  /// | close codes 1001, 1005, 1006, 1011 to 1014, 3000 to 4999 | 1000, 1002, 1003, 1007 to 1010 |
  /// | errors of the connect closure and the resume hook | a peer that breaks the protocol |
  public var isTransient: Bool {
    guard let error else { return code.isTransient }
    return (error as? WebSocketError)?.isTransient ?? true
  }

  /// The outage as an error of the WebSocket; nil when the peer closed.
  var webSocketError: WebSocketError? {
    error.map { $0 as? WebSocketError ?? .attemptFailed(reason: "\($0)") }
  }

  /// The delay that the server asks for (RFC 9110, section 10.2.3), in seconds or until a date.
  func retryAfter(at date: Date) -> Duration? {
    guard case .handshake(.rejected(_, _, let headers, _)) = error as? WebSocketError,
      let value = headers["Retry-After"]
    else { return nil }
    if let seconds = Int(value) { return seconds < 0 ? nil : .seconds(seconds) }
    guard let until = Date(httpDate: value, receivedAt: date) else { return nil }
    return .seconds(max(until.timeIntervalSince(date), 0))
  }
}

extension WebSocketOutage: CustomStringConvertible {
  /// One line: the error, or the peer's close code and reason.
  public var description: String {
    if let error { return "\(error)" }
    return "closed by the peer with \(code)" + (reason.isEmpty ? "" : ": \(reason)")
  }
}

extension CloseCode {
  fileprivate var isTransient: Bool {
    switch self {
    case .normal, .protocolError, .unsupportedData, .invalidPayload, .policyViolation,
      .messageTooBig, .mandatoryExtension:
      false
    default: true
    }
  }
}

extension WebSocketError {
  fileprivate var isTransient: Bool {
    switch self {
    case .transport(let error): error.isTransient
    case .handshake(.rejected(let status, _, _, _)): status.isTransientStatus
    case .handshake(.connectionClosed): true
    case .handshake, .invalidURL, .redirect, .protocolViolation, .gaveUp: false
    case .handshakeTimedOut, .connectionLost, .closeTimedOut, .overBudget, .tooManyMessages,
      .writeTimedOut, .unreadDropped, .silent, .closed, .notConnected, .controlPayloadTooLong,
      .closeCodeNotSendable, .attemptFailed, .backlogFull:
      true
    }
  }
}

extension TransportError {
  fileprivate var isTransient: Bool {
    switch self {
    case .proxy(.refused(_, let status, _)): status.isTransientStatus
    case .proxy(.connectionClosed): true
    case .proxy(.unreachable(_, let error)): error.isTransient
    case .proxy, .addressInUse: false
    case .tls(.handshakeInterrupted), .tls(.truncated), .tls(.failed): true
    case .tls: false
    case .hostNotFound, .lookupTimedOut, .tooManyLookups, .refused, .unreachable, .timedOut, .reset,
      .system, .channel:
      true
    }
  }
}

extension Int {
  /// Whether a later request may succeed after a refusal with this HTTP status.
  fileprivate var isTransientStatus: Bool { [408, 425, 429].contains(self) || self >= 500 }
}
