import Synchronization

/// The traced subscriptions that have not ended.
final class StreamRegistry: Sendable {
  static let shared = StreamRegistry()

  private struct State {
    var lastID = 0
    var records: [Int: StreamRecord] = [:]
    // The records of one lifetime in the order of creation: each is upstream of the previous one.
    var ofLifetime: [ObjectIdentifier: [StreamRecord]] = [:]
  }

  private let state = Locked(State())

  /// The records of all subscriptions, in the order of creation.
  var records: [StreamRecord] {
    state.withLock { Array($0.records.values) }.sorted { $0.id < $1.id }
  }

  /// The record of a subscription; nil when it has ended.
  func record(_ id: Int) -> StreamRecord? { state.withLock { $0.records[id] } }

  /// The records of those of these subscriptions that have not ended.
  func records(of ids: some Sequence<Int>) -> [StreamRecord] {
    state.withLock { state in ids.compactMap { state.records[$0] } }
  }

  /// Adds a subscription and returns its record.
  func add(
    _ callStack: CallStack, parent: StreamRecord?, isRoot: Bool = false,
    lifetime: ObjectIdentifier
  ) -> StreamRecord {
    state.withLock { state in
      state.lastID += 1
      let record = StreamRecord(
        state.lastID, callStack, parent: parent, isRoot: isRoot, lifetime: lifetime)
      state.records[record.id] = record
      state.ofLifetime[lifetime, default: []].append(record)
      return record
    }
  }

  /// Removes a subscription, if it is registered.
  func remove(_ record: StreamRecord) {
    let isRemoved = state.withLock { state in
      guard state.records.removeValue(forKey: record.id) != nil else { return false }
      state.ofLifetime[record.lifetime]?.removeAll { $0 === record }
      if state.ofLifetime[record.lifetime]?.isEmpty == true {
        state.ofLifetime[record.lifetime] = nil
      }
      return true
    }
    if isRemoved { record.reportRemoval() }
  }

  /// Returns the downstream stage for a new stage of `lifetime`.
  ///
  /// The nearest lifetime that has stages, `lifetime` or one around it, determines the stage. It is
  /// `making` if that is one of the stages, otherwise the last one.
  func parent(of lifetime: Lifetime, making: StreamRecord?) -> StreamRecord? {
    var next: Lifetime? = lifetime
    while let lifetime = next {
      let records = state.withLock { $0.ofLifetime[ObjectIdentifier(lifetime)] }
      if let records { return records.first { $0 === making } ?? records.last }
      next = lifetime.parent
    }
    return nil
  }
}

/// The record of one traced subscription.
final class StreamRecord: Sendable {
  let id: Int
  let callStack: CallStack
  let parent: StreamRecord?
  let lifetime: ObjectIdentifier
  /// Whether this is the subscription itself and not a stage of one.
  let isRoot: Bool
  let start = ContinuousClock.now
  private let count = Synchronization.Atomic<Int>(0)
  // Nanoseconds since `start`; negative before the first element.
  private let last = Synchronization.Atomic<Int64>(-1)
  // The upstream stages that the last error passed.
  private let failed = Locked<[CallStack]>([])
  /// The tools that watch the elements.
  let taps = Locked(StreamTaps())

  init(
    _ id: Int, _ callStack: CallStack, parent: StreamRecord?, isRoot: Bool,
    lifetime: ObjectIdentifier
  ) {
    (self.id, self.callStack) = (id, callStack)
    (self.parent, self.isRoot, self.lifetime) = (parent, isRoot, lifetime)
  }

  var elementCount: Int { count.load(ordering: .relaxed) }

  /// The time of the last element since `start`; nil before the first one.
  var lastElement: Duration? {
    let last = last.load(ordering: .relaxed)
    return last < 0 ? nil : .nanoseconds(last)
  }

  /// Counts an element; the last stage of a subscription counts it for the subscription too.
  func delivered(at now: ContinuousClock.Instant) {
    if let parent, parent.isRoot { parent.delivered(at: now) }
    let (seconds, attoseconds) = start.duration(to: now).components
    last.store(seconds * 1_000_000_000 + attoseconds / 1_000_000_000, ordering: .relaxed)
    count.add(1, ordering: .relaxed)
  }

  /// Records at the parent that an error passed this stage.
  func fail() {
    let chain = chainOfStacks
    parent?.failed.withLock { $0 = chain }
  }

  private var chainOfStacks: [CallStack] { failed.withLock { $0 } + [callStack] }

  /// The stages that the last error passed, the failed one first, and the subscription.
  ///
  /// Adjacent stages that one call made are one entry.
  var chain: [String] {
    let root = parent.flatMap { $0.isRoot ? [$0.callStack] : nil } ?? []
    let sites = CallSites.of(chainOfStacks + root)
    return sites.indices.filter { $0 == 0 || sites[$0] == nil || sites[$0] != sites[$0 - 1] }
      .map { CallSite.text(sites[$0]?.operatorName, sites[$0]?.path, sites[$0]?.line) }
  }

  /// Returns the first non-nil result of `body` for the parents, the nearest first.
  func ancestor<Result>(where body: (StreamRecord) -> Result?) -> Result? {
    var next = parent
    while let record = next {
      if let result = body(record) { return result }
      next = record.parent
    }
    return nil
  }
}
