import Compose
import TestSupport
import Testing

final class Counter: Composer {
  enum Action { case increment, decrement, show(alert: String) }

  struct State: Equatable {
    var count = 0
    @PresentState var alert: String?
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .increment:
      state.count += 1
      if state.count == 10 { return .send(.show(alert: "Ten!")) }
    case .decrement: state.count -= 1
    case .show(let alert): state.alert = alert
    }
    return .none
  }
}

@MainActor
final class CounterScreen {
  @Compose var composer = Counter()
  let disposeBag = DisposeBag()
  private(set) var label = ""
  private(set) var alerts: [String] = []

  init() {
    composer.$state.select(\.count)
      .drive(with: self) { screen, count in screen.label = "\(count)" }
      .disposed(by: disposeBag)
    composer.$state.present(\.$alert)
      .compactMap(\.self)
      .drive(with: self) { screen, alert in screen.alerts.append(alert) }
      .disposed(by: disposeBag)
  }

  func plusTapped() { composer.action.accept(.increment) }
}

@MainActor
@Suite("The tutorial's counter", .workerPool)
struct CounterTests {
  @Test func `the counter shows its count, and one alert at ten`() {
    let screen = CounterScreen()
    #expect(screen.label == "0")
    for _ in 0..<12 { screen.plusTapped() }
    #expect(screen.label == "12")
    #expect(screen.alerts == ["Ten!"])
  }
}
