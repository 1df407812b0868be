// Optimistic update with rollback
//
// Problem: A like is shown at once, is taken back when the server refuses it, and quick taps end in
// what was tapped last.
//
// Words: optimistic UI, rollback, like button, undo on error, instant feedback
//
// Why: The state has both values: what is shown, and what the server has confirmed. One request
// runs at a time; when it has ended, the values are compared again. A failure shows the confirmed
// value, whatever was tapped in between.
//
// Ends: The effect ends with the answer. An error becomes `failed`, which is the rollback. The end
// of the composer cancels the request, which the server may have processed.
//
// See: flatMapFirst, Compose/ReturningEffects, Compose/CaseStudies

import Compose
import ReactiveTesting
import Testing

final class LikeButton: Composer {
  enum Action: Equatable { case tapped, saved(Bool), failed }
  struct State: Equatable {
    var isLiked = false, isConfirmed = false
    var isSaving = false, hasFailed = false
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let save: @Sendable (Bool) async throws -> Void

  init(save: @escaping @Sendable (Bool) async throws -> Void) { self.save = save }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .tapped:
      state.isLiked.toggle()
      state.hasFailed = false
    case .saved(let isLiked): (state.isConfirmed, state.isSaving) = (isLiked, false)
    case .failed:
      state.isLiked = state.isConfirmed
      (state.isSaving, state.hasFailed) = (false, true)
    }
    guard state.isLiked != state.isConfirmed, !state.isSaving else { return .none }
    state.isSaving = true
    return .run { [save, isLiked = state.isLiked] in
      try await save(isLiked)
      return .saved(isLiked)
    } catch: { _ in
      .send(.failed)
    }
  }
}

@Test func `a like is shown at once, and taken back when it is refused`() {
  struct Refused: Error {}
  let test = TestComposer(
    LikeButton { _ in
      try await EffectContext.sleep(.seconds(1))
      throw Refused()
    })
  test.send(.tapped) { ($0.isLiked, $0.isSaving) = (true, true) }
  test.advance(by: .seconds(1))
  test.receive(.failed) { $0 = .init(hasFailed: true) }
  test.finish()
}

@Test func `quick taps send one request at a time, and end in the last one`() {
  let test = TestComposer(LikeButton { _ in try await EffectContext.sleep(.seconds(1)) })
  test.send(.tapped) { ($0.isLiked, $0.isSaving) = (true, true) }
  test.send(.tapped) { $0.isLiked = false }
  test.advance(by: .seconds(1))
  test.receive(.saved(true)) { $0.isConfirmed = true }  // The second request follows at once.
  test.advance(by: .seconds(1))
  test.receive(.saved(false)) { ($0.isConfirmed, $0.isSaving) = (false, false) }
  test.finish()
}
