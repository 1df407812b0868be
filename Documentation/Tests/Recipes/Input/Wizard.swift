// Wizard of several steps
//
// Problem: A sign-up has three pages, of which each checks its own field; the user may go back, and
// the result is read at the end.
//
// Words: child composers, multi-step form, onboarding, navigation stack, parent and child
//
// Why: Each page is a composer of its own, which the parent embeds. `Children` finds the page by
// its id and reduces it inside the parent's step; the parent then decides whether to open the next
// page.
//
// Ends: A page's effects end when the page is popped, and its answer is dropped. The parent keeps
// the states of the earlier pages, so that going back shows what was typed there.
//
// See: Compose/Children, Compose/ScreenStack, Compose/Navigating, Compose/EmbeddingChildren

import Compose
import ReactiveTesting
import Testing

final class WizardPage: Composer {
  enum Action: Equatable { case typed(String), next }
  struct State: Equatable { var question: String, answer = "", isComplete = false }

  @ComposableState var state = State(question: "")
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    if case .typed(let text) = action { state.answer = text }
    if case .next = action { state.isComplete = !state.answer.isEmpty }
    return .none
  }
}

final class Wizard: Composer {
  enum Action: Equatable { case page(Int, WizardPage.Action), back }
  struct State: Equatable {
    var pages: ScreenStack<WizardPage.State> = [.init(question: "Name?")]
    var result: [String]?
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let questions = ["Name?", "City?", "Plan?"]
  let pages = Children(\State.pages, Action.page) { WizardPage() }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    guard case .page(let id, let pageAction) = action else {
      if state.pages.count > 1 { state.pages.pop() }
      return .none
    }
    let effect = pages.reduce(&state, id, pageAction)
    guard pageAction == .next, state.pages[id: id]?.isComplete == true else { return effect }
    if state.pages.count < questions.count {
      state.pages.push(.init(question: questions[state.pages.count]))
    } else {
      state.result = state.pages.screens.map(\.answer)
    }
    return effect
  }
}

@Test func `a wizard collects the answers of its pages`() {
  let wizard = Composed(sending: Wizard())
  func answer(_ text: String) {
    let id = wizard.state.pages.ids.last ?? 0
    wizard.send(.page(id, .typed(text)))
    wizard.send(.page(id, .next))
  }
  answer("Ada")
  answer("")  // An empty answer does not leave the page.
  answer("Paris")
  wizard.send(.back)
  #expect(wizard.state.pages.screens.map(\.answer) == ["Ada", "Paris"])
  answer("London")
  answer("free")
  #expect(wizard.state.result == ["Ada", "London", "free"])
}
