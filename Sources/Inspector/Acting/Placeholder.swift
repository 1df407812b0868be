#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value of a template that the user replaces, with the JSON that `JSONDecoder` decodes to it.
struct Placeholder<Value> {
  let value: Value
  let json: AnyJSON

  /// The placeholder of a type that is one JSON scalar; nil for other types.
  ///
  /// - Parameters:
  ///   - text: placeholder of `String`
  ///   - number: placeholder of numbers; 0 where it does not fit
  init?(_ type: Value.Type, text: String = "", number: Int = 0) {
    guard let (value, json) = Self.scalar(text: text, number: number),
      let value = value as? Value
    else { return nil }
    self.value = value
    self.json = json
  }

  /// The raw value of an enum's case; nil if it is no scalar.
  init?(rawValue: Any?) {
    guard let value = rawValue as? Value else { return nil }
    switch value {
    case let text as String: json = .string(text)
    case let truth as Bool: json = .bool(truth)
    case let number as Double: json = .number(number)
    case let number as Float: json = .number(Double(number))
    case let number as any FixedWidthInteger:
      if let integer = Int64(exactly: number) {
        json = .integer(integer)
      } else if let integer = UInt64(exactly: number) {
        json = .unsigned(integer)
      } else {
        return nil
      }
    default: return nil
    }
    self.value = value
  }

  private static func scalar(text: String, number: Int) -> (value: Any, json: AnyJSON)? {
    if Value.self == String.self { return (text, .string(text)) }
    if Value.self == Bool.self { return (false, .bool(false)) }
    if Value.self == Double.self { return (Double(number), .integer(Int64(number))) }
    if Value.self == Float.self { return (Float(number), .integer(Int64(number))) }
    if Value.self == Decimal.self { return (Decimal(number), .integer(Int64(number))) }
    if Value.self == Date.self { return (Date(timeIntervalSinceReferenceDate: 0), .integer(0)) }
    if Value.self == Data.self { return (Data(), .string("")) }
    if Value.self == UUID.self {
      let text = "00000000-0000-4000-8000-000000000000"
      return UUID(uuidString: text).map { ($0, .string(text)) }
    }
    if Value.self == URL.self {
      let text = "https://example.com"
      return URL(string: text).map { ($0, .string(text)) }
    }
    guard let integer = Value.self as? any FixedWidthInteger.Type else { return nil }
    return Self.integer(integer, number: number)
  }

  private static func integer<Number: FixedWidthInteger>(
    _: Number.Type, number: Int
  ) -> (value: Any, json: AnyJSON) {
    guard let value = Number(exactly: number) else { return (Number.zero, .integer(0)) }
    return (value, .integer(Int64(number)))
  }
}
