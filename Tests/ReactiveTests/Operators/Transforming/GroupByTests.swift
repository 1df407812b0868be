import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct GroupByTests {
  let scheduler = TestScheduler(initialClock: 0)
  let source: TestableObservable<String>

  init() {
    source = scheduler.createHotObservable([
      .next(110, "zero"), .next(220, "a1"), .next(230, "b1"), .next(240, "a2"), .next(250, "b2"),
      .completed(260), .next(270, "a3"),
    ])
  }

  @Test func `groupBy emits a group before its first element`() {
    let observer = scheduler.start { source.groupBy { $0.prefix(1) }.map(\.key) }
    #expect(observer.events == [.next(220, "a"), .next(230, "b"), .completed(260)])
    #expect(source.subscriptions == [Subscription(200, 260)])
  }

  @Test func `groupBy sends elements to their groups and the end to groups before the result`() {
    let observer = scheduler.start {
      source.groupBy { $0.prefix(1) }.flatMap { group in
        group.map { "\(group.key): \($0)" }.concat(Observable.just("\(group.key) end"))
      }
    }
    #expect(
      observer.events.prefix(4) == [
        .next(220, "a: a1"), .next(230, "b: b1"), .next(240, "a: a2"), .next(250, "b: b2"),
      ]
    )
    #expect(Set(observer.events.compactMap(\.value.element).dropFirst(4)) == ["a end", "b end"])
    #expect(observer.events.last == .completed(260))
  }

  @Test func `groupBy ends groups and result with an error of source or closure`() {
    let (subject, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let groups = subject.groupBy { element in
      if element == 3 { throw TestError.any }
      return element % 2
    }
    let bag = DisposeBag()
    groups.subscribe(
      onNext: { $0.record(in: log, "\($0.key) ").disposed(by: bag) },
      onError: { _ in log.append("x") }
    ).disposed(by: bag)
    subject.onNext(2)
    subject.onNext(3)
    #expect(log.events == ["0 2", "0 x", "x"])
    #expect(!subject.hasObservers)
    #expect(play("-a-x") { source, _ in source.groupBy { $0 }.map(\.key) } == "-a-x")
  }

  @Test func `groupBy keeps its source subscribed while a group is observed`() {
    let (subject, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let bag = DisposeBag()
    let result = subject.groupBy { $0 % 2 }
      .subscribe(onNext: { $0.record(in: log, "\($0.key) ").disposed(by: bag) })
    subject.onNext(1)
    result.dispose()
    subject.onNext(3)
    subject.onNext(4)
    #expect(log.events == ["1 1", "1 3"])
    bag.dispose()
    #expect(!subject.hasObservers)
  }

  @Test func `a GroupedObservable made from a source emits its elements`() {
    let group = GroupedObservable(key: "a", source: Observable.of(1, 2))
    #expect(group.key == "a")
    #expect(group.asObservable().recorded() == "1 2 |")
    #expect(group.map { $0 * 2 }.recorded() == "2 4 |")
  }

  @Test func `groupBy emits no group after disposal of its result`() {
    let (subject, log) = (PublishSubject<Int>(), EventRecorder<Int>())
    let bag = DisposeBag()
    let result = subject.groupBy { $0 }.do(onNext: { log.append($0.key) })
      .subscribe(onNext: { $0.subscribe().disposed(by: bag) })
    subject.onNext(1)
    result.dispose()
    subject.onNext(2)
    #expect(log.events == [1])
  }
}
