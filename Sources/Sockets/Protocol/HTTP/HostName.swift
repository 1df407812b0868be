#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The ASCII form of a host name, as in the DNS, requests and certificates.
enum HostName {
  /// The ASCII form of a URL's host name or IPv4 address; nil for anything else.
  ///
  /// Decodes percent escapes and encodes other scripts (`bücher.example` is
  /// `xn--bcher-kva.example`).
  static func ascii(ofEncoded text: some StringProtocol) -> String? {
    text.undoingPercentEncoding.flatMap { ascii($0) }
  }

  /// The ASCII form by the rules of browsers (UTS 46, nontransitional); nil if it is no host name.
  ///
  /// Letters that look alike in several scripts are accepted: a program that displays a name to
  /// people should display its ASCII form.
  static func ascii(_ name: String) -> String? {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.isDNSName ? name : nil }
    // Characters that have a meaning in a URL are not part of a name.
    guard name.utf8.allSatisfy({ $0 >= 0x80 || $0.isUnreserved }) else { return nil }
    let host = URLComponents(string: "ws://" + name)?.encodedHost
    // UTS 46 may map other scripts to characters that are not allowed in a name.
    return host.flatMap { $0.isDNSName ? $0 : nil }
  }
}

extension StringProtocol {
  /// The text with percent escapes decoded; nil for a broken escape or a result that is not UTF-8.
  var undoingPercentEncoding: String? {
    var bytes: [UInt8] = []
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2).compactMap(\.hexDigitValue)
      guard digits.count == 2 else { return nil }
      bytes.append(UInt8(digits[0] << 4 | digits[1]))
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Whether this is a DNS name in ASCII, or an IPv4 address.
  ///
  /// Stricter than RFC 3986, which allows characters that no resolver accepts.
  var isDNSName: Bool {
    guard utf8.allSatisfy({ $0.isUnreserved }) else { return false }
    var labels = utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    // An absolute name ends with a dot.
    if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
    // RFC 1035, section 2.3.4: 63 bytes for a label; 254 for a name, with one length byte per
    // label.
    return labels.allSatisfy { (1...63).contains($0.count) }
      && labels.reduce(0) { $0 + $1.count + 1 } <= 254
  }

  /// Whether this is an IPv6 address without a zone.
  var isIPv6Address: Bool { contains(":") && NetworkAddress(String(self)) != nil }
}

extension UInt8 {
  /// The value of a hexadecimal digit; nil for any other byte.
  var hexDigitValue: Int? { Character(Unicode.Scalar(self)).hexDigitValue }

  /// Whether a URL may have this character anywhere (RFC 3986, section 2.3).
  var isUnreserved: Bool {
    switch Unicode.Scalar(self) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
    default: false
    }
  }
}
