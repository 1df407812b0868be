import Synchronization

/// Lists the live subscriptions, and the place in the source code that made each.
///
/// ```swift
/// Streams.isTraced = true  // before the observables are made
/// ...
/// print(Streams.description)
/// // 7 subscribe — Search.swift:44, for 12.1 s, 3 elements, the last 0.2 s ago
/// //   8 map — Search.swift:43, for 12.1 s, 3 elements, the last 0.2 s ago
/// //     9 PublishSubject — Search.swift:12, for 12.1 s, 5 elements, the last 0.2 s ago
/// ```
///
/// In debug builds, and in release builds with the package's trait `Tracing`: without it the optimizer merges the
/// stages of a chain, and nothing is listed. <doc:Tracing> describes what is listed, the cost, and what is known on which platform.
public enum Streams {
  // By its full name: where tests decide the order of atomics, this is none of them.
  @usableFromInline static let tracing = Synchronization.Atomic<Bool>(false)

  /// Whether observables and subscriptions that are made from now on are traced; false by default.
  ///
  /// While it is false nothing is recorded. What was traced before stays in ``live`` until it ends.
  @inlinable public static var isTraced: Bool {
    get { tracing.load(ordering: .relaxed) }
    set { tracing.store(newValue, ordering: .relaxed) }
  }

  /// The traced subscriptions that have not ended, in the order in which they were made.
  ///
  /// May be read on any thread. The first read takes up to some seconds in a large program, for it reads the debug
  /// information; later reads look up new places only.
  public static var live: [LiveStream] {
    let records = StreamRegistry.shared.records
    let sites = CallSites.of(records.map(\.callStack))
    let now = ContinuousClock.now
    // Several stages that one call has made are one stream: the last stage, which emits what the operator emits.
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

  /// One line for each of ``live``, below and to the right of its parent.
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

  /// The operators that the current thread's error came through, the one that failed first.
  ///
  /// Empty when no traced subscription is delivering an error.
  static var failedChain: [String] {
    guard let failed = TracedStream.failing.pointer else { return [] }
    return Unmanaged<StreamRecord>.fromOpaque(failed).takeUnretainedValue().chain
  }
}
