import Compose
import Foundation
import ReactiveTesting
import TestSupport
import Testing

@Suite("Composed", .workerPool(limit: 300))
struct ComposedTests {
  final class Session: Composer {
    enum Action { case add(Int), load, loaded, poll }
    struct State: Equatable { var sum = 0; var hasLoaded = false }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let token: LiveToken

    init(_ liveCount: LiveCount) { token = LiveToken(liveCount) }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .add(let number): state.sum += number
      case .load: return .run { $0.onNext(.send(.loaded)) }
      case .loaded: state.hasLoaded = true
      case .poll: return .interval(.send(.add(1)), period: .seconds(1))
      }
      return .none
    }
  }

  @Test func `a handle reduces on the sender's thread before send returns`() async {
    let session = Composed(sending: Session(LiveCount()))
    await Task.detached { session.send(.add(2)) }.value
    session.send(.add(3))
    #expect(session.state.sum == 5)
  }

  @Test func `thousands of composers reduce every action of eight threads once`() async {
    let liveCount = LiveCount()
    do {
      let sessions = (0..<2_000).map { _ in Composed(sending: Session(liveCount)) }
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask { for session in sessions { session.send(.add(1)) } }
        }
      }
      #expect(sessions.allSatisfy { $0.state.sum == 8 })
      #expect(liveCount.count == 2_000)
    }
    #expect(liveCount.count == 0)
  }

  @Test func `a handle is settled after the steps of what was sent before`() async throws {
    let queue = DispatchQueue(label: "session")
    let session = Composed(sending: Session(LiveCount()), on: .queue(queue))
    queue.suspend()
    // More than the queue reduces in one turn.
    for _ in 0..<2_500 { session.send(.add(1)) }
    let sums = Watched<[Int]>([])
    let subscription = session.settled.subscribe(onCompleted: { [weak session] in
      sums.update { $0.append(session?.state.sum ?? 0) }
    })
    for _ in 0..<10 { session.send(.add(1)) }
    #expect(sums.value.isEmpty)
    queue.resume()
    try await session.settled.value
    #expect(sums.value == [2_500] && session.state.sum == 2_510)
    subscription.dispose()
  }

  @Test func `a handle on which nothing waits is settled at once, and is released after that`() {
    let liveCount = LiveCount()
    var session: Composed? = Composed(sending: Session(liveCount))
    session?.send(.add(1))
    let isSettled = Watched(false)
    session?.settled.subscribe(onCompleted: { isSettled.update { $0 = true } }).dispose()
    #expect(isSettled.value)
    session = nil
    #expect(liveCount.count == 0)
  }

  @Test func `a handle that is released by its settling ends its composer`() async {
    let liveCount = LiveCount()
    let queue = DispatchQueue(label: "session")
    queue.suspend()
    do {
      let session = Composed(sending: Session(liveCount), on: .queue(queue))
      session.send(.add(1))
      session.settled.subscribe().dispose()
    }
    #expect(liveCount.count == 1)
    queue.resume()
    #expect(await onThread { liveCount.becomesZero(within: 60) })
  }

  @Test func `states are delivered on any thread without a main loop`() async throws {
    let session = Composed(sending: Session(LiveCount()))
    session.send(.load)
    for try await state in session.states.values where state.hasLoaded { break }
    #expect(session.state.hasLoaded)
  }

  @Test func `releasing the handle ends the composer's effects`() {
    let (liveCount, time) = (LiveCount(), VirtualTime())
    let ticks = EventRecorder<Int>()
    do {
      let session = time.run { Composed(sending: Session(liveCount)) }
      let subscription = session.states.subscribe(onNext: { ticks.append($0.sum) })
      session.send(.poll)
      time.advance(by: .milliseconds(2_500))
      subscription.dispose()
    }
    #expect(liveCount.count == 0)
    time.advance(by: .seconds(10))
    #expect(ticks.events == [0, 0, 1, 2])
  }

  final class Plain: Composer {
    enum Action { case none }
    struct State {}
    var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .none }
  }

  @Test func `a state without @ComposableState stops the program, with the line to write`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Composed(sending: Plain())
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #if DEBUG
    #expect(text.contains("Declare Plain.state with @ComposableState."))
    #endif
  }
}
