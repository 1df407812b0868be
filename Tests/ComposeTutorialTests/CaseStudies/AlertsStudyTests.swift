import Compose
import ReactiveTesting
import TestSupport
import Testing

// MARK: - Feature

private final class Alerts: Composer {
  enum Action { case showAlert, alert(Choice?), showDialog, dialog(Choice?) }
  enum Choice { case increment, decrement }

  struct State: Equatable {
    var count = 0
    var alert: Prompt?
    var dialog: Prompt?
  }

  struct Prompt: Equatable {
    var title: String
    var message: String?
    /// The buttons, beside the one that cancels.
    var choices: [Choice] = []
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .showAlert:
      state.alert = Prompt(title: "Alert!", message: "This is an alert", choices: [.increment])
    case .showDialog:
      state.dialog = Prompt(
        title: "Confirmation dialog", message: "This is a confirmation dialog.",
        choices: [.increment, .decrement])
    case .alert(let choice):
      state.alert = nil
      choose(choice, &state)
    case .dialog(let choice):
      state.dialog = nil
      choose(choice, &state)
    }
    return .none
  }

  private func choose(_ choice: Choice?, _ state: inout State) {
    switch choice {
    case .increment:
      state.count += 1
      state.alert = Prompt(title: "Incremented!")
    case .decrement:
      state.count -= 1
      state.alert = Prompt(title: "Decremented!")
    case nil: break
    }
  }
}

// MARK: - Tests

@Suite("Case study: alerts and confirmation dialogs", .workerPool)
struct AlertsStudyTests {
  @Test func `an alert changes the count, and reports it by another alert`() {
    let test = TestComposer(Alerts())
    test.send(.showAlert) {
      $0.alert = .init(title: "Alert!", message: "This is an alert", choices: [.increment])
    }
    test.send(.alert(.increment)) {
      $0.alert = .init(title: "Incremented!")
      $0.count = 1
    }
    test.send(.alert(nil)) { $0.alert = nil }
    test.finish()
  }

  @Test func `a dialog is dismissed by a choice, or without one`() {
    let test = TestComposer(Alerts())
    let dialog = Alerts.Prompt(
      title: "Confirmation dialog", message: "This is a confirmation dialog.",
      choices: [.increment, .decrement])
    test.send(.showDialog) { $0.dialog = dialog }
    test.send(.dialog(nil)) { $0.dialog = nil }
    test.send(.showDialog) { $0.dialog = dialog }
    test.send(.dialog(.decrement)) {
      $0.dialog = nil
      $0.alert = .init(title: "Decremented!")
      $0.count = -1
    }
    test.finish()
  }
}
