#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why a connection of a ``ReconnectingWebSocket`` has ended, or did not come about.
public struct WebSocketOutage: Sendable {
  /// What went wrong: a ``WebSocketError`` of the connection, or whatever the connect closure or the
  /// resume hook has thrown; nil when the peer closed.
  public let error: (any Error)?
  /// The code in the peer's close frame; `.abnormal` when there was none.
  public let code: CloseCode
  /// The reason in the peer's close frame.
  public let reason: String

  /// An outage, for a test of what is tried again.
  public init(error: (any Error)?, code: CloseCode = .abnormal, reason: String = "") {
    (self.error, self.code, self.reason) = (error, code, reason)
  }

  /// Whether it is worth another attempt: it may pass by itself.
  ///
  /// | passes by itself | does not |
  /// | --- | --- |
  /// | the network, names that are not found, timeouts, a connection that is lost | a wrong URL, redirects |
  /// | refusals with 408, 425, 429 and 5xx | other refusals, answers that are no handshake |
  /// | TLS that is interrupted | certificates, TLS that is not there or not spoken |
  /// | a proxy's 5xx, or that it leaves | a proxy's other refusals, a wrong proxy |
  /// | close codes 1001, 1005, 1006, 1011 to 1014, 3000 to 4999 | 1000, 1002, 1003, 1007 to 1010 |
  /// | errors of the connect closure and the resume hook | a peer that breaks the protocol |
  public var isTransient: Bool {
    guard let error else { return code.isTransient }
    return (error as? WebSocketError)?.isTransient ?? true
  }

  /// The same as an error of the WebSocket; nil when the peer closed.
  var webSocketError: WebSocketError? {
    error.map { $0 as? WebSocketError ?? .attemptFailed(reason: "\($0)") }
  }

  /// How long the server asks to be left alone (RFC 9110, section 10.2.3), in seconds or until a date.
  func retryAfter(at date: Date) -> Duration? {
    guard case .handshake(.rejected(_, _, let headers, _)) = error as? WebSocketError,
      let value = headers["Retry-After"]
    else { return nil }
    if let seconds = Int(value) { return seconds < 0 ? nil : .seconds(seconds) }
    guard let until = Date(httpDate: value) else { return nil }
    return .seconds(max(until.timeIntervalSince(date), 0))
  }
}

extension Date {
  /// `Sun, 06 Nov 1994 08:49:37 GMT`, the form that is sent (RFC 9110, section 5.6.7); nil for anything else.
  fileprivate init?(httpDate text: String) {
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let form =
      /[A-Z][a-z]{2}, ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT/
    guard let match = text.wholeMatch(of: form),
      let month = months.firstIndex(where: { $0 == match.2 })
    else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    // Whether a date is valid is asked of the calendar's own zone, which is the system's unless it is set.
    calendar.timeZone = .gmt
    let parts = DateComponents(
      calendar: calendar, year: Int(match.3), month: month + 1, day: Int(match.1),
      hour: Int(match.4), minute: Int(match.5), second: Int(match.6))
    guard parts.isValidDate, let date = parts.date else { return nil }
    self = date
  }
}

extension WebSocketOutage: CustomStringConvertible {
  /// One line.
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
    default: true
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
      .system:
      true
    }
  }
}

extension Int {
  /// Whether a refusal with this HTTP status may not be the last word.
  fileprivate var isTransientStatus: Bool { [408, 425, 429].contains(self) || self >= 500 }
}
