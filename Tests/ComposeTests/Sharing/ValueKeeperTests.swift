import Compose
import ReactiveTesting
import TestSupport
import Testing

/// A value that cannot be loaded, or saved, at first.
@Suite("A shared value whose storage fails", .workerPool)
struct ValueKeeperTests {
  struct Busy: Error {}

  /// A database that is locked for a number of loads, and then for a number of saves.
  final class Database<Value: Sendable>: ValueStorage {
    private struct Content {
      var value: Value?
      var failingLoads: Int
      var failingSaves: Int
      var loads = 0
      var saves = 0
    }

    private let content: Locked<Content>

    init(_ value: Value?, failingLoads: Int = 0, failingSaves: Int = 0) {
      content = Locked(
        Content(value: value, failingLoads: failingLoads, failingSaves: failingSaves))
    }

    var value: Value? { content.withLock { $0.value } }
    var loads: Int { content.withLock { $0.loads } }
    var saves: Int { content.withLock { $0.saves } }

    func load() throws -> Value? {
      try content.withLock { content in
        content.loads += 1
        if content.loads <= content.failingLoads { throw Busy() }
        return content.value
      }
    }

    func save(_ value: Value) throws {
      try content.withLock { content in
        content.saves += 1
        if content.saves <= content.failingSaves { throw Busy() }
        content.value = value
      }
    }
  }

  let time = VirtualTime()
  let failures = EventRecorder<String>()

  func shared<Value>(
    _ value: Value, _ database: Database<Value>, delay: Duration = .seconds(1),
    merge: SharedValue<Value>.Merge? = nil
  ) -> SharedValue<Value> {
    SharedValue(
      value, keptIn: database, saveDelay: delay, scheduler: time.scheduler, merge: merge,
      onFailure: { [failures] in failures.append("\($0)") })
  }

  // MARK: Saves

  @Test(arguments: [Duration.zero, .seconds(-1), .milliseconds(1)])
  func `a failed save with a short delay is repeated after half a second, and then each minute`(
    delay: Duration
  ) {
    let database = Database(0, failingSaves: .max)
    let shared = shared(0, database, delay: delay)
    shared.update(by: "test") { $0 = 1 }
    for (milliseconds, saves) in [(400, 1), (200, 2), (59_000, 2), (2_000, 3), (60_000, 4)] {
      time.advance(by: .milliseconds(milliseconds))
      #expect(database.saves == saves)
    }
    #expect(failures.events == ["Busy()"])
  }

  @Test func `a failed save with a long delay is repeated after that delay`() {
    let database = Database(0, failingSaves: .max)
    let shared = shared(0, database, delay: .seconds(100))
    shared.update(by: "test") { $0 = 1 }
    for saves in 1...4 {
      time.advance(by: .seconds(100))
      #expect(database.saves == saves)
    }
  }

  @Test func `a flush that fails is followed by a save after half a second`() {
    let database = Database(0, failingSaves: 2)
    let shared = shared(0, database, delay: .zero)
    shared.update(by: "test") { $0 = 1 }
    time.advance(by: .milliseconds(400))
    #expect(throws: Busy.self) { try shared.flush() }
    time.advance(by: .milliseconds(200))
    #expect(database.saves == 3 && database.value == 1)
    shared.update(by: "test") { $0 = 2 }
    time.advance(by: .milliseconds(1))
    #expect(database.value == 2)
  }

  // MARK: Loads

  @Test
  func `a value that could not be loaded is kept, and takes the place of the changes`()
    throws
  {
    let database = Database(["precious"], failingLoads: 1)
    let shared = shared([], database)
    let values = EventRecorder<[String]>()
    let subscription = shared.values.subscribe(onNext: { values.append($0) })
    shared.update(by: "test") { $0.append("new") }
    try shared.flush()
    #expect(database.value == ["precious"] && shared.value == ["precious"])
    shared.update(by: "test") { $0.append("newer") }
    try shared.flush()
    #expect(database.value == ["precious", "newer"])
    #expect(values.events == [[], ["new"], ["precious"], ["precious", "newer"]])
    #expect(database.loads == 2)
    #expect(failures.events == ["Busy()"])
    subscription.dispose()
  }

  @Test func `a merge joins a value that could not be loaded with the changes`() {
    let database = Database(5, failingLoads: 1)
    let shared = shared(0, database) { base, mine, theirs in mine + theirs - base }
    shared.update(by: "test") { $0 += 1 }
    time.advance(by: .seconds(1))
    #expect(shared.value == 6 && database.value == 6)
    #expect(database.saves == 1)
  }

  @Test func `a composer receives the value that could not be loaded as one of the storage`() {
    let database = Database<Set<Int>>([7], failingLoads: 1)
    let shared = shared([], database)
    let test = TestComposer(Library(shared), in: time)
    let recorder = TimelineRecorder(test.composer.trace)
    test.send(.toggle(1)) { $0.favorites = [1] }
    test.advance(by: .seconds(1))
    test.receiveShared { $0.favorites = [7] }
    test.finish()
    #expect(recorder.timeline.steps.last?.source == .shared(by: "storage", step: nil))
  }

  @Test func `nothing is saved as long as the value cannot be loaded`() {
    let database = Database(5, failingLoads: 4)
    do {
      let shared = shared(0, database)
      shared.update(by: "test") { $0 = 1 }
      #expect(throws: Busy.self) { try shared.flush() }
      time.advance(by: .seconds(1))
      #expect(shared.value == 1)
    }
    #expect(database.loads == 4)
    #expect(database.saves == 0 && database.value == 5)
    #expect(failures.events == ["Busy()"])
  }

  @Test func `a value that is released joins what it could not load before`() {
    let database = Database(5, failingLoads: 1)
    do {
      shared(0, database) { base, mine, theirs in mine + theirs - base }
        .update(by: "test") { $0 += 1 }
    }
    #expect(database.value == 6)
  }

  @Test func `without a stored value the changes are saved when it can be loaded`() {
    let database = Database<Int>(nil, failingLoads: 1)
    let shared = shared(0, database)
    shared.update(by: "test") { $0 = 1 }
    time.advance(by: .seconds(1))
    #expect(shared.value == 1 && database.value == 1)
    time.advance(by: .seconds(100))
    #expect(database.loads == 2)
  }
}
