import TestSupport
import Testing

@testable import ExploredReactive

extension Orders {
  @Suite("of a lifetime", .workerPool)
  struct LifetimeOrderTests {
    @Test func `what comes while it is disposed of is disposed of once`() {
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

    @Test func `a child ends while its parent does`() {
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

    @Test func `what is in two lists ends while it enters the second one`() {
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

    @Test func `a child that ends while another comes leaves the list whole`() {
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

  @Suite("of what holds one disposable", .workerPool)
  struct SerialOrderTests {
    /// Two threads dispose of what holds a subscription; nothing may arrive after either of them.
    private static func disposals(
      _ hold: @escaping (any Disposable) -> any Disposable
    ) -> Explorer.Scenario {
      let hub = Hub<Int>()
      let lifetime = Lifetime()
      let watch = Watch()
      _ = hub.add(watch.observer(lifetime))
      let holder = hold(lifetime)
      let dispose = {
        holder.dispose()
        hub.next(1)
      }
      return Explorer.Scenario([dispose, dispose]) {
        watch.heard.isEmpty ? nil : "heard \(watch.heard)"
      }
    }

    @Test func `nothing arrives after whichever disposal of a serial disposable`() {
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

    @Test func `nothing arrives after whichever disposal of a single assignment`() {
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
