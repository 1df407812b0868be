import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Cancelling by a bag", .workerPool)
struct CancelByBagTests {
  let time = VirtualTime()

  func screen(_ body: @escaping ClosureComposer.Body) -> Screen<ClosureComposer> {
    time.run { Screen(ClosureComposer(body)) }
  }

  @Test func `cancelling a bag keeps the reducer's write, and the composer continues`() {
    let screen = screen { probe, state, action in
      switch action {
      case .go:
        state.count = 1
        return .timer(.send(.tick), period: .seconds(1), disposeBag: probe.disposeBag)
      case .stop:
        state.count = 100
        return .cancel(&probe.disposeBag)
      default:
        state.log.append("tick")
        return .none
      }
    }
    let action = screen.composer.action
    action.accept(.go)
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.log.count == 2)

    action.accept(.stop)
    #expect(screen.composer.state.count == 100)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log.count == 2)

    action.accept(.go)
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.log.count == 4)
  }

  @Test func `cancelling a bag that other code holds ends the effects in it`() {
    let held = EventRecorder<DisposeBag>()
    let screen = screen { probe, state, action in
      switch action {
      case .go:
        held.append(probe.disposeBag)
        return .concat(
          .timer(.send(.tick), period: .seconds(1), disposeBag: probe.disposeBag),
          .send(.other)
        )
      case .stop: return .cancel(&probe.disposeBag)
      default:
        state.log.append("\(action)")
        return .none
      }
    }
    screen.composer.action.accept(.go)
    time.settle()
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log == ["tick"])
  }

  @Test func `cancelling a separate bag lets the concatenated effect start`() {
    let bag = EventRecorder<DisposeBag>()
    let screen = screen { probe, state, action in
      switch action {
      case .go:
        let own = DisposeBag()
        bag.append(own)
        return .concat(
          .timer(.send(.tick), period: .seconds(1), disposeBag: own),
          .send(.other)
        )
      case .stop:
        var own = bag.events[0]
        return .cancel(&own)
      default:
        state.log.append("\(action)")
        return .none
      }
    }
    screen.composer.action.accept(.go)
    time.settle()
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log == ["tick", "other"])
  }

  @Test func `an effect that starts after its bag was cancelled does not run`() {
    let screen = screen { probe, state, action in
      switch action {
      case .go:
        let late = Observable<Effect<ClosureComposer.Action>>.interval(
          .send(.tick),
          period: .seconds(1),
          disposeBag: probe.disposeBag
        )
        return .concat(.timer(.none, dueTime: .seconds(5), period: .seconds(5)).take(0), late)
      case .stop: return .cancel(&probe.disposeBag)
      case .number:
        let late = Observable<Effect<ClosureComposer.Action>>.interval(
          .send(.tick),
          period: .seconds(1),
          disposeBag: probe.disposeBag
        )
        return .merge(.cancel(&probe.disposeBag), late)
      default:
        state.count += 1
        return .none
      }
    }
    screen.composer.action.accept(.number(1))
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.count == 0)
  }

  @Test func `cancelling a bag also ends effects when the returned effect is dropped`() {
    let screen = screen { probe, state, action in
      switch action {
      case .go: return .interval(.send(.tick), period: .seconds(1))
      case .stop:
        let _: Observable<Effect<ClosureComposer.Action>> = .cancel(&probe.disposeBag)
        return .none
      default:
        state.count += 1
        return .none
      }
    }
    screen.composer.action.accept(.go)
    time.advance(by: .milliseconds(1_500))
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.count == 1)
  }

  /// `other` starts a timer and stops it as one step, `number` stops and starts it.
  func grouping(
    _ stop: @escaping @Sendable (ClosureComposer) -> Observable<Effect<ClosureComposer.Action>>
  )
    -> Screen<ClosureComposer>
  {
    screen { probe, state, action in
      switch action {
      case .go: return .interval(.send(.tick), period: .seconds(1)).cancellable(id: 1)
      case .stop: return stop(probe)
      case .other: return .group(.go, .stop)
      case .number: return .group(.stop, .go)
      default:
        state.count += 1
        return .none
      }
    }
  }

  nonisolated static let stops:
    [@Sendable (ClosureComposer) -> Observable<Effect<ClosureComposer.Action>>] = [
      { .cancel(&$0.disposeBag) }, { _ in .cancelAll }, { _ in .cancel(id: 1) },
    ]

  @Test(arguments: stops.indices)
  func `a cancellation in a group ends effects of earlier actions of the group`(way: Int) {
    let screen = grouping(Self.stops[way])
    screen.composer.action.accept(.other)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.count == 0)
    #expect(screen.composer.disposeBag.count == 0)
  }

  @Test(arguments: stops.indices)
  func `a cancellation in a group does not end effects of later actions of the group`(way: Int) {
    let screen = grouping(Self.stops[way])
    screen.composer.action.accept(.number(1))
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.count == 10)
  }

  @Test func `an effect whose composer has disposed of its bag does not start`() {
    let started = EventRecorder<String>()
    let screen = screen { probe, _, _ in
      probe.disposeBag.dispose()
      return .create { _ in
        started.append("started")
        return Disposables.create()
      }
    }
    screen.composer.action.accept(.go)
    #expect(started.events.isEmpty)
  }

  @Test func `an effect that ends may access the bag that is being cancelled`() {
    let screen = screen { probe, state, action in
      switch action {
      case .go:
        let action = probe.action
        return .create { _ in Disposables.create { action.accept(.other) } }
      case .stop: return .cancel(&probe.disposeBag)
      default:
        state.log.append("\(probe.disposeBag.count)")
        return .none
      }
    }
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.stop)
    #expect(screen.composer.state.log == ["0"])
  }

  @Test func `releasing a bag ends its effects`() {
    let screen = screen { probe, state, action in
      switch action {
      case .go: return .interval(.send(.tick), period: .seconds(1), disposeBag: probe.disposeBag)
      case .stop:
        probe.disposeBag = DisposeBag()
        return .none
      default:
        state.count += 1
        return .none
      }
    }
    screen.composer.action.accept(.go)
    time.advance(by: .milliseconds(1_500))
    screen.composer.action.accept(.stop)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.count == 1)
  }

  @Test func `cancelling completes an effect, and disposing of it does not`() {
    let (bag, completed) = (DisposeBag(), EventRecorder<String>())
    func subscribe(_ name: String) -> any Disposable {
      Observable<Effect<ClosureComposer.Action>>.never().cancellable(bag)
        .subscribe(onCompleted: { completed.append(name) }, onDisposed: { completed.append("-") })
    }
    subscribe("disposed").dispose()
    #expect(completed.events == ["-"])
    let cancelled = subscribe("cancelled")
    bag.dispose()
    #expect(completed.events == ["-", "cancelled", "-"])
    cancelled.dispose()
  }

  @Test func `an effect that ends by itself leaves its bag empty`() {
    let bag = DisposeBag()
    let screen = screen { _, _, action in
      action == .go ? Observable.run(.just(.tick)).cancellable(bag) : .none
    }
    for _ in 0..<100 { screen.composer.action.accept(.go) }
    #expect(bag.count == 0)
    #expect(screen.composer.disposeBag.count == 0)
  }
}
