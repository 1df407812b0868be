import DifferentialGraphs
import Foundation
import Reactive
import ReactiveTesting
import RxReference
import TestSupport
import Testing

@Suite("The Swift code of an operator graph", .workerPool) struct PrintedCodeTests {
  @Test func `the printed Swift code of a graph compiles and passes`() {
    // What is printed begins here.
    let scheduler = TestScheduler(initialClock: 0)
    let subject0 = PublishSubject<Int>()
    let hot0 = scheduler.createHotObservable([.next(4, 1), .next(5, 2), .error(8, Fault(2))])
    let subscription0 = SerialDisposable()
    let subscription1 = SerialDisposable()
    let act48 = ActingOnce(at: 0) { subject0.onNext($0 &+ 100) }
    let observing1 = ActingOnce(at: 2) { _ in subscription0.dispose() }
    let shared = scheduler.createColdObservable([
      .next(1, 1), .next(2, 2), .next(2, 3), .completed(4),
    ]).asObservable()
      .share(replay: 1)
    let graph =
      shared
      .take(2)
      .concat(
        Observable<Int>.merge(
          hot0.asObservable()
            .map { try act48($0) &* 10 }, subject0))
    let observer0 = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(1) {
      subscription0.disposable = graph.subscribe(observer0)
    }
    scheduler.scheduleAt(30) { subscription0.dispose() }
    let observer1 = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(2) {
      subscription1.disposable = graph.subscribe { event in
        observer1.on(event)
        if let element = event.element { _ = try? observing1(element) }
      }
    }
    scheduler.scheduleAt(9) { subscription1.dispose() }
    scheduler.start()
    #expect(observer0.events == [.next(2, 1), .next(3, 2), .next(4, 101)])
    #expect(
      observer1.events == [
        .next(2, 1), .next(3, 2), .next(4, 101), .next(4, 10), .next(5, 20), .error(8, Fault(2)),
      ])
    #expect(hot0.subscriptions == [Subscription(3, 4), Subscription(3, 8)])
    // It ends here.
  }

  @Test func `swiftCode of a graph is equal to the code of this file's first test`() throws {
    let map = try #require(Operator.named("map"))
    let scenario = Scenario(
      graph: Graph(
        try #require(Operator.named("concat")), [],
        [
          Graph(
            try #require(Operator.named("take")), [2],
            [Graph(try #require(Operator.named("shared")))]),
          Graph(
            try #require(Operator.named("merge")), [],
            [
              Graph(
                map, [Action(.sendPublish, at: 0).number],
                [Graph(try #require(Operator.named("hot")), [0])]),
              Graph(try #require(Operator.named("subject")), [0]),
            ]),
        ]),
      shared: Graph(
        try #require(Operator.named("share")), [1],
        [Graph(try #require(Operator.named("cold")), [1, 1, 1, 0, 2])]),
      hots: [[2, 4, 1, 3], [0]],
      observers: [
        Scenario.Plan(subscribesAt: 1, disposesAt: 30, action: Action(number: 0)),
        Scenario.Plan(subscribesAt: 2, disposesAt: 9, action: Action(.disposeFirst, at: 2)),
      ])
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let begin = try #require(source.range(of: "begins here.")).upperBound
    let end = try #require(source.range(of: "// It ends here.")).lowerBound
    // The formatter may change whitespace and commas.
    func text(_ code: some StringProtocol) -> String {
      String(code.filter { !$0.isWhitespace && $0 != "," })
    }
    #expect(text(source[begin..<end]) == text(scenario.swiftCode), "\(scenario.swiftCode)")
  }
}
