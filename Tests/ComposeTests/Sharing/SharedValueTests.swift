import Compose
import ReactiveTesting
import TestSupport
import Testing

@Suite("SharedValue", .workerPool)
struct SharedValueTests {
  struct Full: Error {}

  /// A storage that fails while `isFull`.
  final class Disk: ValueStorage {
    private let content: Locked<(value: Int?, saves: Int, isFull: Bool)>

    init(_ value: Int? = nil, isFull: Bool = false) { content = Locked((value, 0, isFull)) }

    var value: Int? { content.withLock { $0.value } }
    var saves: Int { content.withLock { $0.saves } }
    func fill(_ isFull: Bool) { content.withLock { $0.isFull = isFull } }

    func load() throws -> Int? {
      try content.withLock { content in
        if content.isFull { throw Full() }
        return content.value
      }
    }

    func save(_ value: Int) throws {
      try content.withLock { content in
        if content.isFull { throw Full() }
        content = (value, content.saves + 1, false)
      }
    }
  }

  let time = VirtualTime()

  let failures = EventRecorder<String>()

  func value(_ disk: Disk) -> SharedValue<Int> {
    SharedValue(
      0, keptIn: disk, saveDelay: .seconds(1), scheduler: time.scheduler,
      onFailure: { [failures] in failures.append("\($0)") })
  }

  // MARK: Values

  @Test func `the values begin with the current one, and are those that differ`() {
    let shared = SharedValue(1)
    let values = EventRecorder<Int>()
    let subscription = shared.values.subscribe(onNext: { values.append($0) })
    shared.update(by: "test") { $0 = 2 }
    shared.update(by: "test") { $0 = 2 }
    shared.update(by: "test") { $0 = 3 }
    subscription.dispose()
    shared.update(by: "test") { $0 = 4 }
    #expect(values.events == [1, 2, 3])
  }

  @Test func `a write during a delivery is delivered after it, to all`() {
    let shared = SharedValue(0)
    let values = EventRecorder<Int>()
    let bag = DisposeBag()
    shared.values.subscribe(onNext: { value in
      if value == 1 { shared.update(by: "answer") { $0 = 2 } }
    }).disposed(by: bag)
    shared.values.subscribe(onNext: { values.append($0) }).disposed(by: bag)
    shared.update(by: "test") { $0 = 1 }
    #expect(values.events == [0, 1, 2])
  }

  @Test func `an update that throws changes nothing`() {
    let shared = SharedValue(1)
    #expect(throws: Full.self) {
      try shared.update(by: "test") { value in
        value = 2
        throw Full()
      }
    }
    #expect(shared.value == 1)
  }

  @Test func `updates of many threads are all made`() async {
    let shared = SharedValue(0)
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<1_000 { shared.update(by: "test") { $0 += 1 } } }
      }
    }
    #expect(shared.value == 4_000)
  }

  // MARK: Storage

  @Test func `the stored value is loaded, and the default one without it`() {
    #expect(value(Disk(5)).value == 5)
    #expect(value(Disk()).value == 0)
  }

  @Test func `changes are saved together, the delay after the first`() {
    let disk = Disk()
    let shared = value(disk)
    shared.update(by: "test") { $0 = 1 }
    time.advance(by: .milliseconds(600))
    shared.update(by: "test") { $0 = 2 }
    #expect(disk.saves == 0)
    time.advance(by: .milliseconds(400))
    #expect(disk.value == 2 && disk.saves == 1)
    time.advance(by: .seconds(10))
    #expect(disk.saves == 1)
    shared.update(by: "test") { $0 = 3 }
    time.advance(by: .seconds(1))
    #expect(disk.value == 3 && disk.saves == 2)
  }

  @Test func `flush saves at once, and only what is unsaved`() throws {
    let disk = Disk()
    let shared = value(disk)
    try shared.flush()
    shared.update(by: "test") { $0 = 1 }
    try shared.flush()
    #expect(disk.value == 1 && disk.saves == 1)
    time.advance(by: .seconds(1))
    #expect(disk.saves == 1)
  }

  @Test func `a released value saves its changes`() {
    let disk = Disk()
    do { value(disk).update(by: "test") { $0 = 4 } }
    #expect(disk.value == 4 && disk.saves == 1)
  }

  @Test func `a composer in virtual time saves in it`() {
    let disk = Disk()
    final class Counter: Composer {
      struct State: Equatable { @Shared var count = 0 }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      private let sharing: Sharing<State>
      init(_ disk: Disk) { sharing = Sharing(\.$count, SharedValue(0, keptIn: disk)) }
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
        state.count += action
        return .none
      }
    }
    let test = TestComposer(Counter(disk))
    test.send(3) { $0.count = 3 }
    #expect(disk.value == nil)
    test.advance(by: .milliseconds(500))
    #expect(disk.value == 3)
    test.finish()
  }

  @Test func `a failed load gives the default value, and the error`() {
    let disk = Disk(5, isFull: true)
    let shared = value(disk)
    #expect(shared.value == 0)
    #expect(failures.events == ["Full()"])
  }

  @Test func `a failed save is reported, and repeated until it succeeds`() throws {
    let disk = Disk()
    let shared = value(disk)
    disk.fill(true)
    shared.update(by: "test") { $0 = 1 }
    time.advance(by: .seconds(1))
    #expect(failures.events == ["Full()"])
    #expect(throws: Full.self) { try shared.flush() }
    #expect(failures.events == ["Full()"])
    time.advance(by: .seconds(600))
    #expect(failures.events == ["Full()"])
    disk.fill(false)
    time.advance(by: .seconds(60))
    #expect(disk.value == 1 && disk.saves == 1)
    time.advance(by: .seconds(600))
    #expect(disk.saves == 1)
    shared.update(by: "test") { $0 = 2 }
    time.advance(by: .seconds(1))
    #expect(disk.value == 2)
    disk.fill(true)
    shared.update(by: "test") { $0 = 3 }
    time.advance(by: .seconds(1))
    #expect(failures.events == ["Full()", "Full()"])
  }

  @Test func `a failed save of a composer's value fails its test`() {
    let disk = Disk()
    disk.fill(true)
    withKnownIssue {
      let test = TestComposer(Library([], keptIn: FullStorage()))
      test.send(.toggle(1)) { $0.favorites = [1] }
      test.advance(by: .milliseconds(500))
      test.finish()
    } matching: {
      $0.description.contains("A shared value is not kept: Full()")
    }
  }

  struct FullStorage: ValueStorage {
    func load() -> Set<Int>? { nil }
    func save(_ value: Set<Int>) throws { throw Full() }
  }

  @Test func `a change during a save is saved after it`() throws {
    final class Slow: ValueStorage {
      let shared = Locked<SharedValue<Int>?>(nil)
      let saved = EventRecorder<Int>()
      func load() -> Int? { nil }
      func save(_ value: Int) {
        saved.append(value)
        // The last reference: the value is released in here, with a change.
        let shared = shared.replace(with: nil)
        shared?.update(by: "test") { $0 = 2 }
      }
    }
    let storage = Slow()
    do {
      let shared = SharedValue(0, keptIn: storage, scheduler: time.scheduler)
      storage.shared.withLock { $0 = shared }
      shared.update(by: "test") { $0 = 1 }
    }
    time.advance(by: .milliseconds(500))
    #expect(storage.saved.events == [1, 2])
  }

  @Test func `a storage that flushes while it saves does not wait for itself`() {
    final class Flushing: ValueStorage {
      let shared = Locked<SharedValue<Int>?>(nil)
      let saves = Locked(0)
      func load() -> Int? { nil }
      func save(_ value: Int) throws {
        saves.withLock { $0 += 1 }
        try shared.withLock { $0 }?.flush()
      }
    }
    let storage = Flushing()
    let shared = SharedValue(0, keptIn: storage, scheduler: time.scheduler)
    storage.shared.withLock { $0 = shared }
    shared.update(by: "test") { $0 = 1 }
    time.advance(by: .seconds(1))
    #expect(storage.saves.withLock { $0 } == 1)
    storage.shared.withLock { $0 = nil }
  }

  @Test func `the memory storage has what was saved`() throws {
    let storage = MemoryStorage(2)
    let shared = SharedValue(0, keptIn: storage)
    #expect(shared.value == 2)
    shared.update(by: "test") { $0 = 3 }
    try shared.flush()
    #expect(storage.value == 3)
  }
}
