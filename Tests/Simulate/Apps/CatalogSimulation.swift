import ReactiveTesting
import Sockets

extension SimulatedApp {
  /// Users of a catalog who are faster than its answers.
  static let catalog = SimulatedApp(name: "catalog", duration: .seconds(150)) { world in
    let users = (1...3).map { number in
      world.machine("user \(number)") { _ in CatalogProgram() }
    }
    for user in users {
      world.every(.milliseconds(50)...(.seconds(3))) { random in
        let choice = Int.random(in: 0..<16, using: &random)
        let number = Int.random(in: 0..<5, using: &random)
        user.perform { $0.act(choice, number) }
      }
    }
    world.everyFault()
    func always(_ rule: String, _ holds: @escaping (CatalogProgram) -> Bool) {
      world.always(rule) { users.allSatisfy { $0.program.map(holds) ?? true } }
    }
    always("what is found belongs to the query") {
      $0.state.found.map { [query = $0.state.query] in $0.query == query } ?? true
    }
    always("the details are those of the selection") {
      $0.state.details == nil || $0.state.details == $0.state.selection
    }
    always("reports are in order") { $0.service.areReportsOrdered }
    always("no report is cut short") { $0.service.cutReports == 0 }
    always("music that is stopped has no beats") { $0.music.state.lateBeats < 2 }
    always("a page receives only what is its own") { $0.state.page?.hasForeignView != true }
    always("a page that is gone does not work") { $0.service.strayWork < 2 }
    world.eventually("prices are loaded", within: .seconds(60), afterFaultsStop: true) {
      users.allSatisfy { $0.program?.hasNewPrices() ?? false }
    }
  }
}

/// The program of a user, with the catalog on its screen.
final class CatalogProgram {
  let service: CatalogService
  let music = Composed(sending: Music(), on: .main)
  private let catalog: Composed<CatalogState, Catalog.Action>
  private var reportCount = 0
  /// How often prices were loaded when this was asked first.
  private var firstPriceCount: Int?

  init() {
    let service = CatalogService()
    self.service = service
    catalog = Composed(sending: Catalog(service), on: .main)
    catalog.send(.refresh)
  }

  var state: CatalogState { catalog.state }

  /// Does what a user does.
  ///
  /// - Parameters:
  ///   - choice: what is done, below 16.
  ///   - number: number of an item or a page.
  func act(_ choice: Int, _ number: Int) {
    switch choice {
    case 0, 1: catalog.send(.search("query \(number)"))
    case 2: catalog.send(.search(nil))
    case 3, 4: catalog.send(.select(number))
    case 5: catalog.send(.select(nil))
    case 6: catalog.send(.refresh)
    case 7...9:
      reportCount += 1
      catalog.send(.seen(reportCount))
    case 10: music.send(number < 3 ? .sample : .play)
    case 11: music.send(.stop)
    case 12, 13: catalog.send(.open(number))
    case 14 where state.page != nil: catalog.send(.page(number < 3 ? .turn : .cancel))
    default: catalog.send(.close)
    }
    service.shownPage = state.page?.id
  }

  func hasNewPrices() -> Bool {
    let first = firstPriceCount ?? state.priceCount
    firstPriceCount = first
    return state.priceCount > first + 1
  }
}
