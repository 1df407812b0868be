import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct BufferedValuesTests {
  /// The elements that an iteration receives after 1 to 5 were sent, and the reported totals.
  private func burst(_ policy: BufferingPolicy) async throws -> (texts: [String], totals: [Int]) {
    let subject = PublishSubject<Int>()
    let totals = EventRecorder<Int>()
    let values = subject.values(buffer: policy) { totals.append($0) }
    for element in 1...5 { subject.onNext(element) }
    subject.onCompleted()
    #expect(!subject.hasObservers)
    return (await texts(values), totals.events)
  }

  private func texts(_ values: BufferedValues<Int>) async -> [String] {
    var texts: [String] = []
    do {
      for try await element in values { texts.append("\(element)") }
      texts.append("|")
    } catch { texts.append("\(error)") }
    return texts
  }

  @Test func `each buffering policy of values(buffer:) keeps the documented elements`() async throws
  {
    let expected: [(BufferingPolicy, [String], [Int])] = [
      (.unbounded, ["1", "2", "3", "4", "5", "|"], []),
      (.bounded(2, .dropOldest), ["4", "5", "|"], [1, 2, 3]),
      (.latest, ["5", "|"], [1, 2, 3, 4]),
      (.bounded(2, .dropNewest), ["1", "2", "|"], [1, 2, 3]),
      (.bounded(0, .dropNewest), ["1", "|"], [1, 2, 3, 4]),
      (.bounded(2, .fail), ["1", "2", "\(BufferOverflowError(limit: 2))"], []),
      (.bounded(5, .fail), ["1", "2", "3", "4", "5", "|"], []),
      // A subject cannot be suspended.
      (.bounded(2, .suspend), ["1", "2", "3", "4", "5", "|"], []),
    ]
    for (policy, texts, totals) in expected {
      let result = try await burst(policy)
      #expect(result.texts == texts, "\(policy)")
      #expect(result.totals == totals, "\(policy)")
    }
  }

  @Test func `values(buffer:) with the policy fail disposes of an endless source on overflow`()
    async
  {
    let values = Observable.repeatElement(1).values(buffer: .bounded(2, .fail))
    #expect(await texts(values) == ["1", "1", "\(BufferOverflowError(limit: 2))"])
  }

  @Test func `values(buffer:) with the policy suspend produces no more elements than fit`()
    async throws
  {
    let made = Atomic(0)
    let values = Observable.range(start: 0, count: 100)
      .do(onNext: { _ in made.add(1, ordering: .relaxed) })
      .values(buffer: .bounded(4, .suspend))
    #expect(made.load(ordering: .relaxed) == 4)
    var iterator = values.makeAsyncIterator()
    for taken in 0..<100 {
      #expect(try await iterator.next() == taken)
      #expect(made.load(ordering: .relaxed) <= taken + 5)
    }
    #expect(try await iterator.next() == nil)
    #expect(made.load(ordering: .relaxed) == 100)
  }

  @Test func `a second iteration of values(buffer:) continues after the first one`() async throws {
    let values = Observable.range(start: 0, count: 6).values(buffer: .bounded(1, .suspend))
    for try await element in values where element == 2 { break }
    #expect(await texts(values) == ["3", "4", "5", "|"])
  }

  @Test func `values(buffer:) throws an error after the buffered elements`() async {
    let source = Observable.range(start: 0, count: 9).map { element in
      if element == 3 { throw TestError.any }
      return element
    }
    let values = source.values(buffer: .bounded(2, .suspend))
    #expect(await texts(values) == ["0", "1", "2", "\(TestError.any)"])
  }

  @Test func `values(buffer:) requests no more elements of an async sequence than fit`()
    async throws
  {
    let made = Atomic(0)
    let numbers = AsyncStream(unfolding: { () -> Int? in
      made.add(1, ordering: .relaxed).oldValue
    })
    let values = numbers.asObservable().values(buffer: .bounded(3, .suspend))
    var iterator = values.makeAsyncIterator()
    for taken in 0..<2_000 {
      #expect(try await iterator.next() == taken)
      // Three buffered elements and one that is taken.
      if made.load(ordering: .relaxed) > taken + 4 { Issue.record("too many after \(taken)") }
    }
  }

  @Test func `cancellation of an iteration of values(buffer:) disposes of a suspended source`()
    async throws
  {
    let disposed = Latch()
    let source = Observable.repeatElement(1).do(onDispose: { disposed.open() })
    let values = source.values(buffer: .bounded(2, .suspend))
    let task = Task {
      for try await _ in values { withUnsafeCurrentTask { $0?.cancel() } }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    await disposed.opened()
  }

  @Test func `a released sequence of values(buffer:) disposes of its source`() {
    let subject = PublishSubject<Int>()
    for policy in [.latest, .bounded(2, .suspend), .bounded(2, .fail)] as [BufferingPolicy] {
      var values: BufferedValues<Int>? = subject.values(buffer: policy)
      #expect(subject.hasObservers)
      withExtendedLifetime(values) {}
      values = nil
      #expect(!subject.hasObservers)
    }
  }
}
