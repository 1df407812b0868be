// Polling that pauses
//
// Problem: A screen asks for the state of an order every ten seconds, but not while it is hidden,
// and not after the order has arrived.
//
// Words: poll, repeat request, background, pause and resume, interval request
//
// Why: `stateEffects` declares when the poll runs, so no action has to start or stop it. `.poll`
// counts its interval from the end of a request: slow answers do not pile up.
//
// Ends: The poll is cancelled when the state no longer declares it, with the request that runs. An
// error of a request is caught here, and the poll goes on; without the `catch` it would end the
// poll.
//
// See: interval, Compose/StateEffect, Compose/ReturningEffects

import Compose
import ReactiveTesting
import Testing

final class OrderStatus: Composer {
  enum Status: Equatable { case packed, shipped, arrived }
  enum Action: Equatable { case show(Bool), answered(Status), failed }
  struct State: Equatable { var status = Status.packed, isShown = false, hasFailed = false }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let ask: @Sendable () async throws -> Status

  init(ask: @escaping @Sendable () async throws -> Status) { self.ask = ask }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .show(let isShown): state.isShown = isShown
    case .answered(let status): (state.status, state.hasFailed) = (status, false)
    case .failed: state.hasFailed = true
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.isShown && state.status != .arrived {
      StateEffect(id: "poll") { [ask] in
        .poll(
          .run {
            .answered(try await ask())
          } catch: { _ in
            .send(.failed)
          }, every: .seconds(10))
      }
    }
  }
}

@Test func `the order is asked for while its screen is shown`() {
  let answers = BehaviorRelay(value: OrderStatus.Status.packed)
  let test = TestComposer(OrderStatus { answers.value })
  test.send(.show(true)) { $0.isShown = true }
  test.expect("p---------p", ["p": .answered(.packed)])
  test.send(.show(false)) { $0.isShown = false }
  test.advance(by: .seconds(60))  // Nothing is asked.
  answers.accept(.arrived)
  test.send(.show(true)) { $0.isShown = true }
  test.receive(.answered(.arrived)) { $0.status = .arrived }
  test.advance(by: .seconds(60))
  test.finish()
}
