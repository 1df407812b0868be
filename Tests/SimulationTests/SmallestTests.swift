import ReactiveTesting
import TestSupport
import Testing

@Suite("The smallest part of a simulation", .workerPool)
struct SmallestTests {
  /// Two clients, of which the second one has a fault: it connects again.
  private static func setUp(_ world: SimulatedWorld) {
    world.host("server") { _ in try Echo() }
    let counters = (1...2).map { number in
      world.host("client \(number)") { _ in Counter() }
    }
    for counter in counters {
      world.every(.milliseconds(100)...(.seconds(3))) { _ in counter.perform { $0.count() } }
    }
    world.faults(.network(.frequent), .clockSkew)
    world.always("client 2 connects once") { (counters[1].connections ?? 0) < 2 }
  }

  private func fail(_ part: SimulationPart = .all) -> SimulationFailure? {
    do throws(SimulationFailure) {
      try Simulation(seed: 17, for: .seconds(40), only: part, Self.setUp)
      return nil
    } catch {
      return error
    }
  }

  @Test func `what does not matter is left out`() throws {
    let failure = try #require(fail())
    let smallest = Simulation.smallest(failure, within: .seconds(100), Self.setUp)
    #expect(smallest.problem == .violated("client 2 connects once"))
    #expect(smallest.part.hosts == ["server", "client 2"])
    #expect(smallest.part.actions == [])
    let faults = try #require(smallest.part.faults)
    #expect(faults.count == 1, "\(smallest)")
    #expect(smallest.duration <= failure.duration)
    // Two hosts start, and the connection ends by a fault, which ends.
    #expect(smallest.story.count <= 5, "\(smallest)")
  }

  @Test func `the Swift test of the smallest part fails in the same way`() throws {
    let failure = try #require(fail())
    let smallest = Simulation.smallest(failure, within: .seconds(100), Self.setUp)
    #expect(throws: SimulationFailure.self) {
      try Simulation(seed: 17, for: smallest.duration, only: smallest.part, Self.setUp)
    }
    let nanoseconds = Int64(smallest.duration / .nanoseconds(1))
    #expect(
      smallest.swiftTest(setUp: "SmallestTests.setUp") == """
        @Test func `seed 17: client 2 connects once`() throws {
          try Simulation(
            seed: 17,
            for: .nanoseconds(\(nanoseconds)),
            only: \(smallest.part),
            SmallestTests.setUp)
        }
        """)
    let code = #"SimulationPart(hosts: ["client 2", "server"], faults: ["#
    #expect(smallest.part.description.hasPrefix(code))
  }

  @Test func `a fault is the same one when others are left out`() throws {
    func story(_ part: SimulationPart) throws -> [SimulationEvent] {
      try Simulation(seed: 9, for: .seconds(60), only: part, keepsStory: true) { world in
        world.host("server") { _ in try Echo() }
        for number in 1...2 { world.host("client \(number)") { _ in Counter() } }
        world.faults(.network(.frequent), .crashes(.occasional), .pauses(.occasional), .clockSkew)
      }
      .story
    }
    let all = try story(.all).filter { $0.text.hasPrefix("fault ") }
    #expect(all.count > 5)
    #expect(try story(SimulationPart(faults: [])).allSatisfy { !$0.text.hasPrefix("fault ") })
    for event in all.prefix(12) {
      let number = Int(event.text.dropFirst(6).prefix { $0.isNumber }) ?? 0
      let faults = try story(SimulationPart(faults: [number]))
        .filter { $0.text.hasPrefix("fault ") }
      // A host that is not there to be broken is no fault.
      #expect(faults == [event] || faults == [], "\(faults)")
    }
  }

  @Test func `a host that is left out is not reached, and its program is never there`() throws {
    var isConnected: Bool?
    var program: Echo?
    try Simulation(
      seed: 1, for: .seconds(60), only: SimulationPart(hosts: ["client"])
    ) { world in
      let server = world.host("server") { _ in try Echo() }
      let client = world.host("client") { _ in Counter() }
      world.after(.seconds(50)) { (program, isConnected) = (server.program, client.isConnected) }
    }
    #expect(program == nil)
    #expect(isConnected == false)
  }

  @Test func `a part with one action runs that one alone, and tells it in the story`() throws {
    var runs: [Int] = []
    let simulation = try Simulation(
      seed: 1, for: .seconds(10), only: SimulationPart(actions: [2]), keepsStory: true
    ) { world in
      for number in 1...3 { world.after(.seconds(number)) { runs.append(number) } }
    }
    #expect(runs == [2])
    #expect(simulation.story.map(\.description) == ["2.000 s  action 2", "10.000 s  faults stop"])
  }
}
