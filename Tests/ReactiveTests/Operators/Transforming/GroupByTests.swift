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

  @Test func `a group is emitted before its first element`() {
    let observer = scheduler.start { source.groupBy { $0.prefix(1) }.map(\.key) }
    #expect(observer.events == [.next(220, "a"), .next(230, "b"), .completed(260)])
    #expect(source.subscriptions == [Subscription(200, 260)])
  }

  @Test func `each element goes to its group, and the end to all before the result`() {
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

  @Test func `an error of the source or of the closure is the end of the groups and the result`() {
    let (subject, log) = (PublishSubject<Int>(), Log<String>())
    let groups = subject.groupBy { element in
      if element == 3 { throw TestError.any }
      return element % 2
    }
    let bag = DisposeBag()
    groups.subscribe(
      onNext: { $0.write(to: log, "\($0.key) ").disposed(by: bag) },
      onError: { _ in log.append("x") }
    ).disposed(by: bag)
    subject.onNext(2)
    subject.onNext(3)
    #expect(log.entries == ["0 2", "0 x", "x"])
    #expect(!subject.hasObservers)
    #expect(play("-a-x") { source, _ in source.groupBy { $0 }.map(\.key) } == "-a-x")
  }

  @Test func `the source runs while a group is observed, and no longer`() {
    let (subject, log) = (PublishSubject<Int>(), Log<String>())
    let bag = DisposeBag()
    let result = subject.groupBy { $0 % 2 }
      .subscribe(onNext: { $0.write(to: log, "\($0.key) ").disposed(by: bag) })
    subject.onNext(1)
    result.dispose()
    subject.onNext(3)
    subject.onNext(4)
    #expect(log.entries == ["1 1", "1 3"])
    bag.dispose()
    #expect(!subject.hasObservers)
  }

  @Test func `a group of one's own emits what its source emits`() {
    let group = GroupedObservable(key: "a", source: Observable.of(1, 2))
    #expect(group.key == "a")
    #expect(group.asObservable().written() == "1 2 |")
    #expect(group.map { $0 * 2 }.written() == "2 4 |")
  }

  @Test func `what stands below hears of no group after disposal`() {
    let (subject, log) = (PublishSubject<Int>(), Log<Int>())
    let bag = DisposeBag()
    let result = subject.groupBy { $0 }.do(onNext: { log.append($0.key) })
      .subscribe(onNext: { $0.subscribe().disposed(by: bag) })
    subject.onNext(1)
    result.dispose()
    subject.onNext(2)
    #expect(log.entries == [1])
  }
}
