import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct CombineLatestTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `emits when any changes, once all are there`() {
    let a = scheduler.createHotObservable([.next(205, 1), .next(215, 2), .completed(230)])
    let b = scheduler.createHotObservable([.next(210, 10), .next(240, 20), .completed(250)])
    let observer = scheduler.start { Observable.combineLatest(a, b) { $0 + $1 } }
    #expect(observer.events == [.next(210, 11), .next(215, 12), .next(240, 22), .completed(250)])
    #expect(a.subscriptions == [Subscription(200, 230)])
    #expect(b.subscriptions == [Subscription(200, 250)])
  }

  @Test func `completes once one without an element has and another emits`() {
    let a = scheduler.createHotObservable([.completed(210, Int.self)])
    let b = scheduler.createHotObservable([.next(215, 1), .completed(220)])
    let observer = scheduler.start { Observable.combineLatest(a, b) { $0 + $1 } }
    #expect(observer.events == [.completed(215)])
    #expect(b.subscriptions == [Subscription(200, 215)])
  }

  @Test func `the first error ends it`() {
    let a = scheduler.createHotObservable([.next(205, 1), .error(230, TestError.any)])
    let b = scheduler.createHotObservable([.next(210, 10), .next(240, 20)])
    let observer = scheduler.start { Observable.combineLatest(a, b) { $0 + $1 } }
    #expect(observer.events == [.next(210, 11), .error(230, TestError.any)])
    #expect(b.subscriptions == [Subscription(200, 230)])
  }

  @Test func `an error thrown by the selector ends it and disposes of the sources`() {
    let a = scheduler.createHotObservable([.next(205, 1)])
    let b = scheduler.createHotObservable([.next(210, 10)])
    let observer = scheduler.start {
      Observable<Int>.combineLatest(a, b) { _, _ in throw TestError.any }
    }
    #expect(observer.events == [.error(210, TestError.any)])
    #expect(a.subscriptions == [Subscription(200, 210)])
    #expect(b.subscriptions == [Subscription(200, 210)])
  }

  @Test func `three sources and tuples`() {
    let a = BehaviorRelay(value: 1)
    let b = BehaviorRelay(value: "b")
    let c = BehaviorRelay(value: true)
    let log = Log<String>()
    let bag = DisposeBag()
    Observable.combineLatest(a, b, c).write(to: log).disposed(by: bag)
    Observable.combineLatest(a, b).write(to: log, "pair ").disposed(by: bag)
    a.accept(2)
    #expect(
      log.entries == [
        #"(1, "b", true)"#, #"pair (1, "b")"#, #"(2, "b", true)"#, #"pair (2, "b")"#,
      ]
    )
  }

  @Test func `sources of many elements take turns`() {
    let both = Observable.combineLatest(Observable.of(1, 2, 3), Observable.of(10, 20, 30)) {
      $0 + $1
    }
    #expect(both.written() == "11 12 22 23 33 |")
  }

  @Test func `the latest of two threads is what was sent last`() {
    for _ in 0..<50 {
      let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
      let log = Log<(Int, Int)>()
      let subscription = Observable.combineLatest(a, b).subscribe(onNext: { log.append($0) })
      onThreads(2) { index in
        for element in 0..<500 { (index == 0 ? a : b).onNext(element) }
      }
      #expect(log.entries.last.map { $0 == (499, 499) } == true)
      #expect(
        zip(log.entries, log.entries.dropFirst()).allSatisfy { $0.0 + $0.1 + 1 == $1.0 + $1.1 }
      )
      subscription.dispose()
    }
  }
}

// Every number of sources, of every kind. Drivers deliver on the main actor.
@MainActor
@Suite(.workerPool) struct CombineLatestArityTests {
  @Test func `two to eight observables`() {
    let s = (1...8).map { Observable.of("\($0)", "-\($0)") }
    let selected: [Observable<String>] = [
      Observable.combineLatest(s[0], s[1]) { $0 + $1 },
      Observable.combineLatest(s[0], s[1], s[2]) { $0 + $1 + $2 },
      Observable.combineLatest(s[0], s[1], s[2], s[3]) { $0 + $1 + $2 + $3 },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4]) { $0 + $1 + $2 + $3 + $4 },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]) { $0 + $1 + $2 + $3 + $4 + $5 },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) {
        $0 + $1 + $2 + $3 + $4 + $5 + $6
      },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) {
        $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7
      },
    ]
    let tuples: [Observable<String>] = [
      Observable.combineLatest(s[0], s[1]).map { "\($0)" },
      Observable.combineLatest(s[0], s[1], s[2]).map { "\($0)" },
      Observable.combineLatest(s[0], s[1], s[2], s[3]).map { "\($0)" },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4]).map { "\($0)" },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]).map { "\($0)" },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).map { "\($0)" },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map { "\($0)" },
    ]
    for (index, (selected, tuples)) in Swift.zip(selected, tuples).enumerated() {
      #expect(selected.written() == selectedText(index + 2))
      #expect(tuples.written() == tupleText(index + 2))
    }
  }

  @Test(
    arguments: [
      DriverSharingStrategy.self, SignalSharingStrategy.self, InfallibleStrategy.self,
    ] as [any SharingStrategyProtocol.Type])
  func `two to eight of what is shared`(kind: any SharingStrategyProtocol.Type) {
    func check<Strategy: SharingStrategyProtocol>(_ kind: Strategy.Type) {
      typealias Texts = SharedSequence<Strategy, String>
      let number = 2...8
      for count in number {
        let selected = mocked { scheduler -> Observable<String> in
          let s = (1...8).map { Texts.of("\($0)", "-\($0)") }
          let selected: [Texts] = [
            Texts.combineLatest(s[0], s[1]) { $0 + $1 },
            Texts.combineLatest(s[0], s[1], s[2]) { $0 + $1 + $2 },
            Texts.combineLatest(s[0], s[1], s[2], s[3]) { $0 + $1 + $2 + $3 },
            Texts.combineLatest(s[0], s[1], s[2], s[3], s[4]) { $0 + $1 + $2 + $3 + $4 },
            Texts.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]) { $0 + $1 + $2 + $3 + $4 + $5 },
            Texts.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) {
              $0 + $1 + $2 + $3 + $4 + $5 + $6
            },
            Texts.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) {
              $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7
            },
          ]
          return selected[count - 2].asObservable()
        }.map { text($0.value) }.joined(separator: " ")
        #expect(selected == selectedText(count))
        let tuple = mocked { scheduler -> Observable<String> in
          let s = (1...8).map { Texts.of("\($0)", "-\($0)") }
          let tuples: [Texts] = [
            SharedSequence.combineLatest(s[0], s[1]).map { "\($0)" },
            SharedSequence.combineLatest(s[0], s[1], s[2]).map { "\($0)" },
            SharedSequence.combineLatest(s[0], s[1], s[2], s[3]).map { "\($0)" },
            SharedSequence.combineLatest(s[0], s[1], s[2], s[3], s[4]).map { "\($0)" },
            SharedSequence.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]).map { "\($0)" },
            SharedSequence.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).map { "\($0)" },
            SharedSequence.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map {
              "\($0)"
            },
          ]
          return tuples[count - 2].asObservable()
        }.map { text($0.value) }.joined(separator: " ")
        #expect(tuple == tupleText(count))
      }
    }
    check(kind)
  }

  @Test(arguments: [1, 8, 64, 65, 200])
  func `a collection of sources, however many`(count: Int) {
    let subjects = (0..<count).map { _ in PublishSubject<Int>() }
    let log = Log<[Int]>()
    let subscription = Observable.combineLatest(subjects).subscribe(onNext: { log.append($0) })
    for (index, subject) in subjects.enumerated() { subject.onNext(index) }
    subjects[0].onNext(-1)
    #expect(log.entries == [Array(0..<count), [-1] + Array(1..<count)])
    let sums = Observable.combineLatest(subjects.map { $0.startWith(1) }) { $0.reduce(0, +) }
    #expect(sums.written() == "\(count)")
    subscription.dispose()
    #expect(!subjects.contains { $0.hasObservers })
  }

  @Test func `a collection of drivers, signals or infallibles`() {
    #expect(
      mocked { _ in Driver.combineLatest([Driver.just(1), Driver.just(2)]) }.map { text($0.value) }
        == ["[1, 2]", "|"])
    #expect(
      mocked { _ in
        Signal.combineLatest([Signal.just(1), Signal.just(2)]) { (all: [Int]) in all[0] + all[1] }
      }
      .map { text($0.value) } == ["3", "|"])
    #expect(
      mocked { _ in Infallible.combineLatest([Infallible.just(1), Infallible.just(2)]) }
        .map { text($0.value) } == ["[1, 2]", "|"])
  }

  @Test func `what is named by its element combines a collection to arrays`() {
    #expect(Observable<Int>.combineLatest([Observable.just(1), .just(2)]).written() == "[1, 2] |")
    #expect(
      mocked { _ in Driver<Int>.combineLatest([Driver.just(1), Driver.just(2)]) }
        .map { text($0.value) } == ["[1, 2]", "|"])
  }

  @Test func `an empty collection gives what is made of nothing, then completion`() {
    #expect(Observable.combineLatest([Observable<Int>]()).written() == "[] |")
    #expect(Observable.combineLatest([Observable<Int>]()) { $0.count }.written() == "0 |")
    #expect(
      Observable<Int>.combineLatest([Observable<Int>]()) { _ in throw TestError.any }.written()
        == "x")
    #expect(Driver.combineLatest([Driver<Int>]()).asObservable().written() == "[] |")
  }

  /// What the latest of `count` sources that take turns add up to.
  private func states(_ count: Int) -> [[String]] {
    let first = (1...count).map { "\($0)" }
    return (0...count).map { changed in
      first.enumerated().map { $0 < changed ? "-\($1)" : $1 }
    }
  }

  private func selectedText(_ count: Int) -> String {
    (states(count).map { $0.joined() } + ["|"]).joined(separator: " ")
  }

  private func tupleText(_ count: Int) -> String {
    (states(count).map { "(\($0.map { "\"\($0)\"" }.joined(separator: ", ")))" } + ["|"])
      .joined(separator: " ")
  }
}
