/// A request of the inspector's protocol: its params, and the type of its result.
protocol InspectorRequest: Encodable, Sendable {
  associatedtype Reply: Decodable & Sendable
  static var method: String { get }
}

/// The requests of the inspector's protocol that this program sends.
enum Requests {
  struct Hello: InspectorRequest {
    typealias Reply = HelloReply
    static let method = "hello"
    static let supportedVersion = 1
    var version = Hello.supportedVersion
  }

  struct Composers: InspectorRequest {
    typealias Reply = ComposerList
    static let method = "composers"
  }

  struct Open: InspectorRequest {
    typealias Reply = OpenReply
    static let method = "open"
    let filter: EventFilter
  }

  /// Rows as typed values, or as the JSON of the server.
  struct Rows<Row: Decodable & Sendable>: InspectorRequest {
    typealias Reply = RowPage<Row>
    static var method: String { "rows" }
    let query: Int
    let from: Int
    let count: Int
  }

  struct Close: InspectorRequest {
    typealias Reply = EmptyReply
    static let method = "close"
    let query: Int
  }

  struct Event: InspectorRequest {
    typealias Reply = EventDetail
    static let method = "event"
    let event: Int
  }

  struct Why: InspectorRequest {
    typealias Reply = CausesAndEffects
    static let method = "why"
    let event: Int
  }

  struct State: InspectorRequest {
    typealias Reply = StateReply
    static let method = "state"
    let composer: Int
    var event: Int?
    var path: [String] = []
    var from: Int?
    var count: Int?
  }

  struct JSON: InspectorRequest {
    typealias Reply = JSONReply
    static let method = "json"
    let composer: Int
    var event: Int?
  }

  struct Diff: InspectorRequest {
    typealias Reply = DiffReply
    static let method = "diff"
    let composer: Int
    let from: Int
    var to: Int?
  }

  struct Effects: InspectorRequest {
    typealias Reply = EffectList
    static let method = "effects"
    /// Nil for all.
    var composers: [Int]?
    var isRunning: Bool?
    var limit: Int?
  }

  struct Send: InspectorRequest {
    typealias Reply = EmptyReply
    static let method = "send"
    let composer: Int
    let action: JSONValue
  }

  struct Template: InspectorRequest {
    typealias Reply = TemplateReply
    static let method = "template"
    let composer: Int
    let name: String
    let choices: [Choice]

    struct Choice: Encodable, Equatable, Sendable {
      let path: [String]
      let name: String
    }
  }
}

/// The events that a list has; nil for no condition.
struct EventFilter: Encodable, Equatable, Sendable {
  /// The numbers of composers and sockets.
  var composers: [Int]?
  var kinds: [EventKind]?
  var text: String?
}

enum EventKind: String, CaseIterable, Encodable, Sendable {
  case step, started, ended, received, sent, socket

  /// All names: `step, started`.
  static let names = allCases.map(\.rawValue).joined(separator: ", ")
}
