import Compose
import ReactiveTesting
import TestSupport
import Testing

// MARK: - Feature

private final class Screenshots: Composer {
  enum Action { case appeared, disappeared, taken }
  struct State: Equatable { var count = 0, isShown = false }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let screenshots: Observable<Void>

  init(_ screenshots: Observable<Void>) { self.screenshots = screenshots }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .appeared: state.isShown = true
    case .disappeared: state.isShown = false
    case .taken: state.count += 1
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.isShown {
      StateEffect(id: "screenshots") { [screenshots] in .run(screenshots.map { .taken }) }
    }
  }
}

// MARK: - Tests

@Suite("Case study: a long-living effect", .workerPool)
struct LongLivingStudyTests {
  @Test func `screenshots are counted while the screen is shown`() {
    let screenshots = PublishSubject<Void>()
    let test = TestComposer(Screenshots(screenshots.asObservable()))
    screenshots.onNext(())
    test.send(.appeared) { $0.isShown = true }
    screenshots.onNext(())
    test.receive(.taken) { $0.count = 1 }
    test.send(.disappeared) { $0.isShown = false }
    screenshots.onNext(())
    test.send(.appeared) { $0.isShown = true }
    screenshots.onNext(())
    test.receive(.taken) { $0.count = 2 }
    test.finish()
    #expect(!screenshots.hasObservers)
  }
}
