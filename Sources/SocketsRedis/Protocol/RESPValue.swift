#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value of Redis's protocol, in version 2 or 3.
indirect enum RESPValue: Equatable, Sendable {
  case text(String)
  case error(String)
  case integer(Int)
  case bytes(Data)
  case null
  case boolean(Bool)
  /// A floating-point or big number, as text.
  case number(String)
  /// An array or a set.
  case array([RESPValue])
  /// Keys and values in turn.
  case map([RESPValue])
  /// A message that answers no command.
  case push([RESPValue])
}

extension RESPValue {
  /// The bytes of a text; nil for other values.
  var data: Data? {
    switch self {
    case .bytes(let bytes): bytes
    case .text(let text): Data(text.utf8)
    default: nil
    }
  }

  /// The text of a value that has one.
  var string: String? {
    switch self {
    case .text(let text): text
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    default: nil
    }
  }

  /// The elements of an array; of a map, those of its pairs as arrays, as version 2 writes them.
  var elements: [RESPValue]? {
    switch self {
    case .array(let elements): elements
    case .map(let elements):
      stride(from: 0, to: elements.count - 1, by: 2).map {
        .array([elements[$0], elements[$0 + 1]])
      }
    default: nil
    }
  }

  /// A few words for errors.
  var summary: String {
    switch self {
    case .text(let text): "\"\(text.prefix(40))\""
    case .error(let text): "error \"\(text.prefix(80))\""
    case .integer(let number): "\(number)"
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .number(let text): "\(text.prefix(40))"
    case .array(let elements): "an array of \(elements.count)"
    case .map(let elements): "a map of \(elements.count / 2)"
    case .push(let elements): "a push of \(elements.count)"
    }
  }
}

/// A command of Redis: its name and arguments.
struct RedisCommand: Equatable, Sendable {
  var arguments: [Data]

  init(_ name: String, _ arguments: [Data]) { self.arguments = [Data(name.utf8)] + arguments }

  init(_ words: String...) { arguments = words.map { Data($0.utf8) } }

  /// Appends the command as an array of strings, which all versions read.
  func write(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "*\(arguments.count)\r\n".utf8)
    for argument in arguments {
      bytes.append(contentsOf: "$\(argument.count)\r\n".utf8)
      bytes.append(contentsOf: argument)
      bytes.append(contentsOf: [0x0D, 0x0A])
    }
  }
}
