import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import simulate

/// A few seeds of each app; `swift run simulate` runs more.
@Suite("The example apps in simulations", .workerPool)
struct AppTests {
  /// With a sanitizer a run of the sockets takes minutes, and one of its jobs too long.
  private static let names = SimulatedApp.all.map(\.name).filter { !isSanitized || $0 != "sockets" }

  @Test(arguments: names, seeds(5))
  func `an app keeps its promises whatever breaks`(app: String, seed: UInt64) throws {
    try #require(SimulatedApp.all.first { $0.name == app }).run(seed: seed)
  }

  @Test(arguments: names)
  func `a seed gives the same run of an app again`(app: String) throws {
    let app = try #require(SimulatedApp.all.first { $0.name == app })
    let hashes = try (0..<2).map { _ in try app.run(seed: 7).hash }
    #expect(Set(hashes).count == 1)
  }

  @Test func `a person hears all lines when nothing breaks`() throws {
    var counts: [Int] = []
    try Simulation(seed: 1, for: .seconds(60)) { world in
      world.host("server") { _ in try ChatServer.make(host: "", port: 8080) }
      let people = ["ann", "bob"].map { name in world.host(name) { ChatPerson($0) } }
      world.eventually("both are in the room", within: .seconds(5)) {
        people.allSatisfy { $0.isInRoom ?? false }
      }
      for number in 1...10 {
        world.after(.seconds(5 + number)) { for person in people { person.perform { $0.say() } } }
      }
      world.eventually("all was heard", within: .seconds(60)) {
        counts = people.compactMap { $0.chat?.state.heard.count }
        return counts == [10, 10]
      }
    }
    #expect(counts == [10, 10])
  }

  @Test func `a search ends with its first finding when that is asked for`() {
    let app = SimulatedApp(name: "broken", duration: .seconds(1)) { world in
      world.every(.milliseconds(1)...(.milliseconds(2))) { _ in }
      world.always("nothing holds") { false }
    }
    let search = SeedSearch([app], 1...1_000, endsAtFirst: true) { _ in }
    search.run()
    // Each thread may have begun a run.
    let threads = ProcessInfo.processInfo.activeProcessorCount
    #expect((1...threads).contains(search.findings.count))
  }

  @Test func `a search that runs each seed twice finds what the seed does not decide`() {
    let app = SimulatedApp(name: "random", duration: .seconds(2)) { world in
      world.machine("host") { _ in
        let delay = RxTimeInterval.microseconds(Int.random(in: 1...1_000_000))
        return Observable<Int>.timer(delay, scheduler: MainScheduler.instance).subscribe()
      }
    }
    let once = SeedSearch([app], 1...2) { _ in }
    once.run()
    #expect(once.findings.isEmpty)
    let twice = SeedSearch([app], 1...2, runsTwice: true) { _ in }
    twice.run()
    #expect(twice.findings.count == 2)
    #expect(
      twice.findings.allSatisfy { if case .differs = $0.failure.problem { true } else { false } })
  }

  @Test func `the arguments of the search are parsed, and wrong ones are named`() throws {
    let arguments = try Arguments(["--app", "chat", "--seeds", "5...9", "--minutes", "1.5"])
    #expect(arguments.apps == ["chat"] && arguments.seeds == 5...9 && arguments.minutes == 1.5)
    #expect(try Arguments(["--seeds", "7"]).seeds == 7...7)
    #expect(try Arguments([]).seeds == 1...100)
    #expect(try Arguments(["--inspect", "--app", "chat", "--seeds", "7"]).isInspected)
    let search = try Arguments(["--first", "--twice"])
    #expect(search.endsAtFirst && search.runsTwice)
    let real = try Arguments(["--app", "chat", "--seeds", "7", "--real", "network.sh"])
    #expect(real.networkScript == "network.sh")
    for wrong in [
      ["--app", "chess"], ["--app"], ["--seeds", "9...5"], ["--seeds", "many"], ["--minutes", "0"],
      ["--fast"], ["--inspect", "--app", "chat"], ["--inspect", "--seeds", "7"],
      ["--real", "network.sh", "--app", "chat"],
      ["--real", "network.sh", "--app", "tasks", "--seeds", "7"],
    ] {
      #expect(throws: Arguments.WrongArgument.self) { try Arguments(wrong) }
    }
  }
}
