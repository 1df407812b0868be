extension Requests {
  struct Streams: InspectorRequest {
    typealias Reply = StreamList
    static let method = "streams"
  }
}

/// The live subscriptions, a stream for each of their stages.
struct StreamList: Codable, Equatable, Sendable {
  let isTraced: Bool
  /// How to turn tracing on; nil while it is on.
  var hint: String?
  /// The oldest first.
  let streams: [StreamInfo]
  /// The number of older streams, which are left out.
  var moreStreams: Int?
}

struct StreamInfo: Codable, Equatable, Sendable {
  let stream: Int
  /// The stream of the next operator downstream; nil for a subscription itself.
  var parent: Int?
  var `operator`: String?
  var file: String?
  var line: Int?
  /// Seconds since the subscription.
  var age = 0.0
  /// The delivered elements.
  var count = 0
  /// Seconds since the last element.
  var lastAge: Double?
  var last: String?
}
