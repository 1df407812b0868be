import TestSupport
import Testing

@testable import ExploredReactive

extension Orders {
  @Suite("of a hub", .workerPool)
  struct HubOrderTests {
    private static func disposalDuringEmission() -> Explorer.Scenario {
      let hub = Hub<Int>()
      let lifetime = Lifetime()
      let watch = Watch()
      _ = hub.add(watch.observer(lifetime))
      return Explorer.Scenario([{ hub.next(1) }, { lifetime.dispose() }]) {
        withExtendedLifetime(hub) { watch.isReleased ? nil : "the observer is held" }
      }
    }

    @Test func `an observer that is disposed of during an emission is released behind it`() {
      let result = Explorer.explore(preemptions: 4, Self.disposalDuringEmission)
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }

    @Test func `a hub that retires a list too late is found out`() {
      let result = PlantedFault.lateRetirement.planted {
        Explorer.explore(preemptions: 2, Self.disposalDuringEmission)
      }
      #expect(result.failure?.hasPrefix("the observer is held") == true)
    }

    @Test func `one of two observers goes during two emissions, and the other hears both`() {
      let result = Explorer.explore(preemptions: 2) {
        let hub = Hub<Int>()
        let (first, second) = (Lifetime(), Lifetime())
        let (going, staying) = (Watch(), Watch())
        _ = hub.add(going.observer(first))
        _ = hub.add(staying.observer(second))
        return Explorer.Scenario([
          { hub.next(1) }, { hub.next(2) }, { first.dispose() },
        ]) {
          if !going.isReleased { return "the observer that went is held" }
          let heard = staying.heard.sorted()
          second.dispose()
          hub.next(3)
          if !staying.isReleased { return "the observer that stayed is held" }
          return heard == [1, 2] ? nil : "the observer that stayed has heard \(heard)"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 1000)
    }

    @Test func `an observer comes and another goes during an emission`() {
      let result = Explorer.explore(preemptions: 2) {
        let hub = Hub<Int>()
        let (first, second) = (Lifetime(), Lifetime())
        let (going, coming) = (Watch(), Watch())
        _ = hub.add(going.observer(first))
        return Explorer.Scenario([
          { hub.next(1) },
          { first.dispose() },
          { _ = hub.add(coming.observer(second)) },
        ]) {
          if !going.isReleased { return "the observer that went is held" }
          hub.next(2)
          return coming.heard.last == 2 ? nil : "the observer that came has heard \(coming.heard)"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 1000)
    }

    @Test func `all observers hear one end, whoever comes`() {
      let result = Explorer.explore(preemptions: 3) {
        let hub = Hub<Int>()
        let (first, second) = (Lifetime(), Lifetime())
        let (there, coming) = (Watch(), Watch())
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

    @Test func `an observer that comes while the last owner of a hub goes is released`() {
      expectRelease { $0.abandon() }
    }

    @Test func `an observer that comes while a subject is disposed of is released`() {
      expectRelease { $0.dispose(of: $0) }
    }

    /// Expects that a hub holds no observer that comes while it is closed, whatever comes first.
    private func expectRelease(whileClosing close: @escaping @Sendable (Hub<Int>) -> Void) {
      let result = Explorer.explore(preemptions: 4) {
        let hub = Hub<Int>()
        let watch = Watch()
        return Explorer.Scenario([{ _ = hub.add(watch.observer(Lifetime())) }, { close(hub) }]) {
          withExtendedLifetime(hub) { watch.isReleased ? nil : "the observer is held" }
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 10)
    }
  }
}
