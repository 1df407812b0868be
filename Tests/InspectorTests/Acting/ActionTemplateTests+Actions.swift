import Foundation

// Actions whose templates are tested.
extension ActionTemplateTests {
  enum Search: Codable, Equatable, Sendable {
    case refresh
    case open(id: Int)
    case edit(String, isDone: Bool, note: String?)
    case list([Int], byName: [String: Int], byID: [Int: String])
    case add(Item)
    case typed(Typed)
  }

  struct Item: Codable, Equatable, Sendable {
    var id: Int
    var title: String
    @Listed var parent: Int?
    var tags: Set<String> = []
    var rate: Double
    var size: UInt8
    var children: [Item] = []

    @propertyWrapper
    struct Listed: Codable, Equatable, Sendable {
      var wrappedValue: Int?

      init(wrappedValue: Int?) { self.wrappedValue = wrappedValue }
      init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Int?.self)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
      }
    }
  }

  struct Typed: Codable, Equatable, Sendable {
    var at: Date
    var id: UUID
    var link: URL
    var data: Data
    var price: Decimal
    var range: Range<Int>
    var wait: Duration
  }

  enum Nested: Codable, Equatable, Sendable {
    case sort(Sort)
    case level(Level)
    case color(Color)
    case search(Search)
    case picky(Picky)
  }

  enum Sort: String, Codable, CaseIterable {
    case newest = "created_at", oldest = "created_at desc"
  }
  enum Level: Int, Codable { case low = 1, high }
  enum Color: String, Codable { case red, green }
  enum Small: UInt8, Codable { case one, two }

  /// Its first case cannot be decoded from placeholders.
  enum Picky: Codable, Equatable, Sendable {
    case refused(Address)
    case accepted
  }

  struct Address: Codable, Equatable, Sendable {
    var address: String
    var name: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      address = try container.decode(String.self, forKey: .address)
      guard address.contains("@") else {
        throw DecodingError.dataCorruptedError(
          forKey: .address, in: container, debugDescription: "The address has no @.")
      }
      name = try container.decode(String.self, forKey: .name)
    }
  }

  indirect enum Tree: Codable, Equatable, Sendable {
    case node(Tree, Tree)
    case leaf
  }

  enum Chain: Codable {
    case link(Link)
    indirect enum Link: Codable {
      case link(Chain)
      case end
    }
  }

  struct Endless: Codable {
    var again: Again
    indirect enum Again: Codable { case again(Endless), more(Endless) }
  }

  /// Each level is another type.
  indirect enum Growing<Value: Codable>: Codable {
    case grow(Growing<[Value]>)
  }

  /// Enums that have each other in all cases.
  indirect enum Knot: Codable {
    case a(Two), b(Three), c(Four)
    indirect enum Two: Codable { case a(Three, Four), b(Four, Three), c(Knot), d(Five) }
    indirect enum Three: Codable { case a(Two, Four), b(Four, Two), c(Knot), d(Five) }
    indirect enum Four: Codable { case a(Two, Three), b(Three, Two), c(Knot), d(Five) }
    indirect enum Five: Codable { case a(Two, Three), b(Three, Four), c(Knot), d(Five) }
  }

  enum ByKey: Decodable, Equatable {
    case open(Int), close
    private enum Key: CodingKey { case open, close }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      if let id = try container.decodeIfPresent(Int.self, forKey: .open) {
        self = .open(id)
      } else {
        _ = try container.decode(Bool.self, forKey: .close)
        self = .close
      }
    }
  }

  enum ByKind: Decodable, Equatable {
    case open(Int), close
    private enum Key: CodingKey { case kind, id }
    private enum Kind: String, Decodable { case open, close }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      switch try container.decode(Kind.self, forKey: .kind) {
      case .open: self = .open(try container.decode(Int.self, forKey: .id))
      case .close: self = .close
      }
    }
  }

  enum ByText: Decodable, Equatable {
    case open(Int), other
    private enum Key: CodingKey { case type, id }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      if try container.decode(String.self, forKey: .type) == "open" {
        self = .open(try container.decode(Int.self, forKey: .id))
      } else {
        self = .other
      }
    }
  }

  enum Refusing: Decodable {
    case mail(Address)
    private enum CodingKeys: CodingKey { case mail }
  }

  enum Silent: Decodable {
    case never
    struct Refused: Error {}

    init(from decoder: any Decoder) throws { throw Refused() }
  }

  /// Asks for values without end.
  enum Greedy: Decodable {
    case all

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      while true { _ = try list.decode(Int.self) }
    }
  }

  enum Renamed: Codable {
    case open(Int), close
    private enum CodingKeys: String, CodingKey {
      case open = "o"
      case close
    }
  }

  enum Spaced: Codable, Equatable { case `go home`(Int), `go on` }

  enum Classes: Decodable {
    case object(Child)

    class Parent: Decodable {
      var id: Int
    }

    final class Child: Parent {
      var title: String
      private enum Key: CodingKey { case title }

      required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        title = try container.decode(String.self, forKey: .title)
        try super.init(from: container.superDecoder())
      }
    }
  }
}
