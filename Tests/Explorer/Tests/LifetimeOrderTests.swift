import TestSupport
import Testing

@testable import ExploredReactive

extension Orders {
  @Suite("Thread orders of a lifetime", .workerPool)
  struct LifetimeOrderTests {
    @Test func `in every thread order, a lifetime disposes once of a member added during disposal`()
    {
      let result = Explorer.explore(preemptions: 3) {
        let lifetime = Lifetime()
        var disposals = [0, 0]
        let resources = disposals.indices.map { index in
          ActionDisposable { disposals[index] += 1 }
        }
        lifetime.add(resources[0])
        return Explorer.Scenario([
          { lifetime.dispose() }, { lifetime.add(resources[1]) }, { lifetime.dispose() },
        ]) { disposals == [1, 1] && lifetime.count == 0 ? nil : "disposed of \(disposals) times" }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }

    @Test func `in every thread order, a child lifetime ends once while its parent ends`() {
      let result = Explorer.explore(preemptions: 3) {
        let parent = Lifetime()
        let child = Lifetime(parent: parent)
        weak var held: Lifetime?
        held = child
        var disposals = 0
        child.add(ActionDisposable { disposals += 1 })
        let threads: [() -> Void] = [{ [child] in child.dispose() }, { parent.dispose() }]
        return Explorer.Scenario(threads) {
          disposals == 1 && held?.isDisposed != false ? nil : "disposed of \(disposals) times"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 10)
    }

    @Test func `in every thread order, a lifetime is released after everything in it`() {
      final class Observed: Lifetime, @unchecked Sendable {
        var released: (() -> Void)?

        override func didRelease() { released?() }
      }

      let result = Explorer.explore(preemptions: 3) {
        let parent = Observed()
        parent.observeRelease()
        let child = Lifetime(parent: parent)
        let grandchildren = [Lifetime(parent: child), Lifetime(parent: child)]
        var disposals = 0
        var atRelease: [Int] = []
        for grandchild in grandchildren { grandchild.add(ActionDisposable { disposals += 1 }) }
        parent.released = { atRelease.append(disposals) }
        let threads: [() -> Void] = [
          { grandchildren[0].finish() },
          { child.dispose() },
          { parent.dispose() },
        ]
        return Explorer.Scenario(threads) {
          atRelease == [2] ? nil : "released after \(atRelease) disposals"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }

    @Test
    func `in every thread order, a lifetime that ends while it is inserted leaves both lists`() {
      let result = Explorer.explore(preemptions: 4) {
        let (first, second) = (Lifetime(), Lifetime())
        let subscription = Lifetime()
        first.insert(subscription)
        return Explorer.Scenario([{ subscription.finish() }, { second.insert(subscription) }]) {
          let counts = [first.count, second.count]
          return counts == [0, 0] ? nil : "held: \(counts)"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 10)
    }

    @Test
    func
      `in every thread order, a lifetime keeps its list when one child ends and another is added`()
    {
      let result = Explorer.explore(preemptions: 3) {
        let parent = Lifetime()
        let children = [Lifetime(parent: parent), Lifetime(parent: parent)]
        var late: Lifetime?
        return Explorer.Scenario([
          { children[0].dispose() }, { children[1].finish() }, { late = Lifetime(parent: parent) },
        ]) {
          if parent.count != 1 { return "\(parent.count) children" }
          parent.dispose()
          return late?.isDisposed == true ? nil : "the late child is open"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }
  }

  @Suite("Thread orders of serial disposables", .workerPool)
  struct SerialOrderTests {
    /// Two threads dispose of a subscription's holder; no element may arrive after either disposal.
    private static func disposals(
      _ hold: @escaping (any Disposable) -> any Disposable
    ) -> Explorer.Scenario {
      let hub = Hub<Int>()
      let lifetime = Lifetime()
      let probe = ObserverProbe()
      _ = hub.add(probe.observer(lifetime))
      let holder = hold(lifetime)
      let dispose = {
        holder.dispose()
        hub.next(1)
      }
      return Explorer.Scenario([dispose, dispose]) {
        probe.received.isEmpty ? nil : "received \(probe.received)"
      }
    }

    @Test func `in every thread order, no element arrives after a disposal of SerialDisposable`() {
      let result = Explorer.explore(preemptions: 3) {
        Self.disposals { held in
          let serial = SerialDisposable()
          serial.disposable = held
          return serial
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 10)
    }

    @Test
    func
      `in every thread order, no element arrives after a disposal of SingleAssignmentDisposable`()
    {
      let result = Explorer.explore(preemptions: 3) {
        Self.disposals { held in
          let single = SingleAssignmentDisposable()
          single.setDisposable(held)
          return single
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 10)
    }
  }
}
