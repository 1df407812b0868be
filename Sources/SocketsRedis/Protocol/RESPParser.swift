#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads values of Redis's protocol from bytes that arrive in any pieces.
///
/// A value is read once, however it is split. The limits bound what one value may hold, so that a
/// peer that is no Redis cannot fill the memory.
struct RESPParser {
  /// A value of several values that is not complete.
  private struct Aggregate {
    enum Kind {
      case array, map, push, attributes
    }

    let kind: Kind
    var missing: Int
    var elements: [RESPValue] = []
  }

  private enum Header {
    case value(RESPValue)
    /// A text of this length follows.
    case text(length: Int, Kind)
    case aggregate(Aggregate.Kind, count: Int)

    enum Kind {
      case bytes, error, verbatim
    }

    static var null: Header { .value(.null) }
  }

  /// The most bytes of one value: of all its texts, and 32 for each element.
  let limit: Int
  private var buffer: [UInt8] = []
  /// Where the unread bytes begin.
  private var start = 0
  /// How many unread bytes have no line end among them.
  private var scanned = 0
  /// The text that is being read.
  private var text: (length: Int, kind: Header.Kind)?
  private var open: [Aggregate] = []
  /// The cost of the value that is being read.
  private var cost = 0

  private static var lineLimit: Int { 4_096 }
  private static var depthLimit: Int { 16 }
  private static var elementCost: Int { 32 }

  init(limit: Int) { self.limit = limit }

  /// The first bytes that are not read, as text, for errors.
  var unread: String { String(decoding: buffer[start...].prefix(40), as: UTF8.self) }

  /// Adds bytes behind those that are not read yet.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if start == buffer.count {
      buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 17)
      start = 0
    } else if start > 1 << 16 {
      buffer.removeFirst(start)
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Returns the next whole value; nil when more bytes are needed.
  mutating func next() throws(RedisAnswerError) -> RESPValue? {
    while let value = try nextPart() {
      if let whole = complete(value) {
        cost = 0
        return whole
      }
    }
    return nil
  }

  /// Puts a value into the aggregates around it; returns the outermost one when it is complete.
  private mutating func complete(_ value: RESPValue) -> RESPValue? {
    var value = value
    while var last = open.popLast() {
      last.elements.append(value)
      last.missing -= 1
      guard last.missing == 0 else {
        open.append(last)
        return nil
      }
      switch last.kind {
      case .array: value = .array(last.elements)
      case .map: value = .map(last.elements)
      case .push: value = .push(last.elements)
      // Attributes precede the value that they belong to, and have no meaning here.
      case .attributes: return nil
      }
    }
    return value
  }

  /// Returns the next value that is no aggregate, or is an empty one.
  private mutating func nextPart() throws(RedisAnswerError) -> RESPValue? {
    while true {
      if let (length, kind) = text {
        guard let value = try readText(length, kind) else { return nil }
        text = nil
        return value
      }
      guard let header = try readHeader() else { return nil }
      cost += Self.elementCost
      switch header {
      case .value(let value):
        try checkCost()
        return value
      case .text(let length, let kind):
        guard length <= limit else { throw .tooLong(limit: limit) }
        cost += length
        text = (length, kind)
      case .aggregate(let kind, count: 0):
        // Attributes without elements: the value follows.
        if kind == .attributes { continue }
        return kind == .array ? .array([]) : kind == .map ? .map([]) : .push([])
      case .aggregate(let kind, let count):
        guard open.count < Self.depthLimit else { throw .tooDeep(limit: Self.depthLimit) }
        open.append(Aggregate(kind: kind, missing: count))
      }
      try checkCost()
    }
  }

  private func checkCost() throws(RedisAnswerError) {
    if cost > limit { throw .tooLong(limit: limit) }
  }

  /// Reads a text with the line end behind it.
  private mutating func readText(
    _ length: Int, _ kind: Header.Kind
  ) throws(RedisAnswerError) -> RESPValue? {
    guard buffer.count - start >= length + 2 else { return nil }
    let end = start + length
    guard buffer[end] == 0x0D, buffer[end + 1] == 0x0A else { throw .invalidNumber }
    let content = buffer[start..<end]
    start = end + 2
    return switch kind {
    case .bytes: .bytes(Data(content))
    case .error: .error(String(decoding: content, as: UTF8.self))
    // Three letters and a colon say what the text is.
    case .verbatim: .bytes(Data(content.dropFirst(4)))
    }
  }

  private mutating func readHeader() throws(RedisAnswerError) -> Header? {
    guard let type = start < buffer.count ? buffer[start] : nil else { return nil }
    // Something else than Redis is noticed by its first byte.
    guard Self.types.contains(type) else { throw .unknownType(type) }
    guard let line = try readLine() else { return nil }
    let rest = line.dropFirst()
    var text: String { String(decoding: rest, as: UTF8.self) }
    switch type {
    case UInt8(ascii: "+"): return .value(.text(text))
    case UInt8(ascii: "-"): return .value(.error(text))
    case UInt8(ascii: ":"): return .value(.integer(try Self.number(rest)))
    case UInt8(ascii: "_"): return .value(.null)
    case UInt8(ascii: ","), UInt8(ascii: "("): return .value(.number(text))
    case UInt8(ascii: "#"):
      guard rest.count == 1, let flag = rest.first, flag == 0x74 || flag == 0x66 else {
        throw .invalidNumber
      }
      return .value(.boolean(flag == 0x74))
    case UInt8(ascii: "$"): return try Self.length(rest).map { .text(length: $0, .bytes) } ?? .null
    case UInt8(ascii: "!"): return try Self.length(rest).map { .text(length: $0, .error) } ?? .null
    case UInt8(ascii: "="):
      guard let length = try Self.length(rest), length >= 4 else { throw .invalidNumber }
      return .text(length: length, .verbatim)
    default:
      guard let count = try Self.length(rest) else { return .null }
      return try aggregate(type, count)
    }
  }

  private func aggregate(_ type: UInt8, _ count: Int) throws(RedisAnswerError) -> Header {
    // Each element costs something, so more than these exceed the limit.
    guard count <= limit / Self.elementCost else { throw .tooLong(limit: limit) }
    return switch type {
    case UInt8(ascii: "%"): .aggregate(.map, count: 2 * count)
    case UInt8(ascii: "|"): .aggregate(.attributes, count: 2 * count)
    case UInt8(ascii: ">"): .aggregate(.push, count: count)
    default: .aggregate(.array, count: count)
    }
  }

  private static let types = Set("+-:_,(#$!=*~%|>".utf8)

  /// Reads a line without its end; nil when the end has not arrived.
  private mutating func readLine() throws(RedisAnswerError) -> ArraySlice<UInt8>? {
    var index = start + scanned
    while index + 1 < buffer.count {
      if buffer[index] == 0x0D, buffer[index + 1] == 0x0A {
        let line = buffer[start..<index]
        start = index + 2
        scanned = 0
        return line
      }
      index += 1
    }
    scanned = index - start
    guard scanned <= Self.lineLimit else { throw .lineTooLong(limit: Self.lineLimit) }
    return nil
  }

  private static func number(_ text: ArraySlice<UInt8>) throws(RedisAnswerError) -> Int {
    guard let number = Int(String(decoding: text, as: UTF8.self)) else { throw .invalidNumber }
    return number
  }

  /// A length; nil for -1, which is null in version 2.
  private static func length(_ text: ArraySlice<UInt8>) throws(RedisAnswerError) -> Int? {
    let length = try number(text)
    if length == -1 { return nil }
    guard length >= 0 else { throw .invalidNumber }
    return length
  }
}
