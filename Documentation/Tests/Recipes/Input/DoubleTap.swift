// A button that is tapped twice
//
// Problem: Two quick taps on "Pay" must not pay twice.
//
// Words: double tap, double click, prevent duplicate request, disable button, exhaustMap
//
// Why: `whenBusy: .ignore` starts no second effect of the id while one runs. `isPaying` is for the
// button; the id is what makes the second tap harmless, even when the view was slow to disable it.
//
// Ends: The effect ends with the receipt. An error becomes `failed`, and the next tap pays again.
// The end of the composer cancels the request, which the server may have processed.
//
// See: flatMapFirst, throttle, Compose/EffectConflictPolicy

import Compose
import ReactiveTesting
import Testing

final class Checkout: Composer {
  enum Action: Equatable { case payTapped, paid(receipt: Int), failed }
  struct State: Equatable { var isPaying = false, receipts: [Int] = [], hasFailed = false }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let pay: @Sendable () async throws -> Int

  init(pay: @escaping @Sendable () async throws -> Int) { self.pay = pay }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .payTapped:
      (state.isPaying, state.hasFailed) = (true, false)
      return .run { [pay] in
        .paid(receipt: try await pay())
      } catch: { _ in
        .send(.failed)
      }
      .cancellable(id: "pay", whenBusy: .ignore)
    case .paid(let receipt):
      state.isPaying = false
      state.receipts.append(receipt)
    case .failed: (state.isPaying, state.hasFailed) = (false, true)
    }
    return .none
  }
}

@Test func `the second tap does nothing while the first one pays`() {
  let test = TestComposer(
    Checkout {
      try await EffectContext.sleep(.seconds(2))
      return 7
    })
  test.send(.payTapped) { $0.isPaying = true }
  test.advance(by: .milliseconds(200))
  test.send(.payTapped)
  test.advance(by: .seconds(2))
  test.receive(.paid(receipt: 7)) { ($0.isPaying, $0.receipts) = (false, [7]) }
  test.advance(by: .seconds(10))  // No second payment arrives.
  test.finish()
}
