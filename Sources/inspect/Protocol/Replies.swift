// The results of the protocol's requests. Fields that a later version of the server adds are ignored.

struct EmptyReply: Decodable, Sendable {}

struct HelloReply: Decodable, Equatable, Sendable {
  let version: Int
  let program: String
  let process: Int
  let canAct: Bool
  /// Seconds since 1970.
  let started: Double
}

struct ComposerList: Codable, Equatable, Sendable {
  let composers: [ComposerInfo]
}

struct ComposerInfo: Codable, Equatable, Sendable {
  let composer: Int
  let name: String
  var type = ""
  var isLive = true
  var steps = 0
  var stepsPerSecond = 0.0
  var queue = 0
  var running = 0
  var actions: [String] = []
  var canSend = false
  var canFork = false
  var canExport = false
  /// The origin of a fork; nil for another composer.
  var fork: ForkOrigin?
  /// The number of a virtual clock; nil for another clock.
  var clock: Int?
  var children: [ChildInfo]?
}

struct ForkOrigin: Codable, Equatable, Sendable {
  let composer: Int
  let event: Int
}

struct ChildInfo: Codable, Equatable, Sendable {
  let name: String
  let isMany: Bool
  let live: Int
  var children: [ChildInfo]?
}

/// The sender of an action, or the cause of an effect.
struct Cause: Codable, Equatable, Sendable {
  let kind: String
  var step: Int?
  var effect: Int?
  var id: String?
  var name: String?
}

/// An event in a list.
struct Row: Codable, Equatable, Sendable {
  let event: Int
  /// Nil for an event of a socket.
  var composer: Int?
  /// Nil for an event of a composer.
  var socket: Int?
  let time: Double
  let kind: String
  /// The bytes of a message.
  var size: Int?
  var step: Int?
  var source: Cause?
  var text: String?
  var change: String?
  var changes: [String]?
  var moreChanges: Int?
  var effect: Int?
  var id: String?
  /// The kind of an effect: `timer`; nil when it is not known.
  var effectKind: String?
  var origin: Cause?
  var outcome: String?
  /// The step that has cancelled the effect.
  var by: Cause?
  var error: String?

  /// The number of the composer or socket.
  var owner: Int { composer ?? socket ?? 0 }
}

struct OpenReply: Decodable, Sendable { let query: Int }

struct RowPage<Row: Decodable & Sendable>: Decodable, Sendable {
  let from: Int
  let rows: [Row]
}

/// The notification of a list of events.
struct QueryProgress: Decodable, Equatable, Sendable {
  let query: Int
  let count: Int
  let dropped: Int
  let searched: Double
}

struct EventDetail: Codable, Equatable, Sendable {
  let row: Row
  let action: [ValueNode]
  let changes: [ValueChange]
  /// The number of the changes that are left out.
  var moreChanges: Int?
}

struct ValueChange: Codable, Equatable, Sendable {
  struct Move: Codable, Equatable, Sendable {
    let from: Int
    let to: Int
  }

  let path: String
  /// Nil for an element that was added, and for one that has moved.
  var old: ValueNode?
  /// Nil for an element that was removed, and for one that has moved.
  var new: ValueNode?
  var moved: Move?
}

struct CausesAndEffects: Codable, Equatable, Sendable {
  struct Branch: Codable, Equatable, Sendable {
    let row: Row
    let children: [Branch]
  }

  let causes: [Row]
  let effects: [Branch]
  let isCut: Bool
}

struct StateReply: Codable, Equatable, Sendable {
  let event: Int
  let value: ValueNode
}

struct JSONReply: Decodable, Sendable { let text: String }

struct DiffReply: Codable, Equatable, Sendable {
  let changes: [ValueChange]
  /// The number of the changes that are left out.
  var moreChanges: Int?
}

struct EffectList: Codable, Equatable, Sendable {
  let effects: [EffectInfo]
  /// The number of effects that are left out.
  var moreEffects: Int?
}

struct EffectInfo: Codable, Equatable, Sendable {
  let composer: Int
  let effect: Int
  var id: String?
  /// The kind of the effect: `timer`; nil when it is not known.
  var effectKind: String?
  let origin: Cause
  let event: Int
  let started: Double
  /// Seconds until the end, or until now.
  var age: Double?
  var emissions = 0
  var ended: Double?
  var outcome: String?
  /// The step that has cancelled the effect.
  var by: Cause?
  var error: String?
}

struct TemplateReply: Codable, Equatable, Sendable {
  let action: JSONValue
  /// Nil from a program with an older library.
  let choices: [TemplateChoice]?
}

/// An enum inside a template, with its case.
struct TemplateChoice: Codable, Equatable, Sendable {
  let path: [String]
  let name: String
  let names: [String]
}
