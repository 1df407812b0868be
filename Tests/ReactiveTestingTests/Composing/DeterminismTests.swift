import Compose
import Foundation
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool(limit: 300)) struct DeterminismTests {
  #if SANITIZED
  private static let runs = 20
  #else
  private static let runs = 2_000
  #endif

  @Test func `2,000 runs of an hour of timers, debounces and tasks give the same events`() async {
    let start = ContinuousClock.now
    let (events, same) = await onThread {
      let first = timeline(hours: 1)
      return (first.count, (0..<Self.runs).count { _ in timeline(hours: 1) == first })
    }
    #expect(events > 40)
    #expect(same == Self.runs)
    if ProcessInfo.processInfo.environment["SHOW_FIGURES"] != nil {
      print("\(events) events of an hour, \(Self.runs) times in \(ContinuousClock.now - start)")
    }
  }

  @Test func `two runs of a day of timers, debounces and tasks give the same events`() {
    let first = timeline(hours: 24)
    #expect(first.count > 1_000)
    #expect(timeline(hours: 24) == first)
  }

  /// Runs `body` on its own thread, because other tests block the threads of the pool.
  private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result
  {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }

  /// All events of a number of hours, with their times and causes.
  private func timeline(hours: Int) -> [Entry] {
    let test = TestComposer(Station(), exhaustivity: .off)
    let entries = Locked<[Entry]>([])
    let subscription = test.composer.trace.subscribe(onNext: { event in
      entries.withLock { $0.append(Entry(event)) }
    })
    test.send(.begin)
    for minute in stride(from: 0, to: 60 * hours, by: 30) {
      test.send(.typed("a\(minute)"))
      test.send(.download)
      for _ in 0..<3 { test.send(.save) }
      test.advance(by: .seconds(60))
      test.send(.typed("b\(minute)"))
      test.send(.cancelDownload)
      if minute % 60 == 0 { test.send(.toggle) }
      test.advance(by: .seconds(29 * 60))
    }
    test.finish()
    subscription.dispose()
    return entries.withLock { $0 }
  }

  @Test func `children start and end in the same order in every run`() {
    func log() -> [String] {
      let test = TestComposer(Rooms(), exhaustivity: .off)
      test.send(.open(8))
      test.advance(by: .seconds(10))
      test.send(.open(3))
      test.advance(by: .seconds(10))
      let log = test.state.log
      test.finish()
      return log
    }
    let first = log()
    #expect(first.count > 20)
    #expect((0..<50).count { _ in log() == first } == 50)
  }

  /// The complete text of one event.
  private enum Entry: Equatable {
    case step(Date, Int, ActionSource, [Station.Action], Station.State)
    case started(Date, Int, EffectOrigin)
    case ended(Date, Int, EffectOutcome)

    init(_ event: TraceEvent<Station.State, Station.Action>) {
      self =
        switch event.kind {
        case .step(let step):
          .step(event.time, step.number, step.source, step.actions, step.state)
        case .started(let number, let origin, _): .started(event.time, number, origin)
        case .ended(let number, let end): .ended(event.time, number, end)
        }
    }
  }
}

private final class Station: Composer {
  enum Action: Equatable {
    case begin, tick, typed(String), found(String), download, loaded([Int]), cancelDownload
    case toggle, poll(Int), save, saved(Int), slept(Int)
  }
  struct State: Equatable {
    var ticks = 0
    var query = ""
    var loads = 0
    var saves = 0
    var rooms = 0
  }

  private actor Counter {
    private var count = 0
    func next() -> Int {
      count += 1
      return count
    }
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let counter = Counter()

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    for room in 0..<state.rooms {
      StateEffect(id: room) { .interval(.send(.poll(room)), period: .seconds(1_200 + room)) }
    }
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .begin:
      return .interval(.send(.tick), period: .seconds(1_500))
    case .tick:
      state.ticks += 1
      return .run { [counter, ticks = state.ticks] effect in
        await withTaskGroup(of: Void.self) { group in
          for child in 0..<3 {
            group.addTask {
              try? await EffectContext.sleep(.seconds(10 * (3 - child)))
              effect.onNext(.send(.slept(ticks * 1_000 + child * 100 + (await counter.next()))))
            }
          }
        }
      }
    case .typed(let query):
      state.query = query
      return .run { effect in
        try await EffectContext.sleep(.seconds(5))
        effect.onNext(.send(.found(query)))
      }
      .debounce(id: "search", for: .seconds(90))
    case .download:
      return .run { effect in
        async let slow = Self.load(1, in: .seconds(100))
        async let fast = Self.load(2, in: .seconds(40))
        effect.onNext(.send(.loaded([try await slow, try await fast])))
      }
      .cancellable(id: "download", whenBusy: .replace)
    case .loaded: state.loads += 1
    case .cancelDownload: return state.ticks % 2 == 0 ? .none : .cancel(id: "download")
    case .toggle: state.rooms = state.rooms == 0 ? 5 : 0
    case .save:
      state.saves += 1
      return .send(.saved(state.saves)).throttle(id: "save", for: .seconds(20))
    case .found, .poll, .saved, .slept: break
    }
    return .none
  }

  private static func load(_ number: Int, in time: Duration) async throws -> Int {
    try await EffectContext.sleep(time)
    return number
  }
}

/// Children, whose composer keeps them in a dictionary: its order differs from run to run.
private final class Rooms: Composer {
  enum Action { case open(Int), room(Int, Room.Action) }
  struct State {
    var rooms: IdentifiedArray<Room.State> = []
    var log: [String] = []
  }

  final class Room: Composer {
    enum Action { case poll }
    struct State: Identifiable { var id = 0 }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      StateEffect(id: "poll") { .interval(.send(.poll), period: .seconds(1)) }
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .none }
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let rooms = Children(\State.rooms, Action.room) { Room() }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .open(let count):
      state.rooms = IdentifiedArray((0..<count).map { Room.State(id: $0) })
      return .none
    case .room(let id, let action):
      state.log.append("\(id)")
      return rooms.reduce(&state, id, action)
    }
  }
}
