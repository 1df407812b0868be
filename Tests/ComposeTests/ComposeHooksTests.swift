import Compose
import Dispatch
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("ComposeHooks", .serialized, .workerPool)
struct ComposeHooksTests {
  func problems(_ body: () -> Void) -> [String] {
    let notes = EventRecorder<String>()
    let before = ComposeHooks.onProblem
    ComposeHooks.onProblem = { notes.append("\($0)") }
    body()
    ComposeHooks.onProblem = before
    return notes.events
  }

  @Test func `reading the hook many times does not wrap it`() {
    let before = ComposeHooks.onProblem
    defer { ComposeHooks.onProblem = before }
    let depths = EventRecorder<Int>()
    ComposeHooks.onProblem = { if case .sentAfterEnd("read") = $0 { depths.append(stackDepth()) } }
    for _ in 0..<1000 { ComposeHooks.onProblem(.sentAfterEnd(effect: "read")) }
    #expect(depths.events.first == depths.events.last)
  }

  @Test func `reading an unbound composer's state is reported once`() {
    let probe = HooksProbe { _, _ in .none }
    let all = problems {
      _ = probe.state
      _ = probe.$state
      _ = probe.state
    }.filter { $0.contains("not bound") }
    #expect(all.count == 1)
  }

  @Test func `reading a bound composer's state is not reported`() {
    let probe = HooksProbe { _, _ in .none }
    let all = problems { _ = Screen(probe).composer.state }.filter { $0.contains("Hooks") }
    #expect(all.isEmpty)
  }

  @Test func `setting the state in init is not reported`() {
    final class HooksInitial: Composer {
      struct State { var id = 0 }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      init(id: Int) { state.id = id }
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> { .none }
    }
    let all = problems {
      let composed = Composed(sending: HooksInitial(id: 7))
      #expect(composed.state.id == 7)
    }
    #expect(all.filter { $0.contains("not bound") }.isEmpty)
  }

  @Test func `reading the state in transform and middleware is not reported`() {
    final class HooksReading: Composer {
      struct State { var offset = 7 }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      var middleware: [any Middleware<State, Int>] { state.offset == 7 ? [] : [] }
      func transform(action: Observable<Int>) -> Observable<Int> {
        action.map { [offset = state.offset] in $0 + offset }
      }
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
        state.offset = action
        return .none
      }
    }
    let all = problems {
      let composed = Composed(sending: HooksReading())
      composed.send(1)
      #expect(composed.state.offset == 8)
    }
    #expect(all.filter { $0.contains("not bound") }.isEmpty)
  }

  @Test func `a write to self.state inside the reducer is reported and dropped`() {
    let probe = HooksProbe { probe, state in
      probe.state.count = 50
      state.count += 1
      return .none
    }
    let screen = Screen(probe)
    let all = problems { screen.composer.action.accept(.go) }.filter { $0.contains("inside") }
    #expect(all.count == 1)
    #expect(screen.composer.state.count == 1)
  }

  @Test func `an effect that is sent after run has returned is reported`() {
    let time = VirtualTime()
    let kept = EventRecorder<AnyObserver<Effect<HooksProbe.Action>>>()
    let screen = time.run { Screen(HooksProbe { _, _ in .run { kept.append($0) } }) }
    screen.composer.action.accept(.go)
    time.settle()
    let all = problems { kept.events[0].onNext(.send(.go)) }.filter { $0.contains("had returned") }
    #expect(all.count == 1)
  }

  @Test func `an error that run throws after its own completion is reported`() {
    let time = VirtualTime()
    let screen = time.run {
      Screen(
        HooksProbe { _, _ in
          .run { effect in
            effect.onCompleted()
            throw Failure()
          } catch: { _ in
            .none
          }
        }
      )
    }
    let all = problems {
      screen.composer.action.accept(.go)
      time.settle()
    }.filter { $0.contains("Failure()") }
    #expect(all.count == 1)
  }

  @Test func `an uncaught error of an effect is reported by default`() {
    let screen = Screen(HooksProbe { _, _ in .error(Failure()) })
    let all = problems { screen.composer.action.accept(.go) }.filter { $0.contains("Failure()") }
    #expect(
      all == [
        "An effect of HooksProbe for go failed with Failure(). "
          + "Catch it in the effect (.run's catch, .socket's lifecycle), "
          + "or conform the composer to EffectFailureHandling."
      ]
    )
  }

  @Test func `an uncaught error of a state effect is reported by default`() {
    final class HooksSubscriber: Composer {
      struct State {}
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> { .none }
      func stateEffects(_ state: State) -> [StateEffect<Int>] {
        StateEffect(id: "feed") { .run(.error(Failure())) }
      }
    }
    let all = problems { _ = Composed(sending: HooksSubscriber()) }
      .filter { $0.contains("HooksSubscriber") }
    #expect(
      all == [
        "The state effect feed of HooksSubscriber failed with Failure(). "
          + "Catch it in the effect (.run's catch, .socket's lifecycle), "
          + "or conform the composer to EffectFailureHandling."
      ]
    )
  }

  @Test func `composers of one type are numbered when they are named, unless they have a name`() {
    final class HooksNumbered: Composer {
      @ComposableState var state = 0
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      let name: String
      init(_ name: String = "") { self.name = name }
      func reducer(_ state: inout Int, _ action: Int) -> Observable<Effect<Int>> {
        .error(Failure())
      }
    }
    let (first, second) = (Composed(sending: HooksNumbered()), Composed(sending: HooksNumbered()))
    let named = Composed(sending: HooksNumbered("the third of the HooksNumbered"))
    let all = problems { for composer in [second, first, named, second] { composer.send(1) } }
      .filter { $0.contains("HooksNumbered") }
    #expect(
      all.compactMap { $0.split(separator: " for ").first } == [
        "An effect of HooksNumbered", "An effect of HooksNumbered 2",
        "An effect of the third of the HooksNumbered", "An effect of HooksNumbered",
      ])
  }

  #if DEBUG
  @Test func `an id by which nothing was started is reported once, if other ids were used`() {
    let probe = HooksProbe { _, state in
      state.count += 1
      if state.count != 2 { return .cancel(id: "Poll") }
      return .concatenate(.cancel(id: "poll"), .cancel(id: 7), .never().cancellable(id: "poll"))
    }
    let all = problems {
      let screen = Screen(probe)
      // Nothing was started by an id: a stop before the start.
      for _ in 0..<4 { screen.composer.action.accept(.go) }
    }.filter { $0.contains("cancelled the id") }
    #expect(
      all == [
        "HooksProbe cancelled the id 7, which no effect of it has had so far. "
          + "Compare it, and its type, with the id of the effect.",
        "HooksProbe cancelled the id Poll, which no effect of it has had so far. "
          + "Compare it, and its type, with the id of the effect.",
      ])
  }

  @Test func `actions that wait when a handle is released are reported`() {
    final class HooksReleased: Composer {
      @ComposableState var state = 0
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      func reducer(_ state: inout Int, _ action: Int) -> Observable<Effect<Int>> {
        state += action
        return .none
      }
    }
    let queue = DispatchQueue(label: "released")
    func composed() -> Composed<Int, Int> { Composed(sending: HooksReleased(), on: .queue(queue)) }
    var handle: Composed<Int, Int>? = composed()
    handle?.send(1)
    queue.sync {}
    let none = problems {
      handle = nil
      // The first turn of the composer waits, and no action.
      _ = composed()
    }
    #expect(none.filter { $0.contains("HooksReleased") } == [])
    handle = composed()
    queue.sync {}
    queue.suspend()
    for number in 1...2 { handle?.send(number) }
    let all = problems { handle = nil }.filter { $0.contains("HooksReleased") }
    #expect(
      all == [
        "The Composed of HooksReleased was released while actions waited, and 2 were dropped. "
          + "Keep the handle until they are reduced."
      ])
    queue.resume()
  }
  #endif

  @Test func `an error of transform is reported`() {
    final class HooksTransformer: Composer {
      struct State { var count = 0 }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      func transform(action: Observable<Int>) -> Observable<Int> {
        action.map { if $0 == 0 { throw Failure() } else { $0 } }
      }
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
        state.count += action
        return .none
      }
    }
    let composed = Composed(sending: HooksTransformer())
    let all = problems { for number in [1, 0, 2] { composed.send(number) } }
      .filter { $0.contains("HooksTransformer") }
    #expect(
      all == [
        "transform(action:) of HooksTransformer failed with Failure(), and no more actions arrive. "
          + "Handle the error inside transform(action:)."
      ]
    )
    #expect(composed.state.count == 1)
  }

  @Test func `an action for a child without a state is reported`() {
    final class HooksParent: Composer {
      struct State { var child: HooksProbe.State? }
      @ComposableState var state = State()
      var action = PublishRelay<HooksProbe.Action>()
      var disposeBag = DisposeBag()
      let child = Child(\State.child, { (action: HooksProbe.Action) in action }) {
        HooksProbe { _, _ in .none }
      }
      func reducer(_ state: inout State, _ action: HooksProbe.Action) -> Observable<
        Effect<HooksProbe.Action>
      > { child.reduce(&state, action) }
    }
    let screen = Screen(HooksParent())
    let all = problems { screen.composer.action.accept(.go) }.filter { $0.contains("no state") }
    #expect(
      all == [
        "HooksProbe has no state and was sent go, which was dropped. "
          + "Stop the sender when the child's state becomes nil."
      ]
    )
  }

  final class HooksProbe: Composer {
    enum Action { case go }
    struct State { var count = 0 }
    let name = "HooksProbe"
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let body: (HooksProbe, inout State) -> Observable<Effect<Action>>

    init(_ body: @escaping (HooksProbe, inout State) -> Observable<Effect<Action>>) {
      self.body = body
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      body(self, &state)
    }
  }

  @Test func `two state effects of one id are reported, and the first one runs`() {
    final class Twice: Composer {
      @ComposableState var state: [Int] = []
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      func reducer(_ state: inout [Int], _ action: Int) -> Observable<Effect<Int>> {
        state.append(action)
        return .none
      }
      func stateEffects(_ state: [Int]) -> [StateEffect<Int>] {
        if state == [0] {
          StateEffect(id: "load") { .send(1) }
          StateEffect(id: "load") { .send(2) }
        }
      }
    }
    let problems = EventRecorder<String>()
    let context = EffectContext(
      VirtualTime().context.dependencies, nil, onProblem: { problems.append("\($0)") })
    let composer = context.run { Composed(sending: Twice()) }
    context.run { composer.send(0) }
    #expect(composer.state == [0, 1])
    #expect(problems.events.count == 1)
    #expect(problems.events.first?.hasPrefix("Two state effects have the id load") == true)
  }

  @Test func `a shared part without a declaration that shares it is reported`() {
    final class Alone: Composer {
      struct State: Equatable { @Shared var favorites: Set<Int> = [] }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      lazy var sharing = Sharing(\State.$favorites, SharedValue([]))
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> { .none }
    }
    final class Outer: Composer {
      struct State: Equatable { var alone: Alone.State? }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      let alone = Child(\State.alone, { $0 }) { Alone() }
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
        state.alone = Alone.State()
        return .none
      }
    }
    let problems = EventRecorder<String>()
    let context = EffectContext(
      VirtualTime().context.dependencies, nil, onProblem: { problems.append("\($0)") })
    let composer = context.run { Composed(sending: Outer()) }
    context.run { composer.send(0) }
    let message = "The part favorites of Alone is @Shared, and no Sharing shares it."
    #expect(problems.events.map { $0.hasPrefix(message) } == [true])
    _ = context.run { Composed(sending: Alone()) }
    #expect(problems.events.map { $0.hasPrefix(message) } == [true, true])
  }
}
