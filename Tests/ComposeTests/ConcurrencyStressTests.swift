import Compose
import Foundation
import ReactiveTesting
import TestSupport
import Testing

/// Eight threads create, use, cancel and release composers that all of them share.
@Suite("Concurrent use of composers", .workerPool(limit: 300))
struct ConcurrencyStressTests {
  #if TSAN
  static let seconds = 10.0
  #else
  static let seconds = 1.0
  #endif

  @Test func `eight threads that send, cancel and release leave no object alive`() async {
    let (liveCounts, desks) = (Desk.LiveCounts(), Locked<[Composed<Desk.State, Desk.Action>?]>([]))
    desks.withLock { $0 = Array(repeating: nil, count: 32) }
    let end = Date(timeIntervalSinceNow: Self.seconds)
    let sent = Locked(0)
    let isOver = await onThread {
      let threads = DispatchGroup()
      for _ in 0..<8 {
        threads.enter()
        Thread.detachNewThread {
          let count = Self.storm(desks, liveCounts, until: end)
          sent.withLock { $0 += count }
          threads.leave()
        }
      }
      return threads.wait(timeout: .now() + Self.seconds + 60) == .success
    }
    #expect(isOver)
    #expect(sent.withLock { $0 } > 1_000)
    #expect(liveCounts.effects.count > 0)
    // Released outside the lock.
    _ = desks.replace(with: [])
    // Cancelled tasks end, and other threads reduce their remaining actions.
    let areGone = await onThread {
      liveCounts.all.allSatisfy { $0.becomesZero(within: 60) }
    }
    #expect(areGone, "alive: \(liveCounts.all.map(\.count))")
  }

  @Test func `eight threads start, cancel and replace effects of few ids`() async throws {
    let counter = Composed(sending: Identifying())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for number in 0..<2_000 { counter.send(.run(number % 3)) } }
      }
    }
    for id in 0..<3 { counter.send(.cancel(id)) }
    // Another thread may reduce the last actions.
    try await reaches(counter) { $0.started == 16_000 }
  }

  /// Uses, replaces or cancels random composers; returns the number of actions that it has sent.
  private static func storm(
    _ desks: Locked<[Composed<Desk.State, Desk.Action>?]>, _ liveCounts: Desk.LiveCounts,
    until end: Date
  ) -> Int {
    var sent = 0
    // The relays outlive their composers.
    var relays: [PublishRelay<Desk.Action>] = []
    while end.timeIntervalSinceNow > 0 {
      let index = Int.random(in: 0..<32)
      let desk = desks.withLock { $0[index] }
      switch Int.random(in: 0..<20) {
      case 0:
        let new = Composed(sending: Desk(liveCounts))
        // The replaced composer is released outside the lock, here or by its last user.
        let old = desks.withLock { desks in
          defer { desks[index] = new }
          return desks[index]
        }
        relays.append(new.actions)
        if relays.count > 8 { relays.removeFirst() }
        withExtendedLifetime(old) {}
      case 1: relays.randomElement()?.accept(.count)
      default: desk?.send(Desk.Action.allCases.randomElement() ?? .count)
      }
      sent += 1
    }
    return sent
  }
}

/// Starts effects of every kind.
private final class Desk: Composer {
  enum Action: CaseIterable {
    case count, group, decide, timer, observable, task, join, identified, cancel, cancelBag,
      cancelAll
  }

  struct State {
    var count = 0
    var room = 0
    let token: LiveToken
  }

  struct LiveCounts: Sendable {
    let composers = LiveCount()
    let states = LiveCount()
    let effects = LiveCount()
    let middleware = LiveCount()
    var all: [LiveCount] { [composers, states, effects, middleware] }
  }

  @ComposableState var state: State
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let liveCounts: LiveCounts
  private let token: LiveToken

  init(_ liveCounts: LiveCounts) {
    (self.liveCounts, token) = (liveCounts, LiveToken(liveCounts.composers))
    _state = ComposableState(wrappedValue: State(token: LiveToken(liveCounts.states)))
  }

  var middleware: [any Middleware<State, Action>] {
    [Echo(action, LiveToken(liveCounts.middleware))]
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.room > 0 { StateEffect(id: state.room) { [effect] in effect(.never()) } }
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    state.count += 1
    switch action {
    case .count: return .none
    case .group: return .group(.count, .count)
    case .decide: return .decide { (state: State) in state.count % 2 == 0 ? [.count] : [] }
    case .timer: return effect(.interval(.send(.count), period: .milliseconds(1)))
    case .observable: return effect(.run(Observable.of(.count, .count)))
    case .task:
      return effect(
        .run { effect in
          for _ in 0..<10 {
            try await EffectContext.sleep(.milliseconds(1))
            effect.onNext(.send(.count))
          }
        })
    case .join: state.room = state.count % 4
    case .identified: return effect(.never()).cancellable(id: state.count % 3, whenBusy: .replace)
    case .cancel: return .concatenate(.cancel(id: state.count % 3), .send(.count))
    case .cancelBag: return .cancel(&disposeBag)
    case .cancelAll: return .cancelAll
    }
    return .none
  }

  /// `effect`, which is counted as long as it is alive.
  private var effect: @Sendable (Observable<Effect<Action>>) -> Observable<Effect<Action>> {
    { [liveCount = liveCounts.effects] effect in
      .deferred {
        let token = LiveToken(liveCount)
        return effect.do(onDispose: { withExtendedLifetime(token) {} })
      }
    }
  }

  /// Holds the composer's relay.
  final class Echo: Middleware {
    private let actions: PublishRelay<Action>
    private let token: LiveToken

    init(_ actions: PublishRelay<Action>, _ token: LiveToken) {
      (self.actions, self.token) = (actions, token)
    }

    func didReduce(_ action: Action, _ state: State) -> Observable<Effect<Action>> {
      if action == .join { actions.accept(.count) }
      return .none
    }
  }
}

/// Starts effects by ids.
private final class Identifying: Composer {
  enum Action { case run(Int), cancel(Int) }
  struct State { var started = 0 }
  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .run(let id):
      state.started += 1
      return Observable.run(.never()).cancellable(id: id, whenBusy: .replace)
    case .cancel(let id): return .cancel(id: id)
    }
  }
}
