/// The answer to `streams`.
struct StreamList: Encodable, Equatable, Sendable {
  struct Stream: Encodable, Equatable, Sendable {
    let stream: Int
    let parent: Int?
    let `operator`: String?
    let file: String?
    let line: Int?
    let age: Double
    let count: Int
    let lastAge: Double?
    let last: String?

    /// - Parameter last: text of the last element, if it is known
    init(_ stream: LiveStream, last: String?) {
      (self.stream, parent, `operator`) = (stream.id, stream.parent, stream.operatorName)
      (file, line) = (stream.file, stream.line)
      (age, count) = (stream.age / .seconds(1), stream.elementCount)
      lastAge = stream.lastElementAge.map { $0 / .seconds(1) }
      self.last = last
    }
  }

  let isTraced: Bool
  /// How to turn tracing on; nil while it is on.
  let hint: String?
  let streams: [Stream]
  let moreStreams: Int
}

/// The notification of the events of watched streams.
struct MarbleList: Encodable, Equatable {
  struct Marble: Encodable, Equatable {
    let stream: Int
    let time: Double
    let kind: String
    /// The text of the element or of the error.
    let text: String?
  }

  let marbles: [Marble]
  let skipped: Int
}
