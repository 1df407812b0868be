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

    /// A lifetime that counts its releases.
    private final class Observed: Lifetime, @unchecked Sendable {
      var released: (() -> Void)?
      private(set) var releases = 0
      private(set) var disposals = 0

      init() {
        super.init()
        observeRelease()
      }

      override func didDispose() { disposals += 1 }

      override func didRelease() -> (() -> Void)? {
        releases += 1
        released?()
        return nil
      }
    }

    private static func releaseOfTree() -> Explorer.Scenario {
      let parent = Observed()
      let child = Lifetime(parent: parent)
      let grandchildren = [Lifetime(parent: child), Lifetime(parent: child)]
      var disposals = 0
      var atRelease: [Int] = []
      for grandchild in grandchildren {
        grandchild.add(
          ActionDisposable {
            // A step, at which another thread can continue.
            _ = parent.isClosed
            disposals += 1
          })
      }
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

    @Test func `in every thread order, a lifetime is released after everything in it`() {
      let result = Explorer.explore(preemptions: 3) { Self.releaseOfTree() }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }

    @Test func `the explorer finds a lifetime that is released before everything in it`() {
      let result = PlantedFault.earlyRelease.planted {
        Explorer.explore(preemptions: 3) { Self.releaseOfTree() }
      }
      #expect(result.failure?.hasPrefix("released after [1] disposals") == true)
    }

    @Test func `in every thread order, lifetimes that hold each other are released`() {
      let result = Explorer.explore(preemptions: 4) {
        let (first, second) = (Observed(), Observed())
        first.insert(second)
        second.insert(first)
        return Explorer.Scenario([{ first.finish() }, { second.finish() }]) {
          let releases = [first.releases, second.releases]
          return releases == [1, 1] ? nil : "released \(releases) times"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 10)
    }

    @Test func `in every thread order, a disposal during the end releases a lifetime once`() {
      let result = Explorer.explore(preemptions: 3) {
        let parent = Observed()
        let child = Observed()
        parent.insert(child)
        var (ends, disposals) = (0, 0)
        var atRelease: [Int] = []
        child.add(
          ActionDisposable {
            // A step, at which another thread can continue.
            _ = parent.isClosed
            disposals += 1
          })
        parent.released = { atRelease.append(disposals) }
        let threads: [() -> Void] = [
          {
            guard child.close() else { return }
            ends += 1
            child.release()
          },
          { child.dispose() },
          { parent.dispose() },
        ]
        return Explorer.Scenario(threads) {
          if ends > 1 || disposals != 1 { return "\(ends) ends, \(disposals) disposals" }
          if (child.releases, child.disposals) != (1, 1) {
            return "released \(child.releases), disposed of \(child.disposals) times"
          }
          return atRelease == [1] ? nil : "released after \(atRelease) disposals"
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
      let hub = ObserverHub<Int>()
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
