// Debounced saving
//
// Problem: A document is saved a second after the last change, and at once when it is closed, and a
// change during a save must not be lost.
//
// Words: autosave, draft, save on close, flush, write behind
//
// Why: The debounced effect only sends `save`. One save runs at a time, so that an older text never
// replaces a newer one in the file; what has changed during a save is saved after it.
//
// Ends: The save ends with the file's answer. An error becomes `notSaved`, and the next change
// tries again. Keep the composer until `savedText` is the text: its end cancels the save that runs.
//
// See: debounce, Compose/ReturningEffects, Compose/SharingState

import Compose
import ReactiveTesting
import Testing

final class Draft: Composer {
  enum Action: Equatable { case edited(String), closed, save, saved(String), notSaved }
  struct State: Equatable { var text = "", savedText = "", isSaving = false }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let write: @Sendable (String) async throws -> Void

  init(write: @escaping @Sendable (String) async throws -> Void) { self.write = write }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .edited(let text):
      state.text = text
      return .send(.save).debounce(id: "autosave", for: .seconds(1))
    case .closed: return .concatenate(.cancel(id: "autosave"), .send(.save))
    case .save:
      guard state.text != state.savedText, !state.isSaving else { return .none }
      state.isSaving = true
      return .run { [write, text = state.text] in
        try await write(text)
        return .saved(text)
      } catch: { _ in
        .send(.notSaved)
      }
    case .saved(let text):
      state.isSaving = false
      state.savedText = text
      return .send(.save)
    case .notSaved: state.isSaving = false
    }
    return .none
  }
}

@Test func `a draft is saved when typing stops, and when it is closed`() {
  let test = TestComposer(Draft { _ in try await EffectContext.sleep(.seconds(2)) })
  test.send(.edited("a")) { $0.text = "a" }
  test.advance(by: .milliseconds(900))
  test.send(.edited("ab")) { $0.text = "ab" }
  test.advance(by: .seconds(1))
  test.receive(.save) { $0.isSaving = true }
  test.send(.edited("abc")) { $0.text = "abc" }
  test.send(.closed)
  test.receive(.save)  // It waits for the save that runs.
  test.advance(by: .seconds(2))
  test.receive(.saved("ab")) { ($0.savedText, $0.isSaving) = ("ab", false) }
  test.receive(.save) { $0.isSaving = true }
  test.advance(by: .seconds(2))
  test.receive(.saved("abc")) { ($0.savedText, $0.isSaving) = ("abc", false) }
  test.receive(.save)
  test.finish()
}
