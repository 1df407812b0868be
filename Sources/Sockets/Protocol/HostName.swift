#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The name of a host in ASCII, as the DNS, requests and certificates have it.
enum HostName {
  /// A name, or an IPv4 address, of a URL: percent encoding undone, and letters of other scripts encoded
  /// (`bücher.example` is `xn--bcher-kva.example`); nil for what is neither.
  static func ascii(ofEncoded text: some StringProtocol) -> String? {
    text.undoingPercentEncoding.flatMap { ascii($0) }
  }

  /// A name in ASCII, by the rules that browsers follow (UTS 46, nontransitional); nil for what is no name.
  ///
  /// Letters that look alike in several scripts are not refused: who shows a name to people shows its ASCII
  /// form.
  static func ascii(_ name: String) -> String? {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.isRegisteredName ? name : nil }
    // What has a meaning in a URL does not belong to the name.
    guard name.utf8.allSatisfy({ $0 >= 0x80 || $0.isAllowedInName }) else { return nil }
    let host = URLComponents(string: "ws://" + name)?.encodedHost
    // Signs in other scripts may stand for signs that no name has.
    return host.flatMap { $0.isRegisteredName ? $0 : nil }
  }
}

extension StringProtocol {
  /// The text with `%41` for `A` undone; nil when an escape is broken or the result is not UTF-8.
  var undoingPercentEncoding: String? {
    var bytes: [UInt8] = []
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      rest = rest.dropFirst(2)
      guard digits.count == 2, digits.allSatisfy(\.isHexDigit),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Whether this can be looked up: a name of the DNS in ASCII, or an IPv4 address.
  ///
  /// Stricter than RFC 3986, which allows signs that no resolver takes.
  var isRegisteredName: Bool {
    guard utf8.allSatisfy({ $0.isAllowedInName }) else { return false }
    var labels = utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    // The dot of an absolute name.
    if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
    // RFC 1035, section 2.3.4: 63 bytes for a label, and with a byte of length for each 254 for a name.
    return labels.allSatisfy { (1...63).contains($0.count) }
      && labels.reduce(0) { $0 + $1.count + 1 } <= 254
  }
}

extension UInt8 {
  var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    case UInt8(ascii: "A")...UInt8(ascii: "F"): true
    default: false
    }
  }

  fileprivate var isAllowedInName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: false
    }
  }
}
