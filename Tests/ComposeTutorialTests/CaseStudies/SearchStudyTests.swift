import Compose
import ReactiveTesting
import TestSupport
import Testing

// MARK: - Feature

private final class CitySearch: Composer {
  enum Action {
    case query(String), found([City]), notFound
    case choose(City), forecast(City, Forecast), noForecast
  }

  struct State: Equatable {
    var query = ""
    var cities: [City] = []
    var loading: City?
    var weather: Weather?
  }

  struct Weather: Equatable {
    struct Day: Equatable {
      var date: String
      var maximum: String
      var minimum: String
    }

    var city: City.ID
    var days: [Day]
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let client: WeatherClient

  init(_ client: WeatherClient) { self.client = client }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .query(""):
      state.query = ""
      state.cities = []
      state.weather = nil
      return .cancel(id: "search")
    case .query(let query):
      state.query = query
      return .run { [client] effect in
        effect.onNext(.send(.found(try await client.search(query))))
      } catch: { _ in
        .send(.notFound)
      }
      .debounce(id: "search", for: .milliseconds(300))
    case .found(let cities): state.cities = cities
    case .notFound: state.cities = []
    case .choose(let city):
      state.loading = city
      return .run { [client] effect in
        effect.onNext(.send(.forecast(city, try await client.forecast(city))))
      } catch: { _ in
        .send(.noForecast)
      }
      .cancellable(id: "forecast", cancelInFlight: true)
    case .forecast(let city, let forecast):
      state.loading = nil
      state.weather = Weather(
        city: city.id,
        days: forecast.dates.indices.map {
          Weather.Day(
            date: forecast.dates[$0],
            maximum: "\(forecast.maxima[$0])\(forecast.unit)",
            minimum: "\(forecast.minima[$0])\(forecast.unit)")
        })
    case .noForecast:
      state.loading = nil
      state.weather = nil
    }
    return .none
  }
}

// MARK: - Client

private struct City: Equatable, Identifiable {
  let id: Int
  let name: String
}

private struct Forecast: Equatable {
  var dates: [String]
  var maxima: [Double]
  var minima: [Double]
  var unit: String
}

private struct WeatherClient: Sendable {
  var search: @Sendable (_ query: String) async throws -> [City] = unimplemented("search")
  var forecast: @Sendable (City) async throws -> Forecast = unimplemented("forecast")
}

// MARK: - Tests

@Suite("Case study: a search for cities", .workerPool)
struct SearchStudyTests {
  struct Offline: Error {}

  private let brooklyn = City(id: 1, name: "Brooklyn")
  private let oslo = City(id: 2, name: "Oslo")
  private let forecast = Forecast(dates: ["Monday"], maxima: [90], minima: [70], unit: "F")
  private var weather: CitySearch.Weather {
    .init(city: oslo.id, days: [.init(date: "Monday", maximum: "90.0F", minimum: "70.0F")])
  }

  @Test func `cities are searched once after typing has stopped, and cleared with the query`() {
    let test = TestComposer(CitySearch(WeatherClient(search: { [oslo] _ in [oslo] })))
    test.send(.query("O")) { $0.query = "O" }
    test.advance(by: .milliseconds(200))
    test.send(.query("Os")) { $0.query = "Os" }
    test.advance(by: .milliseconds(300))
    test.receive(.found([oslo])) { $0.cities = [oslo] }
    test.send(.query("")) {
      $0.query = ""
      $0.cities = []
    }
    test.finish()
  }

  @Test func `a search that fails finds nothing`() {
    let test = TestComposer(CitySearch(WeatherClient(search: { _ in throw Offline() })))
    test.send(.query("O")) { $0.query = "O" }
    test.advance(by: .milliseconds(300))
    test.receive(.notFound)
    test.finish()
  }

  @Test func `further typing cancels the search, and so does an empty query`() {
    let test = TestComposer(
      CitySearch(
        WeatherClient(search: { [oslo] _ in
          try await EffectContext.sleep(.seconds(1))
          return [oslo]
        })
      )
    )
    test.send(.query("O")) { $0.query = "O" }
    test.advance(by: .seconds(1))
    test.send(.query("Os")) { $0.query = "Os" }
    test.advance(by: .seconds(1))
    test.send(.query("")) { $0.query = "" }
    test.advance(by: .seconds(10))
    test.finish()
  }

  @Test func `the forecast of the city that was chosen last is shown`() {
    let test = TestComposer(
      CitySearch(
        WeatherClient(forecast: { [forecast] _ in
          try await EffectContext.sleep(.seconds(1))
          return forecast
        })
      )
    )
    test.send(.choose(brooklyn)) { $0.loading = brooklyn }
    test.advance(by: .milliseconds(500))
    test.send(.choose(oslo)) { $0.loading = oslo }
    test.advance(by: .seconds(1))
    test.receive(.forecast(oslo, forecast)) {
      $0.loading = nil
      $0.weather = weather
    }
    test.finish()
  }

  @Test func `a forecast that fails removes the previous one`() {
    let test = TestComposer(
      CitySearch(
        WeatherClient(forecast: { [oslo, forecast] city in
          if city == oslo { return forecast }
          throw Offline()
        })
      )
    )
    test.send(.choose(oslo)) { $0.loading = oslo }
    test.receive(.forecast(oslo, forecast)) {
      $0.loading = nil
      $0.weather = weather
    }
    test.send(.choose(brooklyn)) { $0.loading = brooklyn }
    test.receive(.noForecast) {
      $0.loading = nil
      $0.weather = nil
    }
    test.finish()
  }
}
