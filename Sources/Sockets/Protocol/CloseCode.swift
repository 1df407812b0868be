/// The reason for closing: the number in a close frame (RFC 6455, section 7.4).
///
/// 3000...3999 are registered by libraries and frameworks; 4000...4999 are for applications:
/// `CloseCode(rawValue: 4001)`.
public struct CloseCode: RawRepresentable, Hashable, Codable, Sendable {
  /// The number on the wire.
  public var rawValue: UInt16

  /// Makes a code of this number, whether or not it may be sent.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// 1000: the connection has served its purpose.
  public static let normal = CloseCode(rawValue: 1000)
  /// 1001: the endpoint is going away, such as a server that shuts down or a page that closes.
  public static let goingAway = CloseCode(rawValue: 1001)
  /// 1002: the other side broke the protocol.
  public static let protocolError = CloseCode(rawValue: 1002)
  /// 1003: the endpoint received a type of data that it does not accept.
  public static let unsupportedData = CloseCode(rawValue: 1003)
  /// 1005: the close frame carried no code.
  ///
  /// Reported, never sent.
  public static let noStatus = CloseCode(rawValue: 1005)
  /// 1006: the connection ended without a close frame.
  ///
  /// Reported, never sent.
  public static let abnormal = CloseCode(rawValue: 1006)
  /// 1007: the data does not match its type, such as text that is not UTF-8.
  public static let invalidPayload = CloseCode(rawValue: 1007)
  /// 1008: the peer violated a policy of the endpoint; used when no other code fits.
  public static let policyViolation = CloseCode(rawValue: 1008)
  /// 1009: the message is longer than the endpoint accepts.
  public static let messageTooBig = CloseCode(rawValue: 1009)
  /// 1010: the server did not accept an extension that the client requires.
  public static let mandatoryExtension = CloseCode(rawValue: 1010)
  /// 1011: the server met an unexpected condition.
  public static let internalError = CloseCode(rawValue: 1011)
  /// 1012: the service is restarting; connect again after a random delay.
  public static let serviceRestart = CloseCode(rawValue: 1012)
  /// 1013: the service is overloaded; connect again later.
  public static let tryAgainLater = CloseCode(rawValue: 1013)
  /// 1014: a gateway received an invalid answer from its server.
  public static let badGateway = CloseCode(rawValue: 1014)

  /// Whether the code may be in a close frame.
  ///
  /// 7.4.1 reserves 1004, 1005, 1006 and 1015; IANA has registered 1012 to 1014 since. 7.4.2
  /// assigns 3000...4999 to libraries and applications and leaves all others undefined.
  public var isSendable: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}

extension CloseCode: CustomStringConvertible {
  /// The number in decimal.
  public var description: String { String(rawValue) }
}

extension CloseCode: ExpressibleByIntegerLiteral {
  /// Makes a code of this number.
  public init(integerLiteral value: UInt16) { self.init(rawValue: value) }
}
