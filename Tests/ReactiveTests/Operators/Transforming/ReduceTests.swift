import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct ReduceTests {
  let scheduler = TestScheduler(initialClock: 0)
  let source: TestableObservable<Int>

  init() {
    source = scheduler.createHotObservable([
      .next(150, 9), .next(210, 1), .next(220, 2), .next(230, 3), .completed(250), .next(260, 8),
      .completed(270),
    ])
  }

  @Test func `reduce emits its result when the source completes`() {
    let observer = scheduler.start { source.reduce(10) { $0 + $1 } }
    #expect(observer.events == [.next(250, 16), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(Observable<Int>.empty().reduce(10) { $0 + $1 }.recorded() == "10 |")
  }

  @Test func `reduce with mapResult emits the mapped result`() {
    let observer = scheduler.start {
      source.reduce(0, accumulator: { $0 + $1 }, mapResult: { "sum \($0)" })
    }
    #expect(observer.events == [.next(250, "sum 6"), .completed(250)])
  }

  @Test func `reduce starts with its seed for each subscription`() {
    let sum = Observable.of(1, 2).reduce(0) { $0 + $1 }
    #expect(sum.recorded() == "3 |")
    #expect(sum.recorded() == "3 |")
  }

  @Test func `reduce and toArray emit an error at once without a result`() {
    #expect(play("-1-2-x") { source, _ in source.reduce(0) { sum, _ in sum + 1 } } == "-----x")
    #expect(play("-1-2-x") { source, _ in source.toArray() } == "-----x")
  }

  @Test func `reduce ends with errors of its closures`() {
    let accumulating = scheduler.start {
      source.reduce(0) { sum, element in
        if element == 2 { throw TestError.any }
        return sum
      }
    }
    #expect(accumulating.events == [.error(220, TestError.any)])
    #expect(source.subscriptions == [Subscription(200, 220)])
    let mapping = Observable.of(1).reduce(
      0, accumulator: { $0 + $1 }, mapResult: { _ -> Int in throw TestError.any })
    #expect(mapping.recorded() == "x")
  }

  @Test func `toArray emits all elements when the source completes`() {
    let observer = scheduler.start { source.toArray() }
    #expect(observer.events == [.next(250, [1, 2, 3]), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(Observable<Int>.empty().toArray().asObservable().recorded() == "[] |")
  }

  @Test func `a disposed toArray emits nothing`() {
    let observer = scheduler.start(disposed: 235) { source.toArray() }
    #expect(observer.events.isEmpty)
    #expect(source.subscriptions == [Subscription(200, 235)])
  }
}
