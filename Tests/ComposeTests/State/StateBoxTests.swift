import Compose
import Dispatch
import Foundation
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Reducing in place", .workerPool(limit: 300))
struct StateBoxTests {
  final class Big: Composer {
    enum Action { case set(Int), read, wait, send }
    struct State { var numbers = Array(repeating: 0, count: 10_000), address = 0, steps = 0 }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    static let reducesInPlace = true
    let isInside = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      state.steps += 1
      switch action {
      case .set(let index):
        state.numbers[index] = index
        state.address = state.numbers.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
      case .read: state.steps += self.state.steps
      case .wait:
        isInside.signal()
        mayGoOn.waitInTime()
      case .send:
        self.action.accept(.set(1))
        return .group(.set(2), .set(3))
      }
      return .none
    }
  }

  @Test func `a state that is reduced in place is not copied`() {
    let screen = Screen(Big())
    screen.composer.action.accept(.set(0))
    let address = screen.composer.state.address
    for index in 1..<100 { screen.composer.action.accept(.set(index)) }
    #expect(screen.composer.state.address == address)
    #expect(screen.composer.state.numbers[99] == 99)
  }

  @Test func `a state that is reduced in place is copied once when an older one is kept`() {
    let screen = Screen(Big())
    screen.composer.action.accept(.set(1))
    let kept = screen.composer.state
    screen.composer.action.accept(.set(2))
    #expect(kept.numbers[2] == 0)
    #expect(screen.composer.state.numbers[2] == 2)
  }

  @Test func `sending from the reducer, groups and observers works when reducing in place`() {
    let screen = Screen(Big())
    let published = EventRecorder<Int>()
    let subscription = screen.composer.$state.states.subscribe(onNext: {
      published.append($0.steps)
    })
    screen.composer.action.accept(.send)
    #expect(published.events == [0, 1, 2, 4])
    subscription.dispose()
  }

  @Test func `a write from outside during an in-place step is applied after the step`() async {
    let big = Big()
    let (isInside, mayGoOn, state) = (big.isInside, big.mayGoOn, big.$state)
    let composed = Composed(sending: big)
    async let writing: Void = onThread {
      isInside.waitInTime()
      state.wrappedValue = Big.State(steps: 100)
      mayGoOn.signal()
    }
    await onThread { composed.send(.wait) }
    await writing
    #expect(composed.state.steps == 100)
  }

  @Test func `a reader on another thread waits for a reducer in place`() async {
    let big = Big()
    let (isInside, mayGoOn) = (big.isInside, big.mayGoOn)
    let composed = Composed(sending: big)
    async let reducing: Void = onThread { composed.send(.wait) }
    let steps = await onThread {
      isInside.waitInTime()
      DispatchQueue.global().async { mayGoOn.signal() }
      return composed.state.steps
    }
    await reducing
    #expect(steps == 1)
  }

  /// Waits in its reducer until the other composer reduces too, and then reads that composer's
  /// state.
  final class Curious: Composer {
    struct State { var count = 0 }
    @ComposableState var state = State()
    var action = PublishRelay<ComposableState<State>>()
    var disposeBag = DisposeBag()
    static let reducesInPlace = true
    let arrive: @Sendable () -> Void

    init(_ arrive: @escaping @Sendable () -> Void) { self.arrive = arrive }

    func reducer(_ state: inout State, _ action: ComposableState<State>) -> Observable<
      Effect<ComposableState<State>>
    > {
      arrive()
      state.count += action.wrappedValue.count
      return .none
    }
  }

  @Test func `two reducers in place that wait for each other stop the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // Without the trap, both threads would wait forever.
      DispatchQueue.global().asyncAfter(deadline: .now() + 20) { exit(0) }
      let both = DispatchGroup()
      for _ in 0..<2 { both.enter() }
      func curious() -> (Composed<Curious.State, Curious.Action>, ComposableState<Curious.State>) {
        let composer = Curious {
          both.leave()
          both.wait()
        }
        let state = composer.$state
        return (Composed(sending: composer), state)
      }
      let (first, second) = (curious(), curious())
      Thread.detachNewThread { first.0.send(second.1) }
      Thread.detachNewThread { second.0.send(first.1) }
      while true { try await Task.sleep(for: .seconds(1)) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #if DEBUG
    #expect(text.contains("was read by a reducer whose own state it waits for."))
    #endif
  }

  @Test func `a child without a state ends after the step`() {
    final class Inner: Composer {
      struct State {}
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      let ended: @Sendable () -> Void
      init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
        .run(Observable.never().do(onDispose: ended))
      }
    }
    final class Parent: Composer {
      struct State { var child: Inner.State?, steps = 0 }
      @ComposableState var state = State(child: Inner.State())
      var action = PublishRelay<Bool>()
      var disposeBag = DisposeBag()
      static let reducesInPlace = true
      let seen = EventRecorder<Int>()
      let child: Child<State, Bool, Inner>
      init() {
        child = Child(\State.child, { _ in true }) { [seen, states = _state] in
          Inner { seen.append(states.wrappedValue.steps) }
        }
      }
      func reducer(_ state: inout State, _ action: Bool) -> Observable<Effect<Bool>> {
        state.steps += 1
        if action { return child.reduce(&state, 0) }
        state.child = nil
        return .none
      }
    }
    let screen = Screen(Parent())
    screen.composer.action.accept(true)
    #expect(screen.composer.seen.events.isEmpty)
    screen.composer.action.accept(false)
    #expect(screen.composer.seen.events == [2])
  }

  @Test func `reading a state inside its in-place reducer stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let composed = Composed(sending: Big())
      composed.send(.read)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #if DEBUG
    #expect(text.contains("was read inside its reducer. Read the reducer's inout state,"))
    #endif
  }
}
