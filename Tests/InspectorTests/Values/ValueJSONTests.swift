import Foundation
import TestSupport
import Testing

@testable import Inspector

@Suite("JSON of values", .workerPool) struct ValueJSONTests {
  struct Everything: Codable {
    var text = "a\"b\\c\n\u{1}<ä"
    var number = -1.5
    var whole = 2.0
    var small = Float(0.1)
    var large = UInt64.max
    var flag = true
    var none: Int?
    var some: Int? = 3
    var list = [1, 2]
    var empty: [Int] = []
    var byName = ["a": [1], "b": []]
    var byNumber = [3: "c"]
    var date = Date(timeIntervalSinceReferenceDate: 12.5)
    var data = Data([1, 2, 255])
    var url = URL(string: "https://a/b?c=d")
    var decimal = Decimal(string: "12345678901234567890.5")
    var id = UUID(uuidString: "9F86D081-884C-7D65-9A2F-EAA0C55AD015")
    var phase = Phase.loaded(rows: 1, true)
    var idle = Phase.idle
    @Shared var shared = 4
    @PresentState var alert: String?
    var rows: IdentifiedArray<Row> = [Row(id: 1)]
    var nested = Nested()
  }
  enum Phase: Codable { case idle, loaded(rows: Int, Bool) }
  struct Row: Codable, Identifiable, Equatable { let id: Int }

  /// Encodes itself in each kind of container.
  struct Nested: Codable {
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      var keyed = container.nestedContainer(keyedBy: Key.self, forKey: .a)
      try keyed.encodeNil(forKey: .b)
      var list = container.nestedUnkeyedContainer(forKey: .b)
      try list.encode(1)
      try list.encodeNil()
      var inner = list.nestedContainer(keyedBy: Key.self)
      try inner.encode("x", forKey: .a)
      var innerList = list.nestedUnkeyedContainer()
      try innerList.encode(list.count)
      try [1].encode(to: list.superEncoder())
      try "y".encode(to: container.superEncoder())
      try 5.encode(to: container.superEncoder(forKey: .c))
    }
    enum Key: CodingKey { case a, b, c }
  }

  private let reader = ValueReader()

  private func parsed(_ text: some StringProtocol) throws -> NSObject {
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    return try #require(value as? NSObject)
  }

  @Test func `JSON is that of a JSON encoder`() throws {
    let text = try reader.json(of: Everything())
    let expected = String(decoding: try JSONEncoder().encode(Everything()), as: UTF8.self)
    #expect(try parsed(text) == parsed(expected))
    #expect(text.contains("12345678901234567890.5"))
    #expect(text.contains("18446744073709551615"))
    _ = try JSONDecoder().decode(Everything.self, from: Data(text.utf8))
    for value in [1, "a", true, [1: 2], [Int](), Phase.idle] as [any Encodable & Sendable] {
      let expected = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
      #expect(try parsed(reader.json(of: value)) == parsed(expected))
    }
  }

  @Test func `JSON is on several lines with sorted keys`() throws {
    #expect(
      try reader.json(of: ["b": [1, 2], "a": []]) == """
        {
          "a": [],
          "b": [
            1,
            2
          ]
        }
        """)
    #expect(try reader.json(of: "\0\t<\u{202E}") == "\"\\u0000\\t<\u{202E}\"")
  }

  @Test func `numbers that JSON does not have are strings`() throws {
    #expect(try reader.json(of: Double.nan) == "\"nan\"")
    #expect(try reader.json(of: -Float.infinity) == "\"-inf\"")
    #expect(try reader.json(of: Decimal.nan) == "\"NaN\"")
    struct Plain { let number = Double.infinity }
    #expect(try parsed(reader.json(of: Plain())) == ["number": "inf"] as NSObject)
  }

  @Test func `a value that is not Encodable is encoded by its structure`() throws {
    struct Plain {
      var row = Row(id: 1)
      var none: Int?
      var numbers = [1.0, -2]
      var byPhase = [1: Other.on]
      var other = Other.level(3, name: "a")
      var pair = (true, b: "x")
      @PresentState var alert: String? = "hi"
    }
    enum Other { case on, level(Int, name: String) }
    #expect(
      try reader.json(of: Plain()) == """
        {
          "alert": "hi",
          "byPhase": {
            "1": "on"
          },
          "none": null,
          "numbers": [
            1.0,
            -2.0
          ],
          "other": {
            "level": {
              "0": 3,
              "name": "a"
            }
          },
          "pair": {
            "0": true,
            "b": "x"
          },
          "row": {
            "id": 1
          }
        }
        """)
    #expect(try reader.json(of: Optional<Plain>.none as Any) == "null")
  }

  final class Link: Encodable {
    var next: Link?
    enum Key: CodingKey { case next }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(next, forKey: .next)
    }
  }
  final class Loop: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(self)
    }
  }
  struct Deep: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for _ in 0..<100_000 { container = container.nestedUnkeyedContainer() }
      try container.encode(1)
    }
  }

  @Test func `JSON of an object that contains itself is an error`() {
    let link = Link()
    link.next = link
    defer { link.next = nil }
    #expect(throws: ValueError.tooDeep(limit: 100)) { try reader.json(of: link) }
    #expect(throws: ValueError.tooDeep(limit: 100)) { try reader.json(of: Loop()) }
    #expect(throws: ValueError.tooDeep(limit: 100)) { try reader.json(of: Deep()) }
    #expect("\(ValueError.tooDeep(limit: 100))".contains("one by one"))
  }

  @Test(.enabled(if: !isSanitized))
  func `JSON of more than 8 MiB is an error, and long strings are cut with a note`() throws {
    struct Plain { let numbers: [Int] }
    let numbers = Array(0..<2_000_000)
    let error = ValueError.tooLarge(limit: 8 << 20)
    #expect(throws: error) { try reader.json(of: numbers) }
    #expect(throws: error) { try reader.json(of: Plain(numbers: numbers)) }
    #expect(throws: error) { try reader.json(of: Data(repeating: 1, count: 10_000_000)) }
    let long = String(repeating: "a", count: 2_000_000)
    #expect(throws: error) { try reader.json(of: Array(repeating: long, count: 9)) }
    let text = try reader.json(of: long)
    #expect(text.utf8.count < 1_100_000)
    #expect(text.hasSuffix("a… (2,000,000 bytes)\""))
    #expect("\(error)".contains("8,388,608 bytes"))
  }

  @Test func `the error of a value's encoding is thrown`() {
    struct Failing: Encodable {
      func encode(to encoder: any Encoder) throws { throw CancellationError() }
    }
    #expect(throws: CancellationError.self) { try reader.json(of: [Failing()]) }
  }

  @Test func `hidden keys and pairs are hidden, however they are encoded`() throws {
    struct Field: Encodable {
      struct Name: Encodable, Hashable { let text: String }
      let name: Name
      let value = "S3CRET"
    }
    struct Manual: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var keyed = container.nestedContainer(keyedBy: Key.self, forKey: .token)
        try keyed.encode("S3CRET", forKey: .shown)
        try "S3CRET".encode(to: container.superEncoder(forKey: .secret))
        try container.encode("shown", forKey: .shown)
      }
      enum Key: CodingKey { case token, secret, shown }
    }
    let values: [any Encodable] = [
      [Field(name: .init(text: "Token"))], Manual(), ["Token", "S3CRET"],
      [Field.Name(text: "token"): "S3CRET"], [["key": "Authorization", "value": "S3CRET"]],
    ]
    for value in values {
      let text = try reader.json(of: value)
      #expect(!text.contains("S3CRET"), "\(text)")
      #expect(text.contains("•••"))
    }
  }
}
