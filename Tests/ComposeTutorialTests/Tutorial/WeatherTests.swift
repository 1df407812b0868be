import Compose
import ReactiveTesting
import TestSupport
import Testing

final class Weather: Composer {
  enum Action { case appeared, disappeared, choose(city: String), measured(Double) }
  struct State: Equatable { var city = "Oslo", isShown = false, degrees: Double? }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let station: @Sendable (_ city: String) async throws -> Double

  init(station: @escaping @Sendable (_ city: String) async throws -> Double) {
    self.station = station
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .appeared: state.isShown = true
    case .disappeared: state.isShown = false
    case .choose(let city): (state.city, state.degrees) = (city, nil)
    case .measured(let degrees): state.degrees = degrees
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.isShown {
      StateEffect(id: state.city) { [station] in
        let measure = Observable<Effect<Action>>.run { effect in
          effect.onNext(.send(.measured(try await station(state.city))))
        }
        return .poll(measure, every: .seconds(60))
      }
    }
  }
}

@MainActor
@Suite("The tutorial's poll", .workerPool)
struct WeatherTests {
  @MainActor
  final class Screen {
    @Compose var composer: Weather
    init(_ composer: Weather) { _composer = Compose(wrappedValue: composer) }
  }

  @Test func `a poll measures the shown city while the screen is shown`() {
    let time = VirtualTime()
    let asked = Locked<[String]>([])
    let screen = time.run {
      Screen(
        Weather { city in
          asked.withLock { $0.append(city) }
          return city == "Oslo" ? -4 : 21
        }
      )
    }
    let weather = screen.composer
    weather.action.accept(.appeared)
    time.advance(by: .seconds(90))
    #expect(weather.state.degrees == -4)
    weather.action.accept(.choose(city: "Rome"))
    time.advance(by: .seconds(1))
    #expect(weather.state.degrees == 21)
    weather.action.accept(.disappeared)
    time.advance(by: .seconds(3_600))
    #expect(asked.withLock { $0 } == ["Oslo", "Oslo", "Rome"])
  }
}
