// Middleware that logs
//
// Problem: Every action of a composer should be in a log with the change that it made, without a
// line in the reducer, and some actions should be stopped.
//
// Words: middleware, logging, analytics, interceptor, action filter, redux
//
// Why: A middleware receives each action before and after its reduction. `willReduce` may drop or
// replace the action; `didReduce` sees the new state, and may return effects.
//
// Ends: The middleware lives as long as its composer. It cannot fail by itself; an error of an
// effect that it returns is treated as one of the composer.
//
// See: Compose/Middleware, Compose/Timelines, Compose/ReturningEffects, do, debug

import Compose
import ReactiveTesting
import Testing

final class ActionLog: Middleware {
  private let write: @Sendable (String) -> Void

  init(write: @escaping @Sendable (String) -> Void) { self.write = write }

  func willReduce(_ action: Account.Action, _ state: Account.State) -> Account.Action? {
    guard case .withdraw(let amount) = action, amount > state.balance else { return action }
    write("refused: \(action)")
    return nil
  }

  func didReduce(
    _ action: Account.Action, _ state: Account.State
  ) -> Observable<Effect<Account.Action>> {
    write("\(action): balance \(state.balance)")
    return .none
  }
}

final class Account: Composer {
  enum Action: Equatable { case deposit(Int), withdraw(Int) }
  struct State: Equatable { var balance = 0 }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  let middleware: [any Middleware<State, Action>]

  init(log: @escaping @Sendable (String) -> Void) { middleware = [ActionLog(write: log)] }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .deposit(let amount): state.balance += amount
    case .withdraw(let amount): state.balance -= amount
    }
    return .none
  }
}

@Test func `the log has each action, and the refused one`() {
  let lines = BehaviorRelay<[String]>(value: [])
  let test = TestComposer(Account { lines.accept(lines.value + [$0]) })
  test.send(.deposit(20)) { $0.balance = 20 }
  test.composer.action.accept(.withdraw(30))  // It makes no step.
  test.send(.withdraw(5)) { $0.balance = 15 }
  test.finish()
  #expect(
    lines.value == ["deposit(20): balance 20", "refused: withdraw(30)", "withdraw(5): balance 15"])
}
