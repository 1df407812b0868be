import Compose
import Dispatch
import Foundation
import ReactiveTesting
import Testing

@MainActor
@Suite("A state that is reduced in place")
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
        mayGoOn.wait()
      case .send:
        self.action.accept(.set(1))
        return .group(.set(2), .set(3))
      }
      return .none
    }
  }

  /// Runs `body` on a thread of its own: what waits must not keep a task's thread.
  nonisolated func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async
    -> Result
  {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }

  @Test func `is not copied`() {
    let screen = Screen(Big())
    screen.composer.action.accept(.set(0))
    let address = screen.composer.state.address
    for index in 1..<100 { screen.composer.action.accept(.set(index)) }
    #expect(screen.composer.state.address == address)
    #expect(screen.composer.state.numbers[99] == 99)
  }

  @Test func `is copied once when somebody keeps an older one`() {
    let screen = Screen(Big())
    screen.composer.action.accept(.set(1))
    let kept = screen.composer.state
    screen.composer.action.accept(.set(2))
    #expect(kept.numbers[2] == 0)
    #expect(screen.composer.state.numbers[2] == 2)
  }

  @Test func `sends from the reducer, groups and observers work as ever`() {
    let screen = Screen(Big())
    let published = Notes<Int>()
    let subscription = screen.composer.$state.states.subscribe(onNext: { published.add($0.steps) })
    screen.composer.action.accept(.send)
    #expect(published.all == [0, 1, 2, 4])
    subscription.dispose()
  }

  @Test func `a write from outside in the middle of a step comes after it`() async {
    let big = Big()
    let (isInside, mayGoOn, state) = (big.isInside, big.mayGoOn, big.$state)
    let composed = Composed(sending: big)
    async let writing: Void = onThread {
      isInside.wait()
      state.wrappedValue = Big.State(steps: 100)
      mayGoOn.signal()
    }
    await onThread { composed.send(.wait) }
    await writing
    #expect(composed.state.steps == 100)
  }

  @Test func `who reads it on another thread waits for the reducer`() async {
    let big = Big()
    let (isInside, mayGoOn) = (big.isInside, big.mayGoOn)
    let composed = Composed(sending: big)
    async let reducing: Void = onThread { composed.send(.wait) }
    let steps = await onThread {
      isInside.wait()
      DispatchQueue.global().async { mayGoOn.signal() }
      return composed.state.steps
    }
    await reducing
    #expect(steps == 1)
  }

  @Test func `read by its own reducer, it stops the program with a reason`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let composed = Composed(sending: Big())
      composed.send(.read)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #if DEBUG
    #expect(text.contains("was read inside its reducer. Read the reducer's inout state."))
    #endif
  }
}
