import TestSupport
import Testing

@testable import ExploredReactive

extension Orders {
  @Suite("Thread orders of a hub", .workerPool)
  struct ObserverHubOrderTests {
    private static func disposalDuringEmission() -> Explorer.Scenario {
      let hub = ObserverHub<Int>()
      let lifetime = Lifetime()
      let probe = ObserverProbe()
      _ = hub.add(probe.observer(lifetime))
      return Explorer.Scenario([{ hub.next(1) }, { lifetime.dispose() }]) {
        withExtendedLifetime(hub) { probe.isReleased ? nil : "the observer is held" }
      }
    }

    @Test func `in every thread order, a hub releases an observer disposed of during an emission`()
    {
      let result = Explorer.explore(preemptions: 4, Self.disposalDuringEmission)
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }

    @Test func `the explorer finds a hub that retires a list too late`() {
      let result = PlantedFault.lateRetirement.planted {
        Explorer.explore(preemptions: 2, Self.disposalDuringEmission)
      }
      #expect(result.failure?.hasPrefix("the observer is held") == true)
    }

    @Test
    func
      `in every thread order, a hub delivers two emissions while another observer is disposed of`()
    {
      let result = Explorer.explore(preemptions: 2) {
        let hub = ObserverHub<Int>()
        let (first, second) = (Lifetime(), Lifetime())
        let (going, staying) = (ObserverProbe(), ObserverProbe())
        _ = hub.add(going.observer(first))
        _ = hub.add(staying.observer(second))
        return Explorer.Scenario([
          { hub.next(1) }, { hub.next(2) }, { first.dispose() },
        ]) {
          if !going.isReleased { return "the removed observer is held" }
          let received = staying.received.sorted()
          second.dispose()
          hub.next(3)
          if !staying.isReleased { return "the remaining observer is held" }
          return received == [1, 2] ? nil : "the remaining observer has received \(received)"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 1000)
    }

    @Test func `in every thread order, a hub adds and removes observers during an emission`() {
      let result = Explorer.explore(preemptions: 2) {
        let hub = ObserverHub<Int>()
        let (first, second) = (Lifetime(), Lifetime())
        let (going, coming) = (ObserverProbe(), ObserverProbe())
        _ = hub.add(going.observer(first))
        return Explorer.Scenario([
          { hub.next(1) },
          { first.dispose() },
          { _ = hub.add(coming.observer(second)) },
        ]) {
          if !going.isReleased { return "the removed observer is held" }
          hub.next(2)
          return coming.received.last == 2
            ? nil : "the added observer has received \(coming.received)"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 1000)
    }

    @Test func `in every thread order, a hub sends one end to current and new observers`() {
      let result = Explorer.explore(preemptions: 3) {
        let hub = ObserverHub<Int>()
        let (first, second) = (Lifetime(), Lifetime())
        let (there, coming) = (ObserverProbe(), ObserverProbe())
        _ = hub.add(there.observer(first))
        var isRefused = false
        return Explorer.Scenario([
          { hub.end(nil) },
          { isRefused = !hub.add(coming.observer(second)) },
        ]) {
          if there.ends != 1 { return "\(there.ends) ends" }
          return coming.ends + (isRefused ? 1 : 0) == 1 ? nil : "neither refused nor ended"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 10)
    }

    @Test func `in every thread order, a hub without owners releases a new observer`() {
      expectRelease { $0.abandon() }
    }

    @Test func `in every thread order, a disposed subject releases a new observer`() {
      expectRelease { $0.dispose(of: $0) }
    }

    /// Expects that a hub holds no observer that is added while it is closed.
    private func expectRelease(whileClosing close: @escaping @Sendable (ObserverHub<Int>) -> Void) {
      let result = Explorer.explore(preemptions: 4) {
        let hub = ObserverHub<Int>()
        let probe = ObserverProbe()
        return Explorer.Scenario([{ _ = hub.add(probe.observer(Lifetime())) }, { close(hub) }]) {
          withExtendedLifetime(hub) { probe.isReleased ? nil : "the observer is held" }
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 10)
    }
  }
}
