/// A subscription that had not ended when ``Streams/live`` was read.
public struct LiveStream: Identifiable, Hashable, Sendable, CustomStringConvertible {
  /// The number of the stream; later streams have larger numbers.
  public let id: Int
  /// The stream of the next operator downstream, if it is traced and has not ended.
  ///
  /// Nil for the streams that `subscribe`, `bind`, `drive` and `emit` make.
  public let parent: Int?
  /// The function or type that made the stream, like `map` or `PublishSubject`; nil if not known.
  public let operatorName: String?
  /// The path of the source file that called the operator; nil if not known.
  public let file: String?
  /// The line in that file, counted from 1; nil if not known.
  public let line: Int?
  /// The time since the subscription.
  public let age: Duration
  /// The number of elements that the stream has delivered.
  public let elementCount: Int
  /// The time since the last element; nil before the first one.
  public let lastElementAge: Duration?

  init(_ record: StreamRecord, _ site: CallSite?, parent: Int?, now: ContinuousClock.Instant) {
    (id, self.parent) = (record.id, parent)
    (operatorName, file, line) = (site?.operatorName, site?.path, site?.line)
    let age = record.start.duration(to: now)
    self.age = age
    elementCount = record.elementCount
    lastElementAge = record.lastElement.map { max(age - $0, .zero) }
  }

  /// One line, like `8 map — Search.swift:43, for 12.1 s, 3 elements, the last 0.2 s ago`.
  public var description: String {
    let place = CallSite.text(operatorName, file, line)
    let last = lastElementAge.map { ", the last \(Self.text($0)) ago" } ?? ""
    let elements = elementCount == 1 ? "1 element" : "\(elementCount) elements"
    return "\(id) \(place), for \(Self.text(age)), \(elements)\(last)"
  }

  private static func text(_ duration: Duration) -> String {
    let tenths = (max(duration, .zero) / .milliseconds(100)).rounded()
    return "\(tenths / 10) s"
  }
}

extension Streams {
  /// The traced subscriptions that have not ended, in the order of creation.
  ///
  /// The list may be read on any thread. The first read takes up to some seconds in a large
  /// program, because the debug information is read. Later reads look up new places only.
  public static var live: [LiveStream] {
    let records = StreamRegistry.shared.records
    let sites = CallSites.of(records.map(\.callStack))
    let now = ContinuousClock.now
    // Stages that one call has made are one stream: its last stage emits the operator's elements.
    var listed: [Int: (id: Int, site: CallSite?)] = [:]
    var streams: [LiveStream] = []
    for (record, site) in zip(records, sites) {
      let parent = record.ancestor { listed[$0.id] }
      if let site, let parent, parent.site == site {
        listed[record.id] = parent
      } else {
        listed[record.id] = (record.id, site)
        streams.append(LiveStream(record, site, parent: parent?.id, now: now))
      }
    }
    return streams
  }

  /// One line for each stream of ``live``, indented below its parent.
  public static var description: String { description(of: live) }

  static func description(of streams: [LiveStream]) -> String {
    let children = Dictionary(grouping: streams, by: \.parent)
    var lines: [String] = []
    var next = (children[nil] ?? []).reversed().map { (stream: $0, depth: 0) }
    while let (stream, depth) = next.popLast() {
      lines.append(String(repeating: "  ", count: depth) + "\(stream)")
      next += (children[stream.id] ?? []).reversed().map { ($0, depth + 1) }
    }
    return lines.joined(separator: "\n")
  }
}
