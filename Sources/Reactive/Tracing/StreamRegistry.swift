import Synchronization

/// All traced subscriptions that have not ended.
final class StreamRegistry: Sendable {
  static let shared = StreamRegistry()

  private struct State {
    var lastID = 0
    var records: [Int: StreamRecord] = [:]
    // Those of one lifetime, in the order in which they were made: each stands upstream of the one before.
    var ofLifetime: [ObjectIdentifier: [StreamRecord]] = [:]
  }

  private let state = Locked(State())

  /// In the order in which they were made.
  var records: [StreamRecord] {
    state.withLock { Array($0.records.values) }.sorted { $0.id < $1.id }
  }

  /// Adds a subscription.
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

  /// Removes a subscription, if it is still there.
  func remove(_ record: StreamRecord) {
    state.withLock { state in
      guard state.records.removeValue(forKey: record.id) != nil else { return }
      state.ofLifetime[record.lifetime]?.removeAll { $0 === record }
      if state.ofLifetime[record.lifetime]?.isEmpty == true {
        state.ofLifetime[record.lifetime] = nil
      }
    }
  }

  /// The stage that a new one of `lifetime` is made for, in the nearest lifetime around it that has stages: `making` if it
  /// is one of them, or the last of them.
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

/// What is recorded of one traced subscription.
final class StreamRecord: Sendable {
  let id: Int
  let callStack: CallStack
  let parent: StreamRecord?
  let lifetime: ObjectIdentifier
  /// Whether it is a subscription itself, not a stage of one.
  let isRoot: Bool
  let start = ContinuousClock.now
  private let count = Synchronization.Atomic<Int>(0)
  // Nanoseconds from `start`; negative before the first element.
  private let last = Synchronization.Atomic<Int64>(-1)
  // The stages above this one that the last error from there came through.
  private let failed = Locked<[CallStack]>([])

  init(
    _ id: Int, _ callStack: CallStack, parent: StreamRecord?, isRoot: Bool,
    lifetime: ObjectIdentifier
  ) {
    (self.id, self.callStack) = (id, callStack)
    (self.parent, self.isRoot, self.lifetime) = (parent, isRoot, lifetime)
  }

  var elementCount: Int { count.load(ordering: .relaxed) }

  /// When it delivered its last element, from `start`.
  var lastElement: Duration? {
    let last = last.load(ordering: .relaxed)
    return last < 0 ? nil : .nanoseconds(last)
  }

  /// Counts an element; as one of the subscription too, if this is its last stage.
  func delivered(at now: ContinuousClock.Instant = .now) {
    if let parent, parent.isRoot { parent.delivered(at: now) }
    let (seconds, attoseconds) = start.duration(to: now).components
    last.store(seconds * 1_000_000_000 + attoseconds / 1_000_000_000, ordering: .relaxed)
    count.add(1, ordering: .relaxed)
  }

  /// Notes at the parent that an error has come this way.
  func fail() {
    let chain = chainOfStacks
    parent?.failed.withLock { $0 = chain }
  }

  private var chainOfStacks: [CallStack] { failed.withLock { $0 } + [callStack] }

  /// The stages that the last error came through, the one that failed first, and the subscription; what one call has made
  /// is one entry.
  var chain: [String] {
    let root = parent.flatMap { $0.isRoot ? [$0.callStack] : nil } ?? []
    let sites = CallSites.of(chainOfStacks + root)
    return sites.indices.filter { $0 == 0 || sites[$0] == nil || sites[$0] != sites[$0 - 1] }
      .map { CallSite.text(sites[$0]?.operatorName, sites[$0]?.path, sites[$0]?.line) }
  }

  /// What `body` returns for the nearest of its parents for which that is not nil.
  func ancestor<Result>(where body: (StreamRecord) -> Result?) -> Result? {
    var next = parent
    while let record = next {
      if let result = body(record) { return result }
      next = record.parent
    }
    return nil
  }
}
