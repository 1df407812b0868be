// Countdown
//
// Problem: A timer counts down the seconds to a code's expiry; it can be paused, and "Send again"
// starts it anew.
//
// Words: count down, timer, resend code, seconds left, pause timer
//
// Why: The state declares when the timer runs: while seconds remain and it is not paused. No action
// has to cancel it, and it cannot run twice.
//
// Ends: The interval is cancelled when the last second has passed, when the timer is paused, and
// with the composer. It cannot fail. A pause restarts the current second.
//
// See: interval, timer, Compose/StateEffect, Compose/EffectContext

import Compose
import ReactiveTesting
import Testing

final class Countdown: Composer {
  enum Action: Equatable { case start(seconds: Int), pause(Bool), tick }
  struct State: Equatable { var remaining = 0, isPaused = false }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .start(let seconds): state = State(remaining: seconds)
    case .pause(let isPaused): state.isPaused = isPaused
    case .tick: state.remaining -= 1
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.remaining > 0 && !state.isPaused {
      StateEffect(id: "tick") { .interval(.send(.tick), period: .seconds(1)) }
    }
  }
}

@Test func `a countdown stops at zero, and pauses`() {
  let test = TestComposer(Countdown())
  test.send(.start(seconds: 3)) { $0.remaining = 3 }
  test.expect("-t", ["t": .tick]) { $0.remaining = 2 }
  test.send(.pause(true)) { $0.isPaused = true }
  test.advance(by: .seconds(60))
  test.send(.pause(false)) { $0.isPaused = false }
  test.expect("-tt---", ["t": .tick]) { $0.remaining = 0 }
  test.finish()
}
