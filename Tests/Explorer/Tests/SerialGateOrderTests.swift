import TestSupport
import Testing

@testable import ExploredReactive

extension Orders {
  @Suite("Thread orders of a gate", .workerPool)
  struct SerialGateOrderTests {
    @Test func `in every thread order, a gate runs every body, one at a time`() {
      let result = Explorer.explore(preemptions: 2) {
        let gate = SerialGate()
        var (inside, most) = (0, 0)
        var passed: [Int] = []
        let pass = { (element: Int) in
          gate.run(element) { element in
            inside += 1
            most = max(most, inside)
            // A step, at which another thread can continue.
            _ = gate.owner.load(ordering: .relaxed)
            passed.append(element)
            inside -= 1
          }
        }
        return Explorer.Scenario([
          {
            pass(1)
            pass(2)
          }, { pass(3) }, { pass(4) },
        ]) {
          if most != 1 { return "\(most) inside" }
          return passed.sorted() == [1, 2, 3, 4] && passed.filter { $0 < 3 } == [1, 2]
            ? nil : "passed \(passed)"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 500)
    }

    @Test func `in every thread order, a gate runs no body after its scope has ended`() {
      let result = Explorer.explore(preemptions: 2) {
        let scope = Lifetime()
        let gate = SerialGate(scope)
        var isOver = false
        var late = 0
        let pass = { gate.run(()) { if isOver { late += 1 } } }
        return Explorer.Scenario([
          {
            gate.run(()) {
              scope.dispose()
              isOver = true
            }
          }, pass, pass,
        ]) { late == 0 ? nil : "\(late) late bodies" }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }

    /// Explores threads that each run `count` bodies in one gate.
    private func explore(_ threads: Int, each count: Int, preemptions: Int) -> Explorer.Result {
      Explorer.explore(preemptions: preemptions) {
        let gate = SerialGate()
        var received: [[Int]] = Array(repeating: [], count: threads)
        var (inside, most) = (0, 0)
        let step = gate.guarded { (entry: (Int, Int)) in
          inside += 1
          most = max(most, inside)
          // A step, at which another thread can continue.
          _ = gate.owner.load(ordering: .relaxed)
          received[entry.0].append(entry.1)
          inside -= 1
        }
        let bodies = (0..<threads).map { thread in
          { for number in 0..<count { step((thread, number)) } }
        }
        return Explorer.Scenario(bodies) {
          if most != 1 { return "\(most) inside at once" }
          if gate.owner.load(ordering: .relaxed) != 0 { return "a thread is still inside" }
          if gate.length != 0 { return "\(gate.length) bodies are counted as queued" }
          return received.allSatisfy { $0 == Array(0..<count) } ? nil : "received \(received)"
        }
      }
    }

    @Test func `in every thread order, a gate keeps the order of two threads`() {
      let result = explore(2, each: 3, preemptions: 3)
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }

    @Test func `in every thread order, a gate hands over between three threads without loss`() {
      let result = explore(3, each: 2, preemptions: 2)
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }
  }
}
