import Compose
import Dispatch
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("The latest effect of an id", .workerPool)
struct LatestTests {
  typealias Work = Observable<Effect<ClosureComposer.Action>>

  let time = VirtualTime()
  let results = (0...3).map { _ in PublishSubject<ClosureComposer.Action>() }

  /// Each `go` starts an effect that sends the elements of the next subject; `stop` cancels it.
  ///
  /// While a `go` or a `stop` is reduced, before its effect starts, `meanwhile` is called.
  func screen(
    _ identify: @escaping (Work) -> Work, meanwhile: @escaping (Int) -> Void
  ) -> Screen<ClosureComposer> {
    time.run {
      Screen(
        ClosureComposer { [results] _, state, action in
          switch action {
          case .go:
            meanwhile(state.count)
            state.count += 1
            return identify(.run(results[state.count].asObservable()))
          case .stop:
            meanwhile(state.count)
            return .cancel(id: 1)
          default:
            state.log.append("\(action)")
            return .none
          }
        })
    }
  }

  @Test func `a result that an older effect sends just before the next one starts is dropped`() {
    for isLatest in [true, false] {
      let screen = screen {
        isLatest ? $0.latest(id: 1) : $0.cancellable(id: 1, whenBusy: .replace)
      } meanwhile: { [results] in
        results[$0].onNext(.number($0))
      }
      screen.composer.action.accept(.go)
      screen.composer.action.accept(.go)
      results[2].onNext(.number(2))
      #expect(screen.composer.state.log == (isLatest ? ["number(2)"] : ["number(1)", "number(2)"]))
    }
  }

  @Test func `a result of an older effect is dropped also when the effect has ended by itself`() {
    let screen = screen {
      $0.latest(id: 1)
    } meanwhile: { [results] in
      results[$0].onNext(.number($0))
      results[$0].onCompleted()
    }
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.log == [])
    #expect(screen.composer.disposeBag.count == 1)
  }

  @Test func `no result is reduced after the cancellation of the id`() {
    let screen = screen {
      $0.latest(id: 1)
    } meanwhile: { [results] in
      results[$0].onNext(.number($0))
    }
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.stop)
    results[1].onNext(.other)
    #expect(screen.composer.state.log == [])
  }

  @Test func `cancelAll drops nothing that the latest effect has sent before`() {
    let screen = time.run {
      Screen(
        ClosureComposer { _, state, action in
          if action == .go {
            return Work.concatenate(.run(.from((0...2).map { .number($0) })), .run(.never()))
              .latest(id: 1)
          }
          state.log.append("\(action)")
          return action == .number(0) ? .cancelAll : .none
        })
    }
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.log == ["number(0)", "number(1)", "number(2)"])
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test func `the newest effect sends all of its results, singly and in groups`() {
    let screen = time.run {
      Screen(
        ClosureComposer { _, state, action in
          if action == .go {
            return Work.concatenate(
              .send(.tick), .group(.number(1), .number(2)),
              .decide { (state: ClosureComposer.State) in [.number(state.log.count)] }, .none
            ).latest(id: 1)
          }
          state.log.append("\(action)")
          return .none
        })
    }
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.log == ["tick", "number(1)", "number(2)", "number(3)"])
  }

  @Test func `the latest effect of a child sends the actions of the parent`() {
    final class Parent: Composer {
      enum Action { case child(ClosureComposer.Action) }
      struct State { var child = ClosureComposer.State() }
      @ComposableState var state = State()
      var action = PublishRelay<Action>()
      var disposeBag = DisposeBag()
      let child = Child(\State.child, Action.child) {
        ClosureComposer { _, state, action in
          if action == .go { return Work.send(.tick, after: .seconds(1)).latest(id: 1) }
          state.log.append("\(action)")
          return .none
        }
      }
      func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        switch action {
        case .child(let action): return child.reduce(&state, action)
        }
      }
    }
    let screen = time.run { Screen(Parent()) }
    screen.composer.action.accept(.child(.go))
    time.advance(by: .milliseconds(500))
    screen.composer.action.accept(.child(.go))
    time.advance(by: .seconds(5))
    #expect(screen.composer.state.child.log == ["tick"])
  }

  @Test func `a dismissal by an older effect does not end the child`() {
    final class Parent: Composer {
      enum Action { case child(ClosureComposer.Action) }
      struct State { var child: ClosureComposer.State? = ClosureComposer.State() }
      @ComposableState var state = State()
      var action = PublishRelay<Action>()
      var disposeBag = DisposeBag()
      let child: Child<State, Action, ClosureComposer>
      init(_ dismissals: PublishSubject<Effect<ClosureComposer.Action>>) {
        child = Child(\State.child, Action.child) {
          ClosureComposer { _, state, _ in
            state.count += 1
            if state.count > 1 { dismissals.onNext(.dismiss) }
            return dismissals.asObservable().latest(id: 1)
          }
        }
      }
      func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        switch action {
        case .child(let action): return child.reduce(&state, action)
        }
      }
    }
    let dismissals = PublishSubject<Effect<ClosureComposer.Action>>()
    let screen = time.run { Screen(Parent(dismissals)) }
    screen.composer.action.accept(.child(.go))
    screen.composer.action.accept(.child(.go))
    #expect(screen.composer.state.child?.count == 2)
    dismissals.onNext(.dismiss)
    #expect(screen.composer.state.child == nil)
  }

  @Test func `an ended latest effect and its id are released`() {
    let alive = LiveCount()
    let screen = time.run {
      Screen(
        ClosureComposer { _, state, action in
          guard action == .go else {
            state.log.append("\(action)")
            return .none
          }
          let token = LiveToken(alive)
          return Work.send(.tick, after: .seconds(1)).do(onDispose: { _ = token }).latest(id: 1)
        })
    }
    for _ in 1...3 { screen.composer.action.accept(.go) }
    #expect(alive.count == 1)
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.log == ["tick"])
    #expect(alive.count == 0)
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test func `a debounced effect drops the results of older ones`() {
    let screen = screen {
      $0.debounce(id: 1, for: .seconds(1))
    } meanwhile: { [results] in
      results[$0].onNext(.number($0))
    }
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(1))
    screen.composer.action.accept(.go)
    time.advance(by: .seconds(1))
    results[2].onNext(.number(2))
    #expect(screen.composer.state.log == ["number(2)"])
  }

  /// Counts the results that belong to an older effect than the newest one.
  final class Searches: Composer {
    enum Action { case search, found(Int) }
    struct State { var newest = 0, resultsOfNewest = 0, resultsOfOlder = 0 }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .search:
        state.newest += 1
        state.resultsOfNewest = 0
        return Observable.create { [number = state.newest] observer in
          DispatchQueue.global().async {
            for _ in 1...3 { observer.onNext(.send(.found(number))) }
            observer.onCompleted()
          }
          return Disposables.create()
        }.latest(id: "search")
      case .found(let number):
        if number == state.newest { state.resultsOfNewest += 1 } else { state.resultsOfOlder += 1 }
        return .none
      }
    }
  }

  @Test func `searches of four threads are answered by the newest one alone`() async throws {
    let searches = Composed(sending: Searches())
    await withTaskGroup(of: Void.self) { group in
      for _ in 1...4 {
        group.addTask { await onThread { for _ in 1...250 { searches.send(.search) } } }
      }
    }
    try await reaches(searches) { $0.newest == 1_000 && $0.resultsOfNewest == 3 }
    #expect(searches.state.resultsOfOlder == 0)
  }

  @Test func `outside of a composer an effect with an id simply runs`() {
    let effects = EventRecorder<String>()
    _ = Work.send(.tick).latest(id: 1).record(in: effects)
    #expect(effects.events.last == "|")
  }
}
