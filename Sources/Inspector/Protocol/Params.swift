/// The params of requests, by the names of the protocol.
enum Params {
  struct Hello: Decodable { let version: Int }

  struct Open: Decodable { let filter: EventFilter? }

  struct Rows: Decodable {
    let query: Int
    let from: Int
    let count: Int
  }

  struct Query: Decodable { let query: Int }

  struct Event: Decodable { let event: Int }

  struct State: Decodable {
    let composer: Int
    let event: Int?
    let path: [String]?
    let from: Int?
    let count: Int?
  }

  struct Diff: Decodable {
    let composer: Int
    let from: Int
    let to: Int?
  }

  struct Find: Decodable {
    let query: Int
    let event: Int
  }

  struct Effects: Decodable {
    let composers: [Int]?
    let isRunning: Bool?
    let limit: Int?
  }

  struct Sockets: Decodable {
    let isLive: Bool?
    let limit: Int?

    static let all = Sockets(isLive: nil, limit: nil)
  }

  struct Subscribe: Decodable {
    let view: View
    let composers: [Int]?
    let isRunning: Bool?
    let isLive: Bool?
    let limit: Int?

    /// The params of the requests whose results are sent.
    var effects: Effects { Effects(composers: composers, isRunning: isRunning, limit: limit) }
    var sockets: Sockets { Sockets(isLive: isLive, limit: limit) }
  }

  struct Unsubscribe: Decodable { let view: View }

  enum View: String, Decodable, Hashable, Sendable {
    case composers, clocks, effects, sockets, servers, streams
  }

  struct Send: Decodable {
    let composer: Int
    let action: AnyJSON
  }

  struct Socket: Decodable { let socket: Int }

  struct Slow: Decodable {
    let socket: Int
    let milliseconds: Int
  }

  struct Clock: Decodable { let clock: Int }

  struct StepClock: Decodable {
    let clock: Int
    /// Seconds; nil for the next moment with due work.
    let by: Double?
  }

  struct Fork: Decodable {
    let composer: Int
    let event: Int
  }

  struct Composer: Decodable { let composer: Int }

  struct Export: Decodable {
    enum Format: String, Decodable { case jsonLines, swiftTest }

    let composer: Int
    let format: Format
    let from: Int?
    let to: Int?
    let name: String?
    let make: String?
    let expected: AnyJSON?
    let set: [Correction]?
  }

  struct Compare: Decodable {
    let composers: [Int]
    /// The kinds of source of the steps that are compared; nil for all steps.
    let sources: Set<EventFilter.Source>?
  }

  struct Stream: Decodable { let stream: Int }

  struct Template: Decodable {
    let composer: Int
    let name: String
    /// The wanted cases of the enums inside the action; the first one that can be decoded by default.
    let choices: [Choice]?

    struct Choice: Decodable {
      let path: [String]
      let name: String
    }
  }
}

/// A result without fields.
struct Empty: Encodable {}
