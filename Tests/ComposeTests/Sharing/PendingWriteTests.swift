import Compose
import ReactiveTesting
import TestSupport
import Testing

@Suite("A write of a shared value inside its own closure", .workerPool)
struct PendingWriteTests {
  private let problems = EventRecorder<String>()

  /// Runs `body` where problems are recorded.
  private func run(_ body: () -> Void) {
    let context = EffectContext(
      VirtualTime().context.dependencies, nil,
      onProblem: { [problems] in problems.append("\($0)") })
    context.run(body)
  }

  private func problem(_ nested: String, _ writer: String) -> String {
    "\(ComposeProblem.sharedWriteReplaced(nested: nested, writer: writer))"
  }

  @Test func `an update inside an update is replaced, and reported`() {
    let shared = SharedValue(0)
    run {
      shared.update(by: "outer") { value in
        value += 1
        shared.update(by: "inner") { $0 += 10 }
      }
    }
    #expect(shared.value == 1)
    #expect(problems.events == [problem("inner", "outer")])
  }

  @Test func `an update inside an update is joined by the merge`() {
    let shared = SharedValue(0) { base, mine, theirs in mine + theirs - base }
    run {
      shared.update(by: "outer") { value in
        value += 1
        shared.update(by: "inner") { value in
          value += 10
          shared.update(by: "innermost") { $0 += 100 }
        }
      }
    }
    #expect(shared.value == 111)
    #expect(problems.events.isEmpty)
  }

  @Test func `an update that changes nothing keeps the update inside it`() {
    let shared = SharedValue(0)
    run { shared.update(by: "outer") { _ in shared.update(by: "inner") { $0 += 10 } } }
    #expect(shared.value == 10)
    #expect(problems.events.isEmpty)
  }

  @Test func `an update of another value inside an update is not reported`() {
    let (shared, other) = (SharedValue(0), SharedValue(0))
    run {
      shared.update(by: "outer") { value in
        other.update(by: "inner") { $0 += 10 }
        value += other.value
      }
    }
    #expect(shared.value == 10 && other.value == 10)
    #expect(problems.events.isEmpty)
  }

  @Test func `an update that sends to a composer which writes the value ends`() {
    let shared = SharedValue<Set<Int>>([])
    run {
      let library = Composed(sending: Library(shared))
      shared.update(by: "outer") { books in
        books.insert(1)
        library.send(.toggle(2))
      }
      #expect(library.state.favorites == [1])
    }
    #expect(shared.value == [1])
    #expect(problems.events == [problem("Library", "outer")])
  }

  @Test func `a merge that writes the value is called once, and its result counts`() {
    let calls = EventRecorder<Int>()
    let current = Locked<SharedValue<Int>?>(nil)
    let shared = SharedValue(0) { base, mine, theirs in
      calls.append(theirs)
      current.withLock { $0 }?.update(by: "merge") { $0 += 1_000 }
      return mine + theirs - base
    }
    current.withLock { $0 = shared }
    run {
      shared.update(by: "outer") { value in
        value += 1
        shared.update(by: "inner") { $0 += 10 }
      }
    }
    #expect(shared.value == 11)
    #expect(calls.events == [10])
    #expect(problems.events == [problem("merge", "outer")])
    current.withLock { $0 = nil }
  }
}
